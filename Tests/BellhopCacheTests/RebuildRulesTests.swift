import BellhopCache
import BellhopModel
import Testing

/// Rules of rebuilds that the simulation found.
@Suite struct RebuildRulesTests {
  private let now = CacheFixture.start

  @Test(
    "an operation answered during a rebuild stays shown until base has it",
    arguments: CacheKind.allCases)
  func answeredWhileRebuilding(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    let state = try cache.storage.beginRebuild(epoch: nil)
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 1)], now: now, sealAfter: nil)
    _ = try cache.storage.apply(
      ChangeChunk(
        request: .page(nil), generation: state.generation, changes: [.item(makeItem(2))],
        end: .page(
          next: PageCursor("p2"), start: DeltaToken("t2"), startSequence: SequenceNumber(2))),
      now: now)
    let answer = OperationAnswer(id: operationID(1), result: .applied)
    _ = try cache.storage.acknowledge([answer], sequence: SequenceNumber(3), now: now)
    // The delta reports the change of the item, which this generation does not have yet.
    var itemState = makeItem(1).state
    itemState.sequence = SequenceNumber(3)
    itemState.userActionState.value = .dismissed
    try cache.pull([.state(itemID(1), itemState)])
    #expect(try cache.titles(.tray) == ["item 2"], "nothing flashes back")
    #expect(try cache.storage.outboxCounts().settling == 1)
    var item = makeItem(1)
    item.state = itemState
    try cache.endFirstSync([item])
    try cache.pull([], at: 3)
    #expect(try cache.storage.outboxCounts() == OutboxCounts(held: 0, waiting: 0, settling: 0))
    #expect(try cache.titles(.tray) == ["item 2"])
  }

  @Test(
    "a clock set back during a rebuild removes nothing that is still to come",
    arguments: CacheKind.allCases)
  func sweepWhilePaging(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    _ = try cache.storage.claimTrayAnnouncements(limit: 10)
    _ = try cache.storage.beginRebuild(epoch: nil)
    let earlier = now.advanced(by: .seconds(-3600))
    #expect(try cache.storage.moveDueItems(now: earlier, limit: 10).needsSweep)
    #expect(try cache.storage.sweepOldGenerations(limit: 10, now: earlier).removed == [])
    #expect(try cache.titles(.tray) == ["item 2", "item 1"])
    try cache.endFirstSync([makeItem(1), makeItem(2)])
    #expect(try cache.storage.claimTrayAnnouncements(limit: 10) == [], "and nothing rings again")
  }
}
