import BellhopCache
import BellhopModel
import FoundationEssentials
import Testing

/// Follows the changes of a cache as an external program would.
private struct Follower {
  let log: any ChangeReading
  var position: ChangePosition
  /// The changes received, as `title` or `-number`.
  var told: [String] = []
  var mirror: [NotificationID: CachedItem] = [:]

  init(_ fixture: CacheFixture, at start: ChangeStart) throws {
    log = try #require(fixture.reader as? any ChangeReading)
    position = try log.changePosition(at: start)
  }

  mutating func read(_ limit: Int = 100) throws {
    var hasMore = true
    while hasMore {
      guard
        case .batch(let batch) = try log.changes(
          after: position, limit: limit, where: { _ in true })
      else { throw StartedOver() }
      #expect(batch.changes.count <= limit)
      for change in batch.changes { take(change) }
      (position, hasMore) = (batch.position, batch.hasMore)
    }
  }

  private mutating func take(_ change: CachedChange) {
    switch change {
    case .item(let item):
      told.append(item.notification.content.visual?.title ?? "")
      mirror[item.id] = item
    case .removed(let item):
      told.append("-\(item.shortNumber)")
      mirror[item.id] = nil
    }
  }

  /// Reads the changes since the last call.
  mutating func news() throws -> [String] {
    told = []
    try read()
    return told
  }
}

private struct StartedOver: Error {}

@Suite("The change log")
struct ChangeLogTests {
  @Test(
    "changes come in order, each item once, in its current state", arguments: CacheKind.allCases)
  func order(_ kind: CacheKind) throws {
    let fixture = try CacheFixture(kind)
    var follower = try Follower(fixture, at: .end)
    try fixture.pull([.item(makeItem(2, "b")), .item(makeItem(1, "a", sequence: 3))])
    #expect(try follower.news() == ["b", "a"])
    try fixture.pull([.item(makeItem(3, "c", sequence: 4)), .item(makeItem(1, "a2", sequence: 5))])
    try fixture.pull([.item(makeItem(3, "c2", sequence: 6))])
    #expect(try follower.news() == ["a2", "c2"])
    #expect(try follower.news() == [])
  }

