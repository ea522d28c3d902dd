import BellhopCache
import BellhopModel
import Testing

/// SYNC-11 when a user sets this machine's clock: placements follow the store's time.
@Suite struct ClockSetBackTests {
  @Test("a clock that is set back undoes moves that came too early", arguments: CacheKind.allCases)
  func clockSetBack(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let start = CacheFixture.start
    func at(_ minutes: Int64) -> Timestamp { start.advanced(by: .seconds(minutes * 60)) }
    try cache.pull([
      .item(makeItem(1, arrival: start) { $0.content.expiration = at(30) }),
      .item(makeItem(2, arrival: start) { $0.content.displayTimeToLive = .seconds(1200) }),
      .item(makeItem(3, arrival: at(10)) { $0.content.deliverAt = at(10) }),
      .item(makeItem(4, arrival: start)),
    ])
    // The clock is a year ahead, and everything falls due.
    let wrong = at(525_600)
    #expect(try !cache.storage.moveDueItems(now: wrong, limit: 10).needsSweep)
    #expect(try cache.titles(.tray) == ["item 3", "item 4"])
    // The store's next answer corrects it.
    #expect(try cache.storage.moveDueItems(now: at(1), limit: 10).needsSweep)
    #expect(try cache.storage.syncState().needsSweep)
    let first = try cache.storage.sweepOldGenerations(limit: 2, now: at(1))
    #expect(!first.isFinished)
    let rest = try cache.storage.sweepOldGenerations(limit: 10, now: at(1))
    #expect(rest.isFinished)
    #expect(first.removed + rest.removed == [])
    #expect(Set(first.moved + rest.moved) == [itemID(1), itemID(2), itemID(3)])
    #expect(Set(try cache.titles(.tray)) == ["item 1", "item 2", "item 4"])
    #expect(try cache.titles(.later) == ["item 3"])
    #expect(try cache.reader.nextDue() == at(10))
    #expect(try !cache.storage.moveDueItems(now: at(1), limit: 10).needsSweep, "once is enough")
  }

  @Test(
    "a clock that goes wrong during a sweep and is corrected again is noticed",
    arguments: CacheKind.allCases)
  func setBackTwice(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let start = CacheFixture.start
    func at(_ minutes: Int64) -> Timestamp { start.advanced(by: .seconds(minutes * 60)) }
    try cache.pull([.item(makeItem(1, arrival: at(10)) { $0.content.deliverAt = at(10) })])
    _ = try cache.storage.moveDueItems(now: at(20), limit: 10)
    #expect(try cache.titles(.tray) == ["item 1"])
    #expect(try cache.storage.moveDueItems(now: at(1), limit: 10).needsSweep)
    // An answer that was delayed carries an earlier time.
    #expect(try cache.storage.sweepOldGenerations(limit: 10, now: at(2)).isFinished)
    #expect(try cache.titles(.tray) == [])
    _ = try cache.storage.moveDueItems(now: at(20), limit: 10)
    #expect(try cache.storage.moveDueItems(now: at(1), limit: 10).needsSweep)
    #expect(try cache.storage.sweepOldGenerations(limit: 10, now: at(20)).isFinished)
    #expect(try cache.storage.moveDueItems(now: at(2), limit: 10).needsSweep)
    #expect(try cache.storage.sweepOldGenerations(limit: 10, now: at(2)).isFinished)
    #expect(try cache.titles(.later) == ["item 1"])
    #expect(try cache.titles(.tray) == [])
  }

  @Test("a small clock correction hardly moves what a screen shows")
  func smallCorrections() throws {
    let cache = try CacheFixture(.sqlite)
    let start = CacheFixture.start
    try cache.pull([.item(makeItem(1, arrival: start))])
    let before = start.advanced(by: .milliseconds(-700))
    #expect(try !cache.storage.moveDueItems(now: before, limit: 10).needsSweep)
  }
}
