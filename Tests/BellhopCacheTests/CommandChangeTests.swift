import BellhopCache
import BellhopModel
import Testing

@Suite("Undo of changes made by commands")
struct CommandChangeTests {
  private let now = CacheFixture.start
  private let grace = Duration.seconds(5)

  private func fixture(items: Int) throws -> (CacheFixture, SQLiteCache) {
    let cache = try CacheFixture(.sqlite)
    try cache.pull((1...items).map { .item(makeItem(Int64($0))) })
    return (cache, try #require(cache.storage as? SQLiteCache))
  }

  /// Carries out a command on an item as a command does.
  private func change(
    _ cache: CacheFixture, _ storage: SQLiteCache, _ number: Int64, _ command: ItemCommand,
    on id: Int64,
    grace: Duration? = nil
  ) throws {
    let item = try #require(try cache.reader.item(makeItem(id).id))
    let operation = makeOperation(number, command, on: id)
    var change = CommandChange(summary: "change \(number)")
    if let undo = operation.undo(id: operationID(number + 100), before: item.notification) {
      change.undo = [undo]
    } else {
      change.deletes = [operation.id]
    }
    try storage.enqueue([operation], remembering: change, now: now, grace: grace)
  }

  @Test("undo reverts the last change first, then the one before, until none is left")
  func order() throws {
    let (cache, storage) = try fixture(items: 2)
    try change(cache, storage, 1, .dismiss, on: 1)
    try change(cache, storage, 2, .dismiss, on: 2)
    #expect(try cache.titles(.tray) == [])
    let last = try #require(try storage.undoCommandChange(now: now))
    #expect(last.change.summary == "change 2" && !last.isTooLate)
    #expect(try cache.titles(.tray) == ["item 2"])
    #expect(try storage.undoCommandChange(now: now)?.change.summary == "change 1")
    #expect(try cache.titles(.tray) == ["item 2", "item 1"])
    #expect(try storage.undoCommandChange(now: now) == nil)
  }

  @Test("undo reverts an earlier change of a register after a later one was undone")
  func sameRegister() throws {
    let (cache, storage) = try fixture(items: 1)
    try change(cache, storage, 1, .dismiss, on: 1)
    try change(cache, storage, 2, .restore, on: 1)
    _ = try storage.undoCommandChange(now: now)
    #expect(try cache.titles(.tray) == [])
    _ = try storage.undoCommandChange(now: now)
    #expect(try cache.titles(.tray) == ["item 1"])
  }

  @Test("undo leaves a register that was set since")
  func changedSince() throws {
    let (cache, storage) = try fixture(items: 1)
    try change(cache, storage, 1, .dismiss, on: 1)
    _ = try storage.enqueue(
      [makeOperation(9, .snooze(until: now.advanced(by: .seconds(900))), on: 1)], now: now,
      sealAfter: nil)
    _ = try storage.undoCommandChange(now: now)
    #expect(try cache.titles(.later) == ["item 1"])
  }

  @Test("beside a running engine, a clock that was ahead does not make a held delete final")
  func clockSetAhead() throws {
    let (cache, storage) = try fixture(items: 1)
    try change(cache, storage, 1, .delete, on: 1, grace: grace)
    let ahead = now.advanced(by: .seconds(3600))
    let undone = try #require(try storage.undoCommandChange(now: ahead, sealsDue: false))
    #expect(undone.cancelled == [operationID(1)] && !undone.isTooLate)
    #expect(try cache.titles(.tray) == ["item 1"])
  }

  @Test("beside a running engine, a delete that it has sealed is final")
  func sealedByEngine() throws {
    let (cache, storage) = try fixture(items: 1)
    try change(cache, storage, 1, .delete, on: 1, grace: grace)
    _ = try storage.seal(.due, now: now.advanced(by: grace))
    let late = try #require(try storage.undoCommandChange(now: now, sealsDue: false))
    #expect(late.isTooLate && late.cancelled == [])
    #expect(try cache.titles(.tray) == [])
  }

  @Test("a held delete is cancelled while its grace period lasts, and is final after it")
  func deletes() throws {
    let (cache, storage) = try fixture(items: 2)
    try change(cache, storage, 1, .delete, on: 1, grace: grace)
    #expect(try cache.titles(.tray) == ["item 2"])
    let undone = try #require(try storage.undoCommandChange(now: now.advanced(by: .seconds(4))))
    #expect(undone.cancelled == [operationID(1)] && !undone.isTooLate)
    #expect(try cache.titles(.tray) == ["item 2", "item 1"])

    try change(cache, storage, 2, .delete, on: 2, grace: grace)
    let late = try #require(try storage.undoCommandChange(now: now.advanced(by: grace)))
    #expect(late.isTooLate && late.cancelled == [])
    #expect(try cache.titles(.tray) == ["item 1"])
    #expect(try storage.sealedBatch(limit: 5).operations.map(\.operation.id) == [operationID(2)])
  }

  @Test("a held delete has no owner: a process that quits does not send it early")
  func owner() throws {
    let (cache, storage) = try fixture(items: 1)
    try change(cache, storage, 1, .delete, on: 1, grace: grace)
    let due = try storage.seal(.own, now: now)
    #expect(due == now.advanced(by: grace))
    #expect(try storage.outboxCounts().held == 1)
    let screen = try cache.opened(by: OutboxOwner("a screen"))
    _ = try screen.seal(.own, now: now)
    #expect(try storage.outboxCounts().held == 1)
    _ = try screen.seal(.due, now: now.advanced(by: grace))
    #expect(try storage.outboxCounts() == OutboxCounts(held: 0, waiting: 1, settling: 0))
  }

  @Test("undo restores an app's settings, unless they were changed again since")
  func settings() throws {
    let (cache, storage) = try fixture(items: 1)
    func set(_ number: Int64, _ mute: Mute, back: Mute) throws {
      func operation(_ number: Int64, _ mute: Mute) -> BellhopModel.Operation {
        var change = AppSettingsChange()
        change.mute = mute
        return Operation(
          id: operationID(number), target: .app("bank"), mutation: .configure(change))
      }
      let made = operation(number, mute)
      try storage.enqueue(
        [made],
        remembering: CommandChange(
          summary: "change \(number)", undo: [operation(number + 100, back)], settings: made),
        now: now)
    }
    func mute() throws -> Mute? { try cache.reader.appSettings(of: "bank")?.mute }
    try change(cache, storage, 1, .dismiss, on: 1)
    try set(2, .forever, back: .off)
    let undone = try #require(try storage.undoCommandChange(now: now))
    #expect(undone.change.summary == "change 2" && undone.operations.count == 1)
    #expect(try mute() == .off)

    try set(3, .forever, back: .off)
    let end = now.advanced(by: .seconds(60))
    try set(4, .until(end), back: .forever)
    try storage.forgetCommandChange(of: operationID(3))
    try storage.forgetCommandChange(of: operationID(4))
    let late = try #require(try storage.undoCommandChange(now: now))
    #expect(late.change.summary == "change 3")
    #expect(late.operations.isEmpty && late.obsoleteCount == 1)
    #expect(try mute() == .until(end))
    #expect(try storage.undoCommandChange(now: now)?.change.summary == "change 1")
  }

  @Test("undo of a change to an item deleted since does nothing, and the change is dropped")
  func deletedSince() throws {
    let (cache, storage) = try fixture(items: 2)
    try change(cache, storage, 1, .dismiss, on: 1)
    try change(cache, storage, 2, .delete, on: 1)
    #expect(try storage.undoCommandChange(now: now)?.isTooLate == true)
    let undone = try #require(try storage.undoCommandChange(now: now))
    #expect(undone.operations.isEmpty && undone.obsoleteCount == 1)
    #expect(try storage.undoCommandChange(now: now) == nil)
    #expect(try cache.titles(.tray) == ["item 2"])
  }

  @Test("the newest twenty changes are kept")
  func bounded() throws {
    let (cache, storage) = try fixture(items: 1)
    for number in 1...25 {
      try change(
        cache, storage, Int64(number), number.isMultiple(of: 2) ? .unread : .read, on: 1)
    }
    var taken = 0
    while try storage.undoCommandChange(now: now) != nil { taken += 1 }
    #expect(taken == 20)
  }

  @Test("a change outlives its process, and one without effect is not kept")
  func reopened() throws {
    let (cache, storage) = try fixture(items: 1)
    try change(cache, storage, 1, .dismiss, on: 1)
    try storage.enqueue(
      [makeOperation(2, .dismiss, on: 1)], remembering: CommandChange(summary: "nothing"),
      now: now)
    let other = try SQLiteCache(path: cache.path, identity: CacheFixture.identity())
    #expect(try other.undoCommandChange(now: now)?.change.summary == "change 1")
  }
}