  @Test("a reader from the beginning gets every item that is kept, and later changes once")
  func beginning() throws {
    for kind in CacheKind.allCases {
      let fixture = try CacheFixture(kind)
      try fixture.pull((1...9).map { .item(makeItem($0)) })
      var follower = try Follower(fixture, at: .beginning)
      let first = try follower.log.changes(after: follower.position, limit: 3) { _ in true }
      guard case .batch(let batch) = first else { throw StartedOver() }
      #expect(batch.changes.count == 3)
      follower.position = batch.position
      try fixture.pull([
        .item(makeItem(5, "five", sequence: 20)), .removed(itemID(2), sequence: SequenceNumber(21)),
        .removed(itemID(7), sequence: SequenceNumber(22)),
      ])
      #expect(
        try follower.news() == ["item 4", "item 6", "item 8", "item 9", "five", "-2", "-7"])
    }
  }

  @Test("only a change that the user would see is logged", arguments: CacheKind.allCases)
  func visible(_ kind: CacheKind) throws {
    let fixture = try CacheFixture(kind)
    try fixture.pull([.item(makeItem(1, "a"))])
    var follower = try Follower(fixture, at: .end)
    #expect(try fixture.storage.claimTrayAnnouncements(limit: 9).count == 1)
    #expect(try follower.news() == [])

    _ = try fixture.storage.enqueue(
      [makeOperation(1, .dismiss, on: 1)], now: CacheFixture.start, sealAfter: nil)
    #expect(try follower.news() == ["a"])
    let answer = OperationAnswer(id: operationID(1), result: .applied)
    _ = try fixture.storage.acknowledge(
      [answer], sequence: SequenceNumber(5), now: CacheFixture.start)
    let change = RegisterChange(
      at: CacheFixture.start, by: Author(kind: .device, id: "d", name: "d"),
      operation: operationID(1))
    var item = makeItem(1, "a", sequence: 5, contentSequence: 1)
    item.state.userActionState = item.state.userActionState.setting(.dismissed, change: change)
    try fixture.pull([.state(item.id, item.state)])
    #expect(try follower.news() == [])
    #expect(try fixture.storage.outboxCounts().unsent == 0)

    // The end of a snooze is a change, and so is a pending delete.
    item.state.sequence = SequenceNumber(6)
    let end = CacheFixture.start.advanced(by: .seconds(600))
    item.state.userActionState = item.state.userActionState.setting(
      .snoozed(until: end), change: change)
    try fixture.pull([.state(item.id, item.state)])
    #expect(try follower.news() == ["a"])
    _ = try fixture.storage.moveDueItems(now: end, limit: 9)
    #expect(try follower.news() == ["a"])
    #expect(follower.mirror[item.id]?.placement == .tray)
    _ = try fixture.storage.enqueue(
      [makeOperation(2, .delete, on: 1)], now: end, sealAfter: .seconds(5))
    #expect(try follower.news() == ["a"])
    #expect(follower.mirror[item.id]?.isPendingDelete == true)
    try fixture.pull([.removed(item.id, sequence: SequenceNumber(9))])
    #expect(try follower.news() == ["-1"])
  }

  @Test("a position survives being stored, and a rebuild reports only differences")
  func rebuild() throws {
    for kind in CacheKind.allCases {
      let fixture = try CacheFixture(kind)
      try fixture.pull((1...4).map { .item(makeItem($0)) })
      var follower = try Follower(fixture, at: .end)
      let json = try JSONEncoder().encode(follower.position)
      follower.position = try JSONDecoder().decode(ChangePosition.self, from: json)
      _ = try fixture.storage.beginRebuild(epoch: Epoch("another"))
      try fixture.endFirstSync([
        makeItem(1, sequence: 31), makeItem(2, "two", sequence: 32), makeItem(4, sequence: 33),
      ])
      while try !fixture.storage.sweepOldGenerations(limit: 9, now: CacheFixture.start).isFinished {
      }
      #expect(try follower.news() == ["two", "-3"])
    }
  }

  @Test(
    "the log does not keep what followed an old position for ever", arguments: CacheKind.allCases)
  func tooOld(_ kind: CacheKind) throws {
    let fixture = try CacheFixture(kind)
    let log = try #require(fixture.reader as? any ChangeReading)
    try fixture.pull([.item(makeItem(1))])
    let old = try log.changePosition(at: .end)
    try fixture.pull([.item(makeItem(2))])
    let later = CacheFixture.start.advanced(by: .seconds(31 * 86_400))
    try fixture.pull([.item(makeItem(3))], now: later)
    #expect(
      try log.changes(after: old, limit: 9) { _ in true } == .startOver(.tooOld))
    var follower = try Follower(fixture, at: .beginning)
    #expect(try follower.news() == ["item 1", "item 2", "item 3"])
  }

  @Test(
    "when the log is cut, readers before the cut start over and others miss nothing",
    arguments: CacheKind.allCases)
  func cut(_ kind: CacheKind) throws {
    let fixture = try CacheFixture(kind, loggedChangesMax: 64)
    try fixture.pull((1...4).map { .item(makeItem($0)) })
    var old = try Follower(fixture, at: .end)
    var following = old
    var near = old
    for step in 1...200 as ClosedRange<Int64> {
      let item = makeItem(1 + step % 4, "turn \(step)", sequence: 10 + step)
      try fixture.pull([.item(item)])
      #expect(try following.news() == ["turn \(step)"])
      if step == 40 {
        // The log is not full yet.
        var early = old
        #expect(try early.news() == ["turn 37", "turn 38", "turn 39", "turn 40"])
      }
      if step == 140 { near = following }
    }
    #expect(
      try old.log.changes(after: old.position, limit: 9) { _ in true } == .startOver(.tooOld))
    #expect(try near.news() == ["turn 197", "turn 198", "turn 199", "turn 200"])
    old.position = try old.log.changePosition(at: .beginning)
    #expect(try old.news().sorted() == ["turn 197", "turn 198", "turn 199", "turn 200"])
    #expect(old.mirror.count == 4)
  }

  @Test("the log keeps no more than readers are promised", arguments: CacheKind.allCases)
  func bound(_ kind: CacheKind) throws {
    let fixture = try CacheFixture(kind, loggedChangesMax: 64)
    try fixture.pull([.item(makeItem(1))])
    var positions: [ChangePosition] = []
    let log = try #require(fixture.reader as? any ChangeReading)
    for step in 1...200 as ClosedRange<Int64> {
      positions.append(try log.changePosition(at: .end))
      try fixture.pull([.item(makeItem(1, "turn \(step)", sequence: 10 + step))])
    }
    let isKept = try positions.map { position in
      if case .batch = try log.changes(after: position, limit: 9, where: { _ in true }) {
        true
      } else {
        false
      }
    }
    // The last 64, and a few more.
    #expect(isKept.suffix(64).allSatisfy { $0 })
    #expect(!isKept.prefix(200 - 64 - 8).contains(true))
    #expect(CacheFixture.identity().loggedChangesMax == 100_000)
  }

  @Test("positions of another account, of a new cache and of a lost end are recognised")
  func elsewhere() throws {
    let (memory, sqlite) = (try CacheFixture(.memory), try CacheFixture(.sqlite))
    for fixture in [memory, sqlite] { try fixture.pull([.item(makeItem(1))]) }
    let log = try #require(sqlite.reader as? any ChangeReading)
    let position = try log.changePosition(at: .end)
    let other = CacheIdentity(account: AccountName("bob")) { Lineage("lineage-1") }
    #expect(
      try MemoryCache(identity: other).changes(after: position, limit: 9) { _ in true }
        == .startOver(.otherAccount))
    let renewed = CacheIdentity(account: CacheFixture.account) { Lineage("lineage-2") }
    #expect(
      try MemoryCache(identity: renewed).changes(after: position, limit: 9) { _ in true }
        == .startOver(.otherCache))

    // A power loss removes the end of the log; then the log grows past the position again.
    let cache = try #require(memory.storage as? MemoryCache)
    let end = try cache.changePosition(at: .end)
    cache.loseUnsynced()
    #expect(try cache.changes(after: end, limit: 9) { _ in true } == .startOver(.otherCache))
    let later = CacheFixture.start.advanced(by: .seconds(60))
    _ = try cache.apply(
      ChangeChunk(
        request: .page(nil), generation: 1, changes: (5...9).map { .item(makeItem($0)) }, end: nil),
      now: later)
    #expect(try cache.changes(after: end, limit: 9) { _ in true } == .startOver(.otherCache))
  }

  @Test("a follower has what the cache has, after any history", arguments: 1...12)
  func random(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var numbers = SeededNumbers(seed: seed)
    for kind in CacheKind.allCases {
      let fixture = try CacheFixture(kind, isSynced: false)
      var steps = [try Follower(fixture, at: .end)]
      for step in 0..<100 {
        _ = try history.next(fixture.storage).perform(on: fixture.storage)
        if step == 40 { steps.append(try Follower(fixture, at: .beginning)) }
        guard Int.random(in: 0..<4, using: &numbers) == 0 else { continue }
        for index in steps.indices {
          try steps[index].read(Int.random(in: 1...5, using: &numbers))
        }
      }
      for var follower in steps {
        try follower.read()
        for number in 1...history.itemCount {
          let (kept, known) = (
            try fixture.reader.item(itemID(number)), follower.mirror[itemID(number)]
          )
          guard let kept, kept.placement != .gone else {
            #expect(known == nil || known?.placement == .gone, "seed \(seed), item \(number)")
            continue
          }
          #expect(known?.notification.content == kept.notification.content, "seed \(seed)")
          #expect(known?.placement == kept.placement, "seed \(seed), item \(number)")
          #expect(
            known?.notification.state.readState.value == kept.notification.state.readState.value)
          #expect(
            known?.notification.state.userActionState.value
              == kept.notification.state.userActionState.value, "seed \(seed), item \(number)")
        }
      }
    }
  }
}
