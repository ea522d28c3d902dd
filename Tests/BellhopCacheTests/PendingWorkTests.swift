import BellhopModel
import Testing

@testable import BellhopCache

/// One query of the outbox and of items whose placement changes next.
@Suite("The pending work of a cache")
struct PendingWorkTests {
  private func at(_ seconds: Int64) -> Timestamp {
    CacheFixture.start.advanced(by: .seconds(seconds))
  }

  @Test(
    "while nothing is due it equals sealing, moving due items and counting together",
    arguments: CacheKind.allCases)
  func nothingDue(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let storage = cache.storage
    try cache.pull([
      .item(makeItem(1, arrival: at(0)) { $0.content.expiration = at(90) }),
      .item(makeItem(2, arrival: at(0))),
    ])
    _ = try storage.enqueue([makeOperation(1, .dismiss, on: 1)], now: at(1), sealAfter: nil)
    _ = try storage.enqueue([makeOperation(2, .delete, on: 2)], now: at(1), sealAfter: .seconds(5))
    let pendingWork = try #require(try storage.pendingWork(now: at(2)))
    #expect(
      pendingWork
        == PendingWork(
          nextSeal: at(6), nextDue: at(90),
          outbox: OutboxCounts(held: 1, waiting: 1, settling: 0), needsSweep: false))
    #expect(try storage.seal(.due, now: at(2)) == pendingWork.nextSeal)
    #expect(try storage.moveDueItems(now: at(2), limit: 10).nextDue == pendingWork.nextDue)
    #expect(try storage.outboxCounts() == pendingWork.outbox)
  }

  @Test(
    "it is empty while a held operation or an item is due, or the clock was set back",
    arguments: CacheKind.allCases)
  func due(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let storage = cache.storage
    try cache.pull([
      .item(makeItem(1, arrival: at(0)) { $0.content.expiration = at(90) }),
      .item(makeItem(2, arrival: at(0))),
    ])
    _ = try storage.enqueue([makeOperation(1, .delete, on: 2)], now: at(1), sealAfter: .seconds(5))
    #expect(try storage.pendingWork(now: at(6)) == nil, "the delete is due")
    _ = try storage.seal(.due, now: at(6))
    #expect(try storage.pendingWork(now: at(6)) != nil)
    #expect(try storage.pendingWork(now: at(90)) == nil, "the item expires")
    _ = try storage.moveDueItems(now: at(90), limit: 10)
    #expect(try storage.pendingWork(now: at(90)) != nil)
    #expect(try storage.pendingWork(now: at(60)) == nil, "the clock was set back")
    _ = try storage.moveDueItems(now: at(60), limit: 10)
    #expect(try storage.pendingWork(now: at(60))?.needsSweep == true)
  }
}
