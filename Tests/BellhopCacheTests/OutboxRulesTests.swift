import BellhopCache
import BellhopModel
import Testing

@Suite("The outbox loses no intent")
struct OutboxRulesTests {
  private let now = CacheFixture.start

  @Test("a change shows at once and stays until base contains it", arguments: CacheKind.allCases)
  func overlay(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let item = makeItem(1)
    try cache.pull([.item(item)])
    try cache.storage.setAuthor(Author(kind: .device, id: "me", name: "desktop"))
    let changed = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 1)], now: now, sealAfter: nil)
    #expect(changed == [item.id])
    let row = try #require(try cache.reader.rows(of: .handled, .first, limit: 5).first)
    #expect(row.isPending)
    #expect(row.registers.userActionState.change?.by.name == "desktop")
    #expect(try cache.reader.item(item.id)?.base.userActionState.value == .noInteraction)
    #expect(try cache.storage.sealedBatch(limit: 5).operations.map(\.number) == [1])

    let answer = OperationAnswer(id: operationID(1), result: .applied)
    let acknowledged = try cache.storage.acknowledge(
      [answer], sequence: SequenceNumber(2), now: now)
    #expect(acknowledged.finished == [])
    #expect(try cache.storage.sealedBatch(limit: 5).operations.isEmpty)
    #expect(try cache.storage.outboxCounts() == OutboxCounts(held: 0, waiting: 0, settling: 1))
    #expect(try cache.titles(.tray) == [], "base has not reached it, and nothing flickers")

    var state = item.state
    state.sequence = SequenceNumber(2)
    state.userActionState.value = .dismissed
    #expect(try cache.pull([.state(item.id, state)]).finished == [operationID(1)])
    #expect(try cache.reader.row(item.id)?.isPending == false)
    #expect(try cache.titles(.handled) == ["item 1"])
  }

  @Test(
    "an acknowledged change stays shown while a delta has not reached its row",
    arguments: CacheKind.allCases)
  func middleOfDelta(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let items = [makeItem(1), makeItem(2)]
    try cache.pull(items.map { .item($0) })
    let before = try cache.storage.syncState()
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 1)], now: now, sealAfter: nil)
    _ = try cache.storage.acknowledge(
      [OperationAnswer(id: operationID(1), result: .applied)], sequence: SequenceNumber(9),
      now: now)
    // Another device has changed the first item since, so its row comes with the last page.
    var second = items[1].state
    second.sequence = SequenceNumber(10)
    let page = ChangeChunk(
      request: .delta(since: try #require(before.token)), generation: before.generation,
      changes: [.state(items[1].id, second)],
      end: .delta(DeltaToken("middle"), at: SequenceNumber(10), isCaughtUp: false))
    #expect(try cache.storage.apply(page, now: now).finished == [])
    #expect(try cache.titles(.tray) == ["item 2"])
    #expect(try cache.storage.syncState().token == DeltaToken("middle"))
    #expect(try cache.storage.syncState().sequence == before.sequence)
    #expect(try cache.storage.outboxCounts().settling == 1)

    var first = items[0].state
    first.sequence = SequenceNumber(12)
    first.userActionState.value = .dismissed
    first.readState.value = .read
    #expect(try cache.pull([.state(items[0].id, first)]).finished == [operationID(1)])
    #expect(try cache.titles(.tray) == ["item 2"])
    #expect(try cache.storage.syncState().sequence == SequenceNumber(12))
  }

  @Test(
    "an acknowledged change does not hide later changes by others", arguments: CacheKind.allCases)
  func laterChange(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let item = makeItem(1)
    try cache.pull([.item(item)])
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 1)], now: now, sealAfter: nil)
    _ = try cache.storage.acknowledge(
      [OperationAnswer(id: operationID(1), result: .applied)], sequence: SequenceNumber(2),
      now: now)
    // Another device restored it; the row comes before the token of its pull.
    var state = item.state
    state.sequence = SequenceNumber(3)
    _ = try cache.storage.apply(
      ChangeChunk(
        request: .delta(since: try #require(try cache.storage.syncState().token)),
        generation: 1, changes: [.state(item.id, state)], end: nil), now: now)
    #expect(try cache.titles(.tray) == ["item 1"])
  }

  @Test("content that the user has not seen is never handled", arguments: CacheKind.allCases)
  func seenGuard(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1, "build ok"))])
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 1, seen: 1)], now: now, sealAfter: nil)
    #expect(try cache.titles(.tray) == [])
    try cache.pull([.item(makeItem(1, "disk full", sequence: 2))])
    #expect(try cache.titles(.tray) == ["disk full"])
    let outcome = try cache.storage.acknowledge(
      [OperationAnswer(id: operationID(1), result: .superseded)],
      sequence: SequenceNumber(2), now: now)
    #expect(outcome.rejected.map(\.result) == [.superseded])
    #expect(try cache.reader.row(itemID(1))?.isPending == false)
    #expect(try cache.storage.outboxCounts().unsent == 0)
  }

  @Test("a rejected change is reverted and reported", arguments: CacheKind.allCases)
  func refusal(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    let until = now.advanced(by: .seconds(3600))
    _ = try cache.storage.enqueue(
      [makeOperation(1, .snooze(until: until), on: 1)], now: now, sealAfter: nil)
    #expect(try cache.titles(.later) == ["item 1"])
    let outcome = try cache.storage.acknowledge(
      [OperationAnswer(id: operationID(1), result: .refused(latest: now))],
      sequence: SequenceNumber(1), now: now)
    #expect(outcome.rejected.map(\.operation.id) == [operationID(1)])
    #expect(try cache.titles(.tray) == ["item 1"])
  }

  @Test(
    "a held delete of several items is sealed when its grace period ends",
    arguments: CacheKind.allCases)
  func heldDeleteOfSeveral(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let items = [makeItem(1), makeItem(2)]
    try cache.pull(items.map { .item($0) })
    let operation = BellhopModel.Operation(
      id: operationID(1),
      onShown: items.map { ($0.id, ShownVersion(content: $0.state.contentSequence)) },
      mutation: .delete)
    _ = try cache.storage.enqueue([operation], now: now, sealAfter: .seconds(5))
    #expect(try cache.storage.sealedBatch(limit: 9).operations.isEmpty)
    #expect(try cache.storage.seal(.due, now: now.advanced(by: .seconds(5))) == nil)
    #expect(
      try cache.storage.sealedBatch(limit: 9).operations
        == [NumberedOperation(number: 1, operation: operation)])
    #expect(try cache.titles(.history) == [])
  }

  @Test("a delete can be undone until it is sealed", arguments: CacheKind.allCases)
  func deleteGrace(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    _ = try cache.storage.enqueue(
      [makeOperation(1, .delete, on: 1)], now: now, sealAfter: .seconds(5))
    _ = try cache.storage.enqueue(
      [makeOperation(2, .delete, on: 2)], now: now.advanced(by: .seconds(2)),
      sealAfter: .seconds(5))
    _ = try cache.storage.enqueue(
      [makeOperation(3, .read, on: 2)], now: now.advanced(by: .seconds(2)), sealAfter: nil)
    #expect(try cache.titles(.history) == [])
    #expect(try cache.reader.totals().count(of: .history) == ItemCount())
    #expect(try cache.reader.item(itemID(1))?.isPendingDelete == true)
    #expect(try cache.storage.seal(.due, now: now) == now.advanced(by: .seconds(5)))
    #expect(
      try cache.storage.seal(.none, now: now.advanced(by: .seconds(9)))
        == now.advanced(by: .seconds(5)))
    #expect(try cache.storage.cancel(operationID(1), now: now) == [itemID(1)])
    #expect(try cache.titles(.tray) == ["item 1"])
    #expect(try cache.storage.seal(.due, now: now.advanced(by: .seconds(7))) == nil)
    #expect(try cache.storage.cancel(operationID(2), now: now) == nil, "it is sealed")
    let batch = try cache.storage.sealedBatch(limit: 9)
    #expect(batch.operations.map(\.operation.id) == [operationID(3), operationID(2)])
    #expect(batch.operations.map(\.number) == [1, 2])
  }

  @Test(
    "a process that quits seals its own deletes, and leaves others their grace period",
    arguments: CacheKind.allCases)
  func owners(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    let (first, second) = (
      try cache.opened(by: OutboxOwner("first")), try cache.opened(by: OutboxOwner("second"))
    )
    _ = try first.enqueue([makeOperation(1, .delete, on: 1)], now: now, sealAfter: .seconds(5))
    _ = try second.enqueue([makeOperation(2, .delete, on: 2)], now: now, sealAfter: .seconds(5))
    #expect(try second.seal(.own, now: now) == now.advanced(by: .seconds(5)))
    #expect(try first.sealedBatch(limit: 9).operations.map(\.operation.id) == [operationID(2)])
    #expect(try second.cancel(operationID(2), now: now) == nil, "it is sealed")
    #expect(try first.cancel(operationID(1), now: now) == [itemID(1)])

    _ = try first.enqueue([makeOperation(3, .delete, on: 1)], now: now, sealAfter: .seconds(5))
    // The first process is killed. The next one to start seals the delete when it is due.
    let third = try cache.opened(by: OutboxOwner("third"))
    #expect(try third.seal(.own, now: now) == now.advanced(by: .seconds(5)))
    #expect(try third.seal(.due, now: now.advanced(by: .seconds(5))) == nil)
    #expect(try third.sealedBatch(limit: 9).operations.map(\.number) == [1, 2])
  }

  @Test("renumbering includes what must be sent again", arguments: CacheKind.allCases)
  func renumbering(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2)), .item(makeItem(3))])
    _ = try cache.storage.enqueue(
      (1...3).map { makeOperation($0, .dismiss, on: $0) }, now: now, sealAfter: nil)
    _ = try cache.storage.enqueue(
      [makeOperation(4, .delete, on: 3)], now: now, sealAfter: .seconds(5))
    _ = try cache.storage.acknowledge(
      [OperationAnswer(id: operationID(1), result: .applied)], sequence: SequenceNumber(9),
      now: now)
    try cache.storage.renumber(.unanswered, lineage: Lineage("second"), from: 1)
    var batch = try cache.storage.sealedBatch(limit: 9)
    #expect(batch.lineage == Lineage("second"))
    #expect(batch.operations.map(\.number) == [1, 2])
    #expect(batch.operations.map(\.operation.id) == [operationID(2), operationID(3)])
    try cache.storage.renumber(.everything, lineage: Lineage("third"), from: 1)
    batch = try cache.storage.sealedBatch(limit: 9)
    #expect(batch.operations.map(\.operation.id) == [1, 2, 3].map(operationID))
    #expect(try cache.storage.seal(.all, now: now) == nil)
    #expect(try cache.storage.sealedBatch(limit: 9).operations.last?.number == 4)
    try cache.storage.renumber(.unanswered, lineage: Lineage("third"), from: 7)
    #expect(try cache.storage.sealedBatch(limit: 9).operations.map(\.number) == [7, 8, 9, 10])
  }

  @Test("an operation on a deleted item is reported, not forgotten", arguments: CacheKind.allCases)
  func removedItem(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    _ = try cache.storage.enqueue(
      [makeOperation(1, .pin, on: 1), makeOperation(2, .delete, on: 2)], now: now,
      sealAfter: .seconds(5))
    _ = try cache.storage.enqueue(
      [makeOperation(3, .read, on: 1)], now: now, sealAfter: nil)
    let outcome = try cache.pull([
      .removed(itemID(1), sequence: SequenceNumber(3)),
      .removed(itemID(2), sequence: SequenceNumber(4)),
    ])
    #expect(outcome.lost.map(\.operation.id) == [operationID(1)])
    #expect(
      try cache.storage.sealedBatch(limit: 9).operations.map(\.operation.id)
        == [operationID(3)], "its number is due to the store, which answers gone")
  }

  @Test("an operation that is enqueued twice is one", arguments: CacheKind.allCases)
  func doubled(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    for _ in 0..<2 {
      _ = try cache.storage.enqueue(
        [makeOperation(1, .read, on: 1)], now: now, sealAfter: nil)
    }
    #expect(try cache.storage.sealedBatch(limit: 9).operations.count == 1)
  }

  @Test("a power loss reverts pulled rows with their token, never an intent")
  func powerLoss() throws {
    let cache = MemoryCache(identity: CacheFixture.identity())
    let page = ChangeChunk(
      request: .page(nil), generation: 1, changes: [.item(makeItem(1))],
      end: .page(next: nil, start: DeltaToken("t1"), startSequence: SequenceNumber(1)))
    _ = try cache.apply(page, now: now)
    _ = try cache.enqueue([makeOperation(1, .read, on: 1)], now: now, sealAfter: nil)
    _ = try cache.apply(
      ChangeChunk(
        request: .delta(since: DeltaToken("t1")), generation: 1,
        changes: [.item(makeItem(2))],
        end: .delta(DeltaToken("t2"), at: SequenceNumber(2), isCaughtUp: true)), now: now)
    cache.loseUnsynced()
    #expect(try cache.syncState().token == DeltaToken("t1"))
    #expect(try cache.rows(of: .tray, .first, limit: 9).map(\.title) == ["item 1"])
    #expect(try cache.sealedBatch(limit: 9).operations.count == 1)
    cache.failWrite(after: 0, keeping: false, .io(path: "memory", detail: "killed"))
    #expect(throws: CacheError.self) { try cache.apply(page, now: now) }
    #expect(try cache.syncState().token == DeltaToken("t1"))
  }

  @Test("an intent that is synced later shows at once, and survives a power loss from then on")
  func laterSync() throws {
    let cache = MemoryCache(identity: CacheFixture.identity())
    let page = ChangeChunk(
      request: .page(nil), generation: 1, changes: [.item(makeItem(1)), .item(makeItem(2))],
      end: .page(next: nil, start: DeltaToken("t1"), startSequence: SequenceNumber(2)))
    _ = try cache.apply(page, now: now)
    try cache.syncToDisk()
    _ = try cache.enqueue(
      [makeOperation(1, .read, on: 1)], now: now, sealAfter: nil, durability: .later)
    #expect(try cache.sealedBatch(limit: 9).operations.count == 1)
    cache.loseUnsynced()
    #expect(try cache.sealedBatch(limit: 9).operations.isEmpty)
    #expect(try cache.syncState().token == DeltaToken("t1"))

    _ = try cache.enqueue(
      [makeOperation(2, .read, on: 2)], now: now, sealAfter: nil, durability: .later)
    try cache.syncToDisk()
    cache.loseUnsynced()
    #expect(try cache.sealedBatch(limit: 9).operations.map(\.number) == [1])
  }
}
