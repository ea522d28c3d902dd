import BellhopCache
import BellhopModel
import Testing

@Suite("Schedules that a device has changed, in its cache")
struct OwnScheduleTests {
  private func at(_ minutes: Int64) -> Timestamp {
    CacheFixture.start.advanced(by: .seconds(minutes * 60))
  }

  /// An item that is delivered an hour after the start.
  private func scheduled(
    sequence: Int64 = 1, at minutes: Int64 = 60
  ) -> UserNotification {
    makeItem(1, sequence: sequence, arrival: at(minutes)) { $0.content.deliverAt = at(minutes) }
  }

  /// An item that is delivered every ten minutes, or at another rhythm, from the start or later.
  private func repeating(
    sequence: Int64 = 1, every minutes: Int64 = 10, from start: Int64 = 0
  ) throws -> UserNotification {
    let trigger = try Trigger(.interval(seconds: minutes * 60), repeats: true)
    return makeItem(1, sequence: sequence, arrival: at(start)) { $0.content.trigger = trigger }
  }

  private func change(
    to schedule: Schedule, _ number: Int64, at minutes: Int64, _ cache: CacheFixture
  ) throws -> BellhopModel.Operation {
    let item = try #require(try cache.reader.item(itemID(1)))
    let operation = Operation(
      id: operationID(number), onShown: item.id, item.version,
      mutation: .reschedule(schedule, at: at(minutes)))
    _ = try cache.storage.enqueue([operation], now: at(minutes), sealAfter: nil)
    return operation
  }

  private func item(_ cache: CacheFixture) throws -> CachedItem {
    try #require(try cache.reader.item(itemID(1)))
  }

