import BellhopCache
import BellhopModel
import Testing

/// Rings of items into which repeats collapse (SYNC-16).
@Suite("Rings of repeats")
struct RepeatRingTests {
  /// An alert that came `count` times in one round, with one sequence each.
  ///
  /// - Parameters:
  ///   - sequence: The sequence of the first; later content has those after it.
  ///   - minutes: The arrival after the start.
  private func alert(
    _ count: Int64, from sequence: Int64 = 1, minutes: Int64 = 0,
    change: (inout UserNotification) -> Void = { _ in }
  ) -> UserNotification {
    let arrival = CacheFixture.start.advanced(by: .seconds(60 * minutes))
    return makeItem(1, sequence: sequence + count - 1, arrival: arrival) { item in
      if count > 1 { item.state.meaning = SequenceNumber(sequence) }
      item.repeats = (1..<count).reduce(Repeats(firstAt: arrival)) { repeats, _ in
        repeats.repeated(at: arrival)
      }
      change(&item)
    }
  }

  /// Returns the counts whose repeats are announced, each pulled after the one before it.
  private func rings(
    _ counts: ClosedRange<Int64>, _ cache: CacheFixture,
    _ alert: (Int64) -> UserNotification
  ) throws -> [Int64] {
    try counts.filter { count in
      try cache.pull([.item(alert(count))])
      return try !cache.storage.claimTrayAnnouncements(limit: 5).isEmpty
    }
  }

  @Test(
    "a repeat rings at 10 and 100 only, once for several screens", arguments: CacheKind.allCases)
  func thresholds(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let other = try cache.opened(by: OutboxOwner("other"))
    let rung = try rings(1...120, cache) { alert($0) }
    #expect(rung == [1, 10, 100])
    #expect(try other.claimTrayAnnouncements(limit: 5) == [])
    // Several repeats in one pull, and several thresholds.
    try cache.pull([.item(alert(5000))])
    #expect(try other.claimTrayAnnouncements(limit: 5).map(\.step) == [3])
    #expect(try cache.storage.claimTrayAnnouncements(limit: 5) == [])
  }

  @Test("the counts that the user chooses ring, or none", arguments: CacheKind.allCases)
  func chosen(kind: CacheKind) throws {
    for thresholds in [[3, 5], []] {
      let cache = try CacheFixture(kind, repeatRings: try #require(RepeatRings(thresholds)))
      let rung = try rings(1...12, cache) { alert($0) }
      #expect(rung == [1] + thresholds.map { Int64($0) })
    }
  }

  @Test(
    "a new round rings at once and begins its thresholds again", arguments: CacheKind.allCases)
  func rounds(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    #expect(try rings(1...12, cache) { alert($0) } == [1, 10])
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 1, seen: 12)], now: CacheFixture.start,
      sealAfter: .seconds(5))
    _ = try cache.storage.cancel(operationID(1), now: CacheFixture.start)
    #expect(try cache.storage.claimTrayAnnouncements(limit: 5) == [], "nothing new came")
    #expect(try rings(1...12, cache) { alert($0, from: 13, minutes: 60) } == [1, 10])
  }

  @Test("a first synchronisation rings for none", arguments: CacheKind.allCases)
  func firstSync(kind: CacheKind) throws {
    let cache = try CacheFixture(kind, isSynced: false)
    try cache.endFirstSync([alert(150)])
    #expect(try rings(151...160, cache) { alert($0) } == [])
    try cache.pull([.item(alert(1000))])
    #expect(try cache.storage.claimTrayAnnouncements(limit: 5).map(\.step) == [3])
  }

  @Test(
    "a repeat before the announcement of what arrived does not silence it",
    arguments: CacheKind.allCases)
  func repeatBeforeClaim(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let first = try cache.pull([.item(alert(1))]).arrivals
    #expect(try cache.pull([.item(alert(2))]).arrivals.isEmpty)
    #expect(try cache.storage.claimAnnouncements(first).map(\.id) == [itemID(1)])
    let tenth = try cache.pull([.item(alert(10))]).arrivals
    #expect(tenth.map(\.step) == [1])
    #expect(try cache.pull([.item(alert(11))]).arrivals.map(\.step) == [1], "not announced yet")
    #expect(try cache.storage.claimAnnouncements(first) == [], "a threshold was reached since")
    #expect(try cache.storage.claimAnnouncements(tenth).map(\.contentSequence.rawValue) == [11])
    #expect(try cache.storage.claimAnnouncements(tenth) == [])
    #expect(try cache.pull([.item(alert(12))]).arrivals.isEmpty)
  }

  @Test(
    "a threshold that is reached in silence is not announced later", arguments: CacheKind.allCases)
  func silence(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    #expect(try rings(1...9, cache) { alert($0) } == [1])
    var effect = AppliedEffect()
    effect.isSilent = true
    let silent = alert(10) { item in
      item.state.applied = item.state.applied.setting(
        effect, change: makeRuleChange(at: CacheFixture.start))
    }
    #expect(try cache.pull([.item(silent)]).arrivals.isEmpty)
    #expect(try rings(11...20, cache) { alert($0) } == [])
  }

  @Test("a quiet update of repeats does not ring again", arguments: CacheKind.allCases)
  func quietUpdate(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    #expect(try rings(1...12, cache) { alert($0) } == [1, 10])
    let update = alert(12, from: 2) { item in
      item.state.meaning = nil
      item.content.visual?.title = "acknowledged"
    }
    #expect(try cache.pull([.item(update)]).arrivals.isEmpty)
    #expect(try cache.storage.claimTrayAnnouncements(limit: 5) == [])
    let row = try #require(try cache.reader.row(itemID(1)))
    #expect(row.title == "acknowledged")
    #expect(row.repeatCount == 12)
  }
}
