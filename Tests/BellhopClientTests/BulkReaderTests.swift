import BellhopCache
import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopClient
@testable import BellhopInbox

/// The extent of a whole list on the screen, and the operations that change it.
@Suite("Whole lists")
struct BulkReaderTests {
  private let account = AccountName("home")
  private let start = Timestamp(milliseconds: 1_800_000_000_000)

  private func cache() -> MemoryCache {
    MemoryCache(
      identity: CacheIdentity(account: account, newLineage: { Lineage("lineage-1") }))
  }

  /// An item with the sequence `number` for its content.
  private func item(_ number: Int) -> UserNotification {
    let time = start.advanced(by: .seconds(number))
    let sequence = SequenceNumber(Int64(number))
    return UserNotification(
      id: .version7(at: time, random: (UInt64(number), UInt64(number))),
      shortNumber: Int64(number), created: time, arrival: time,
      content: Content(app: "ci", visual: VisualContent(title: "item \(number)")),
      state: ItemState(sequence: sequence, contentSequence: sequence, changed: time))
  }

  /// A cache with `count` items in the tray, every third from the app `nas`.
  private func cache(
    _ count: Int, change: (inout UserNotification, Int) -> Void = { _, _ in }
  ) throws -> MemoryCache {
    let cache = MemoryCache(
      identity: CacheIdentity(account: account, newLineage: { Lineage("lineage-1") }))
    var changes: [Change] = []
    for index in 0..<count {
      let time = start.advanced(by: .seconds(index))
      let sequence = SequenceNumber(Int64(index) + 1)
      var item = UserNotification(
        id: .version7(at: time, random: (UInt64(index), UInt64(index))),
        shortNumber: Int64(index) + 1, created: time, arrival: time,
        content: Content(
          app: index.isMultiple(of: 3) ? "nas" : "ci",
          visual: VisualContent(title: "item \(index)")),
        state: ItemState(sequence: sequence, contentSequence: sequence, changed: time))
      change(&item, index)
      changes.append(.item(item))
    }
    let generation = try cache.syncState().generation
    let end = SequenceNumber(Int64(count))
    for chunk in ChangeChunk.chunks(
      of: changes, request: .page(nil), generation: generation,
      end: .page(next: nil, start: DeltaToken("t"), startSequence: end))
    {
      _ = try cache.apply(chunk, now: start.advanced(by: .seconds(count)))
    }
    let delta = ChangeChunk(
      request: .delta(since: DeltaToken("t")), generation: generation, changes: [],
      end: .delta(DeltaToken("t1"), at: end, isCaughtUp: true))
    _ = try cache.apply(delta, now: start.advanced(by: .seconds(count)))
    return cache
  }

  private func order(_ query: ListQuery, through: Int64, ids: Int = 9) -> BulkOrder {
    BulkOrder(
      account: account, query: query, bound: ShownBound(through: SequenceNumber(through)),
      mutation: ItemCommand.dismiss.mutation,
      operations: (1...ids).map { OperationID(high: 7, low: UInt64($0)) }, sealAfter: nil)
  }

  private let ofNAS = ListQuery.narrowed(
    .tray, ListFilter(terms: [ListFilter.Term(.app([ListFilter.NamePattern("NAS")]))]))

  @Test("a few items are named, in one operation with the bound")
  func named() throws {
    let reader = BulkReader(cache: try cache(30))
    let operations = try reader.operations(of: order(ofNAS, through: 20))
    #expect(operations.count == 1)
    #expect(operations[0].notificationIDs.count == 7)
    #expect(operations[0].seen == SequenceNumber(19))
    let each = try #require(operations[0].seenEach)
    #expect(operations[0].notificationIDs.map { each[$0]?.rawValue } == [19, 16, 13, 10, 7, 4, 1])
  }

  @Test("many items are one operation with a predicate that covers no others")
  func matching() throws {
    let cache = try cache(3100)
    let reader = BulkReader(cache: cache)
    let extent = try reader.extent(ofNAS)
    #expect(extent.count == 1034)
    #expect(extent.unread == 1034)
    #expect(extent.bound == ShownBound(through: SequenceNumber(3100)))
    let operations = try reader.operations(of: order(ofNAS, through: 3100))
    #expect(operations.count == 1)
    guard case .matching(let predicate, SequenceNumber(3100)) = operations[0].target else {
      Issue.record("\(operations[0].target)")
      return
    }
    #expect(predicate.app == "nas")
    #expect(predicate.userActionState == .noInteraction)
    _ = try cache.enqueue(
      operations, now: start.advanced(by: .seconds(9999)), sealAfter: nil)
    while try cache.syncState().needsOverlay {
      _ = try cache.overlayBulk(
        limit: 100, now: start.advanced(by: .seconds(9999)))
    }
    #expect(try cache.totals().tray.count == 3100 - 1034)
  }

