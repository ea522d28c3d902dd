import BellhopCache
import BellhopClient
import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopInbox
@testable import BellhopShell

/// Lists of several accounts in one.
@Suite("Windows of several accounts")
struct MergedReaderTests {
  static let start = Timestamp(milliseconds: 1_800_000_000_000)

  /// A cache in which `count` items arrive, some at the same moment as another account's.
  static func reader(_ name: String, _ count: Int, seed: UInt64) throws -> ListReader {
    let cache = MemoryCache(
      identity: CacheIdentity(
        account: AccountName(name), newLineage: { Lineage("lineage-1") }))
    var random = SeededRandom(seed: seed)
    let changes = (0..<count).map { index -> Change in
      let time = start.advanced(by: .seconds(Int64(random.next() % 200)))
      let sequence = SequenceNumber(Int64(index) + 1)
      var state = ItemState(sequence: sequence, contentSequence: sequence, changed: time)
      if index % 3 == 0 { state.userActionState = Register(.dismissed) }
      if index % 7 == 0 {
        state.userActionState = Register(
          .snoozed(until: start.advanced(by: .seconds(100_000 + Int64(random.next() % 50)))))
      }
      return .item(
        UserNotification(
          // The same ids in each account: two devices of one user may be on one machine.
          id: NotificationID(high: 1, low: UInt64(index)), shortNumber: Int64(index) + 1,
          created: time, arrival: time,
          content: Content(
            app: "app\(random.next() % 3)", priority: Priority.allCases[index * 7 % 5],
            visual: VisualContent(title: "\(name) \(index)")),
          state: state))
    }
    let generation = try cache.syncState().generation
    for chunk in ChangeChunk.chunks(
      of: changes, request: .page(nil), generation: generation,
      end: .page(next: nil, start: DeltaToken("t"), startSequence: SequenceNumber(Int64(count))))
    {
      _ = try cache.apply(chunk, now: start.advanced(by: .seconds(300)))
    }
    return ListReader(cache: cache)
  }

  func request(
    _ anchor: WindowRequest.Anchor, _ direction: WindowRequest.Direction, _ count: Int,
    by order: ListOrder = .newest, of account: AccountName? = nil
  ) -> WindowRequest {
    WindowRequest(
      anchor: anchor, direction: direction, order: order, count: count, serial: 1, account: account)
  }

  @Test(
    "walking down and up through three accounts meets every row once, in one order",
    arguments: [ListQuery.tray, .handled, .history, .later], ListOrder.allCases)
  func walks(_ query: ListQuery, _ order: ListOrder) throws {
    if query == .later, order != .newest { return }
    let merged = MergedReader(readers: [
      try Self.reader("a", 90, seed: 1), try Self.reader("b", 60, seed: 2),
      try Self.reader("c", 30, seed: 3),
    ])
    let all = try merged.window(query, request(.first, .down, 1000, by: order))
    #expect(all.reachesStart && all.reachesEnd && all.countAbove == 0)
    var single = 0
    for reader in merged.readers {
      single += try reader.window(query, request(.first, .down, 1000)).rows.count
    }
    #expect(all.rows.count == single)
    #expect(Set(all.rows.map(\.key)).count == single)
    for (upper, lower) in zip(all.rows, all.rows.dropFirst()) {
      #expect(upper.position.isAbove(lower.position, in: query, by: order))
    }

    var down = try merged.window(query, request(.first, .down, 7, by: order))
    var walked = down.rows
    while !down.reachesEnd, let last = walked.last {
      down = try merged.window(query, request(.row(last.position), .down, 8, by: order))
      #expect(down.anchorRow?.key == last.key)
      // Rows with exactly the same arrival may be above the anchor's own.
      let fresh = down.rows.filter { row in !walked.contains { $0.key == row.key } }
      #expect(!fresh.isEmpty)
      walked += fresh
    }
    #expect(walked.map(\.key) == all.rows.map(\.key))

    var up = try merged.window(query, request(.last, .up, 7, by: order))
    var climbed = up.rows
    while !up.reachesStart, let first = climbed.first {
      up = try merged.window(query, request(.row(first.position), .up, 7, by: order))
      let fresh = up.rows.filter { row in !climbed.contains { $0.key == row.key } }
      guard !fresh.isEmpty else { break }
      climbed = fresh + climbed
    }
    #expect(climbed.count <= all.rows.count)
    #expect(climbed.map(\.key) == all.rows.map(\.key).suffix(climbed.count))
  }

  @Test(
    "the position of a row among filtered accounts is counted in the order",
    arguments: ListOrder.allCases)
  func countAbove(_ order: ListOrder) throws {
    let merged = MergedReader(readers: [
      try Self.reader("a", 90, seed: 1), try Self.reader("b", 60, seed: 2),
    ])
    for query in [ListQuery.history, .narrowed(.history, ListFilter(words: "1"))] {
      let rows = try merged.window(query, request(.first, .down, 1000, by: order)).rows
      for (index, row) in rows.enumerated() {
        // Another account's row of the same moment counts as one below.
        let twins = rows.count {
          $0.order == row.order && $0.priority == row.priority && $0.appHost == row.appHost
        }
        let above = try merged.count(of: query, of: nil, above: row.position, by: order)
        #expect((index - twins + 1...index).contains(above))
      }
    }
  }

  @Test("one account alone is read from its own cache")
  func filtered() throws {
    let merged = MergedReader(readers: [
      try Self.reader("a", 40, seed: 1), try Self.reader("b", 25, seed: 2),
    ])
    let b = AccountName("b")
    let window = try merged.window(.tray, request(.first, .down, 100, of: b))
    #expect(!window.rows.isEmpty)
    #expect(window.rows.allSatisfy { $0.key.account == b })
    let both = try merged.counts(since: Self.start, of: nil)
    let one = try merged.counts(since: Self.start, of: b)
    let other = try merged.counts(since: Self.start, of: AccountName("a"))
    #expect(both.tray == one.tray + other.tray && one.tray == window.rows.count)
    #expect(both.handled == one.handled + other.handled && both.handled > 0)
    #expect(both.history == 65 && both.later == one.later + other.later)
    let key = try #require(window.rows.first?.key)
    #expect(try merged.detail(key)?.row.title == window.rows.first?.title)
  }
}