  @Test("it is due at its new time at once, in every reader", arguments: CacheKind.allCases)
  func due(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(scheduled())])
    let operation = try change(to: .once(at: at(20)), 1, at: 1, cache)
    let shown = try item(cache)
    #expect(shown.notification.content.deliverAt == at(20))
    #expect(shown.stored == scheduled())
    #expect(shown.isPending)
    #expect(shown.version.operation == operation.id)
    let row = try #require(try cache.reader.row(itemID(1)))
    #expect(row.deliverAt == at(20))
    #expect(row.due == at(20))
    #expect(row.arrival == at(20))
    #expect(row.version == shown.version)
    #expect(try cache.reader.nextDue() == at(20))
  }

  @Test(
    "it is delivered and announced once without the store, and not again by the store's answer",
    arguments: CacheKind.allCases)
  func offline(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(scheduled())])
    _ = try change(to: .once(at: at(20)), 1, at: 1, cache)
    let outcome = try cache.storage.moveDueItems(now: at(20), limit: 10)
    #expect(outcome.arrivals.map(\.id) == [itemID(1)])
    #expect(try cache.storage.claimAnnouncements(outcome.arrivals).count == 1)
    #expect(try cache.titles(.tray) == ["item 1"])
    let answer = try cache.pull([.item(scheduled(sequence: 5, at: 20))], now: at(30))
    #expect(answer.arrivals.isEmpty)
    #expect(try cache.storage.claimTrayAnnouncements(limit: 10).isEmpty)
    #expect(try cache.titles(.tray) == ["item 1"])
  }

  @Test(
    "an item that was announced rings at its new time, and at each of its new times",
    arguments: CacheKind.allCases)
  func again(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating())])
    let first = try cache.storage.moveDueItems(now: at(10), limit: 10)
    _ = try cache.storage.claimAnnouncements(first.arrivals)
    let trigger = try Trigger(.interval(seconds: 300), repeats: true)
    _ = try change(to: .trigger(trigger), 1, at: 12, cache)
    #expect(try cache.titles(.later) == ["item 1"])
    #expect(try cache.titles(.tray).isEmpty)
    for number: Int64 in 1...2 {
      let outcome = try cache.storage.moveDueItems(now: at(12 + 5 * number), limit: 10)
      #expect(outcome.arrivals.map(\.occurrence) == [.number(number)])
      #expect(try cache.storage.claimAnnouncements(outcome.arrivals).count == 1)
    }
    try cache.pull([.item(try repeating(sequence: 5, every: 5, from: 12))], now: at(23))
    #expect(try cache.storage.claimTrayAnnouncements(limit: 10).isEmpty)
    #expect(try item(cache).version.operation == nil)
    let next = try cache.storage.moveDueItems(now: at(27), limit: 10)
    #expect(try cache.storage.claimAnnouncements(next.arrivals).count == 1)
  }

  @Test("what the user does next refers to the device's own content", arguments: CacheKind.allCases)
  func handled(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(scheduled())])
    let made = try change(to: .once(at: at(20)), 1, at: 1, cache)
    _ = try cache.storage.moveDueItems(now: at(20), limit: 10)
    let shown = try item(cache)
    let dismiss = Operation(
      id: operationID(2), onShown: shown.id, shown.version, mutation: ItemCommand.dismiss.mutation)
    #expect(dismiss.seenOperations == [itemID(1): made.id])
    _ = try cache.storage.enqueue([dismiss], now: at(21), sealAfter: nil)
    #expect(try cache.titles(.tray).isEmpty)
    // The store has applied the first operation, and the second is on its way.
    try cache.pull([.item(scheduled(sequence: 5, at: 20))], now: at(22))
    #expect(try cache.titles(.tray).isEmpty)
    #expect(try cache.titles(.handled) == ["item 1"])
  }

  @Test(
    "a whole list does not contain content that its bound cannot name",
    arguments: CacheKind.allCases)
  func bulk(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(scheduled()), .item(makeItem(2, sequence: 2))])
    _ = try change(to: .once(at: at(20)), 1, at: 1, cache)
    _ = try cache.storage.moveDueItems(now: at(20), limit: 10)
    let all = Operation(
      id: operationID(2), target: .matching(Predicate(), through: SequenceNumber(9)),
      mutation: ItemCommand.dismiss.mutation, occurrences: .through(at(20)))
    _ = try cache.storage.enqueue([all], now: at(21), sealAfter: nil)
    while try !cache.storage.overlayBulk(limit: 10, now: at(21)).isFinished {}
    #expect(try cache.titles(.tray) == ["item 1"])
    #expect(try cache.titles(.handled) == ["item 2"])
  }

  @Test("a refusal brings the former time back, without a ring", arguments: CacheKind.allCases)
  func refused(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating())])
    let first = try cache.storage.moveDueItems(now: at(10), limit: 10)
    _ = try cache.storage.claimAnnouncements(first.arrivals)
    let trigger = try Trigger(.interval(seconds: 3600), repeats: true)
    let operation = try change(to: .trigger(trigger), 1, at: 12, cache)
    let outcome = try cache.storage.acknowledge(
      [OperationAnswer(id: operation.id, result: .superseded)], sequence: SequenceNumber(1),
      now: at(13))
    #expect(outcome.rejected.map(\.operation.id) == [operation.id])
    #expect(try cache.titles(.tray) == ["item 1"])
    #expect(try cache.storage.claimTrayAnnouncements(limit: 10).isEmpty)
    let shown = try item(cache)
    #expect(shown.notification.content == shown.stored.content)
    let next = try cache.storage.moveDueItems(now: at(20), limit: 10)
    #expect(next.arrivals.map(\.occurrence) == [.number(2)])
  }

  @Test("it is still there when the cache is opened again")
  func reopened() throws {
    let cache = try CacheFixture(.sqlite)
    try cache.pull([.item(try repeating())])
    let trigger = try Trigger(.interval(seconds: 3600), repeats: true)
    _ = try change(to: .trigger(trigger), 1, at: 12, cache)
    let before = try item(cache)
    let other = try CacheReader(path: cache.path, account: CacheFixture.account)
    #expect(try other.item(itemID(1)) == before)
    #expect(before.notification.content.trigger == trigger)
    #expect(before.notification.arrival == at(12))
  }
}