  @Test("a group is exactly its own items: named when few, a predicate when many")
  func group() throws {
    for count in [60, 6600] {
      let cache = try cache(count) { item, index in
        item.content.group = [nil, "main", "Main", "other"][index % 4]
      }
      let reader = BulkReader(cache: cache)
      let key = try #require(GroupKey(account: account, app: "ci", name: "main"))
      let known = try #require(TrayGroup(key))
      let group = try #require(try cache.trayGroup(known))
      #expect(try reader.extent(.group(key)).count == group.tray.count)
      let operations = try reader.operations(of: order(.group(key), through: Int64(count)))
      #expect(operations.count == 1)
      _ = try cache.enqueue(
        operations, now: start.advanced(by: .seconds(9999)), sealAfter: nil)
      while try cache.syncState().needsOverlay {
        _ = try cache.overlayBulk(
          limit: 1000, now: start.advanced(by: .seconds(9999)))
      }
      #expect(try cache.trayGroup(known) == nil)
      #expect(try cache.totals().tray.count == count - group.tray.count)
    }
  }

  @Test("where a predicate would also cover others, many items are named in parts")
  func parts() throws {
    let reader = BulkReader(
      cache: try cache(2200) { item, index in
        // Not handled yet, but without visual content it never enters a tray.
        if index == 1000 { item.content.visual = nil }
      })
    let operations = try reader.operations(of: order(.tray, through: 2200))
    #expect(operations.map(\.notificationIDs.count) == [1000, 1000, 199])
    #expect(Set(operations.map(\.id)).count == 3)
  }

  /// A cache in its first synchronisation, or in the middle of a delta, at counter 7.
  private func cacheWithGaps(isPaging: Bool) throws -> (cache: MemoryCache, next: ChangeChunk) {
    let cache = try isPaging ? cache() : cache(1)
    let state = try cache.syncState()
    let request =
      isPaging
      ? ChangeChunk.Request.page(nil) : .delta(since: try #require(state.token))
    let end =
      isPaging
      ? ChangeChunk.End.page(
        next: PageCursor("p2"), start: DeltaToken("t"), startSequence: SequenceNumber(7))
      : .delta(DeltaToken("t2"), at: SequenceNumber(6), isCaughtUp: false)
    let shown = [5, 6].map { Change.item(item($0)) }
    _ = try cache.apply(
      ChangeChunk(
        request: request, generation: state.generation, changes: shown, end: end,
        readAt: SequenceNumber(7)), now: start)
    let next = ChangeChunk(
      request: isPaging ? .page(PageCursor("p2")) : .delta(since: DeltaToken("t2")),
      generation: state.generation, changes: [.item(item(isPaging ? 4 : 7))], end: nil)
    return (cache, next)
  }

  @Test(
    "while rows are missing, only the items that were counted are changed",
    arguments: [true, false])
  func gaps(isPaging: Bool) throws {
    let (cache, next) = try cacheWithGaps(isPaging: isPaging)
    let reader = BulkReader(cache: cache)
    let extent = try reader.extent(.tray)
    let here = try cache.rows(of: .tray, .first, limit: 9).map(\.id)
    #expect(extent.count == here.count)
    // Content that is no newer than the newest, and arrives while the user decides.
    _ = try cache.apply(next, now: start)
    #expect(try reader.extent(.tray).count == here.count + 1)
    let order = BulkOrder(
      account: account, query: .tray, bound: extent.bound, mutation: ItemCommand.dismiss.mutation,
      operations: [OperationID(high: 7, low: 1)])
    let operations = try reader.operations(of: order)
    #expect(operations.map(\.notificationIDs) == [here])
  }

  @Test("a tray is counted by its counters, and a filter by checking rows")
  func extents() throws {
    let reader = BulkReader(cache: try cache(100))
    #expect(try reader.extent(.tray).count == 100)
    #expect(try reader.extent(ofNAS).count == 34)
    #expect(try reader.extent(.narrowed(.tray, ListFilter(words: "item"))).count >= 0)
  }
}
