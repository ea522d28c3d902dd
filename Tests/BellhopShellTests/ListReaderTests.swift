import BellhopCache
import BellhopClient
import BellhopModel
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox
@testable import BellhopShell

/// The windows that the screen requests, over a cache in memory.
@Suite("Windows of lists")
struct ListReaderTests {
  static let account = AccountName("home")
  static let start = Timestamp(milliseconds: 1_800_000_000_000)

  /// A cache with `count` items, of which every third is dismissed and every seventh snoozed.
  static func cache(_ count: Int) throws -> MemoryCache {
    let cache = MemoryCache(
      identity: CacheIdentity(account: account, newLineage: { Lineage("lineage-1") }))
    let changes = (0..<count).map { index -> Change in
      let time = start.advanced(by: .seconds(index / 2))
      let sequence = SequenceNumber(Int64(index) + 1)
      var state = ItemState(sequence: sequence, contentSequence: sequence, changed: time)
      if index % 3 == 0 { state.userActionState = Register(.dismissed) }
      if index % 7 == 0 {
        let until = start.advanced(by: .seconds(1_000_000 - index))
        state.userActionState = Register(.snoozed(until: until))
      }
      return .item(
        UserNotification(
          id: .version7(at: time, random: (UInt64(index), UInt64(index))),
          shortNumber: Int64(index) + 1, created: time, arrival: time,
          content: Content(
            app: "app\(index % 5)", priority: Priority.allCases[index % 4],
            visual: VisualContent(title: "item \(index)", body: "one\n\ntwo")),
          state: state))
    }
    let generation = try cache.syncState().generation
    for chunk in ChangeChunk.chunks(
      of: changes, request: .page(nil), generation: generation,
      end: .page(
        next: nil, start: DeltaToken("t"), startSequence: SequenceNumber(Int64(count))))
    {
      _ = try cache.apply(chunk, now: start.advanced(by: .seconds(count)))
    }
    return cache
  }

  func request(
    _ anchor: WindowRequest.Anchor, _ direction: WindowRequest.Direction, _ count: Int,
    by order: ListOrder = .newest
  ) -> WindowRequest {
    WindowRequest(anchor: anchor, direction: direction, order: order, count: count, serial: 1)
  }

  @Test("a row shows the beginning of its body on one line")
  func preview() throws {
    let rows = try ListReader(cache: try Self.cache(3)).window(.history, request(.first, .down, 9))
    #expect(rows.rows.map(\.preview) == ["one two", "one two", "one two"])
  }

  @Test(
    "walking down and walking up meet the same rows in the same order",
    arguments: [ListQuery.tray, .handled, .history, .later], ListOrder.allCases)
  func walks(_ query: ListQuery, _ order: ListOrder) throws {
    let reader = ListReader(cache: try Self.cache(200))
    let all = try reader.window(query, request(.first, .down, 1000, by: order))
    #expect(all.reachesStart && all.reachesEnd && all.countAbove == 0)
    #expect(all.rows.count > 20)
    #expect(all.rows.allSatisfy { query.contains($0) })

    var down = try reader.window(query, request(.first, .down, 7, by: order))
    var walked = down.rows
    while !down.reachesEnd, let last = walked.last {
      down = try reader.window(query, request(.row(last.position), .down, 8, by: order))
      #expect(down.rows.first == last, "the anchor's own row comes first")
      #expect(down.anchorRow == last)
      walked += down.rows.dropFirst()
    }
    #expect(walked == all.rows)

    var up = try reader.window(query, request(.last, .up, 7, by: order))
    #expect(up.reachesEnd)
    var climbed = up.rows
    while !up.reachesStart, let first = climbed.first {
      up = try reader.window(query, request(.row(first.position), .up, 7, by: order))
      climbed = up.rows + climbed
    }
    #expect(climbed == all.rows)
  }

  @Test(
    "a window around a row has rows on both sides, and knows how many are above",
    arguments: ListOrder.allCases)
  func around(_ order: ListOrder) throws {
    let reader = ListReader(cache: try Self.cache(200))
    let all = try reader.window(.tray, request(.first, .down, 1000, by: order)).rows
    let middle = all[all.count / 2]
    let window = try reader.window(.tray, request(.row(middle.position), .around, 20, by: order))
    #expect(window.rows == Array(all[(all.count / 2 - 10)..<(all.count / 2 + 10)]))
    #expect(window.countAbove == all.count / 2 - 10)
    #expect(!window.reachesStart && !window.reachesEnd)
  }

  @Test("an anchor that has left the list is returned in its current state")
  func ghost() throws {
    let cache = try Self.cache(50)
    let reader = ListReader(cache: cache)
    let rows = try reader.window(.tray, request(.first, .down, 100)).rows
    let gone = rows[4]
    let dismiss = Operation(
      id: .version7(at: Self.start, random: (1, 1)), target: .item(gone.key.id),
      mutation: ItemCommand.dismiss.mutation, seen: gone.contentSequence)
    _ = try cache.enqueue([dismiss], now: Self.start, sealAfter: nil)
    let window = try reader.window(.tray, request(.row(gone.position), .around, 10))
    #expect(!window.rows.contains { $0.key == gone.key })
    #expect(window.anchorRow?.action == .dismissed)
    #expect(window.anchorRow?.isWaiting == true)
    #expect(window.rows.first == rows[0])
  }

  @Test("counts match the lists")
  func counts() throws {
    let reader = ListReader(cache: try Self.cache(200))
    let counts = try reader.counts(since: Self.start)
    func length(_ query: ListQuery) throws -> Int {
      try reader.window(query, request(.first, .down, 1000)).rows.count
    }
    #expect(counts.tray == (try length(.tray)))
    #expect(counts.later == (try length(.later)))
    #expect(counts.handled == (try length(.handled)))
    #expect(counts.history == (try length(.history)))
    #expect(counts.today == 200)
  }

  @Test("lists and details use the user's name for an app")
  func displayNames() throws {
    let cache = try Self.cache(20)
    var change = AppSettingsChange()
    change.displayName = .set("Application \u{1b}[31m 1")
    let operation = Operation(
      id: .version7(at: Self.start, random: (1, 1)), target: .app("app1"),
      mutation: .configure(change))
    _ = try cache.enqueue([operation], now: Self.start, sealAfter: nil)
    let reader = ListReader(cache: cache)
    let request = WindowRequest(anchor: .first, direction: .down, count: 100, serial: 1)
    let rows = try reader.window(.history, request).rows
    let names = Set(rows.map(\.app.string))
    #expect(names.contains("app0") && !names.contains("app1"))
    let named = try #require(rows.first { $0.app.string.hasPrefix("Application") })
    #expect(!named.app.string.contains("\u{1b}"))
    let detail = try #require(try reader.detail(named.key))
    #expect(detail.row.app == named.app && detail.host == "app1")
    let other = try #require(rows.first { $0.app == "app0" })
    #expect(try reader.detail(other.key)?.host == nil)
  }
}
