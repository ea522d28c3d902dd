import BellhopCache
import BellhopModel
import Synchronization
import Testing

@Suite("Items with a trigger in the cache")
struct TriggeredItemTests {
  static let start = CacheFixture.start

  private func at(_ minutes: Int64) -> Timestamp { Self.start.advanced(by: .seconds(minutes * 60)) }

  /// An item that was published at the start, every `minutes` minutes.
  private func repeating(
    _ number: Int64 = 1, every minutes: Int64 = 10, sequence: Int64 = 1,
    change: (inout UserNotification) -> Void = { _ in }
  ) throws -> UserNotification {
    let trigger = try Trigger(.interval(seconds: minutes * 60), repeats: true)
    return makeItem(number, sequence: sequence, arrival: Self.start) { item in
      item.content.trigger = trigger
      change(&item)
    }
  }

  private func dismissal(
    _ number: Int64, _ cache: CacheFixture
  ) throws -> BellhopModel.Operation {
    let item = try #require(try cache.reader.item(itemID(1)))
    return Operation(
      id: operationID(number), onShown: item.id, item.version,
      mutation: ItemCommand.dismiss.mutation)
  }

  @Test(
    "it is scheduled until its first occurrence, then at the top of the tray, and rings once each time",
    arguments: CacheKind.allCases)
  func occurrences(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating()), .item(makeItem(2, sequence: 2, arrival: at(5)))])
    _ = try cache.storage.claimTrayAnnouncements(limit: 10)
    #expect(try cache.titles(.tray) == ["item 2"])
    #expect(try cache.titles(.later) == ["item 1"])
    #expect(try cache.reader.nextDue() == at(10))
    for number: Int64 in 1...3 {
      let outcome = try cache.storage.moveDueItems(now: at(number * 10), limit: 10)
      #expect(outcome.changed == [itemID(1)])
      #expect(outcome.nextDue == at(number * 10 + 10))
      #expect(outcome.arrivals.map(\.occurrence) == [.number(number)])
      #expect(try cache.storage.claimAnnouncements(outcome.arrivals).count == 1)
      #expect(try cache.storage.claimAnnouncements(outcome.arrivals).isEmpty)
      #expect(try cache.titles(.tray) == ["item 1", "item 2"])
      let row = try #require(try cache.reader.row(itemID(1)))
      #expect(row.arrival == at(number * 10))
      #expect(row.occurrence == .number(number))
      #expect(row.due == at(number * 10 + 10))
      #expect(row.placementFacts.placement(at: at(number * 10)).placement == .tray)
    }
    #expect(try cache.storage.claimTrayAnnouncements(limit: 10).isEmpty)
  }

  @Test(
    "what was done with one occurrence does not count for the next, nor does sending it late",
    arguments: CacheKind.allCases)
  func handledOnce(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating())])
    _ = try cache.storage.moveDueItems(now: at(10), limit: 10)
    let dismiss = try dismissal(1, cache)
    #expect(dismiss.occurrences == .label(.number(1)))
    _ = try cache.storage.enqueue([dismiss], now: at(11), sealAfter: nil)
    #expect(try cache.titles(.tray).isEmpty)
    #expect(try cache.titles(.handled) == ["item 1"])
    #expect(try cache.titles(.later) == ["item 1"], "it will be delivered again")
    let outcome = try cache.storage.moveDueItems(now: at(20), limit: 10)
    #expect(outcome.arrivals.map(\.occurrence) == [.number(2)])
    #expect(try cache.titles(.tray) == ["item 1"])
    let item = try #require(try cache.reader.item(itemID(1)))
    #expect(item.notification.state.userActionState == Register(.noInteraction))
    #expect(item.isPending, "the first dismissal is still to be sent")

    // The store's answer: the register as it was set for the first occurrence.
    let done = RegisterChange(
      at: at(21), by: Author(kind: .device, id: "d", name: "d"), operation: dismiss.id,
      occurrence: .number(1))
    let base = try repeating(sequence: 5) {
      $0.state.contentSequence = SequenceNumber(1)
      $0.state.userActionState = Register(.dismissed, previous: .noInteraction, change: done)
    }
    try cache.pull([.state(itemID(1), base.state)], now: at(21))
    #expect(try cache.titles(.tray) == ["item 1"])
    _ = try cache.storage.enqueue([try dismissal(2, cache)], now: at(22), sealAfter: nil)
    #expect(try cache.titles(.tray).isEmpty)
  }

  @Test(
    "a cancelled item stays as it was delivered, is not announced again, and can be resumed",
    arguments: CacheKind.allCases)
  func cancelled(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating())])
    let outcome = try cache.storage.moveDueItems(now: at(10), limit: 10)
    _ = try cache.storage.claimAnnouncements(outcome.arrivals)
    func change(_ command: ItemCommand, _ number: Int64) throws -> BellhopModel.Operation {
      let item = try #require(try cache.reader.item(itemID(1)))
      return Operation(
        id: operationID(number), onShown: item.id, item.version, mutation: command.mutation)
    }
    let cancel = try change(.cancel, 1)
    _ = try cache.storage.enqueue([cancel], now: at(11), sealAfter: nil)
    #expect(try cache.titles(.tray) == ["item 1"])
    #expect(try cache.titles(.later).isEmpty)
    #expect(try cache.reader.nextDue() == nil)
    // The store's answer arrives after the time of the next occurrence.
    let done = RegisterChange(
      at: at(25), by: Author(kind: .device, id: "d", name: "d"), operation: cancel.id,
      occurrence: .number(1))
    let answered = try repeating(sequence: 5) {
      $0.state.contentSequence = SequenceNumber(1)
      $0.state.cancelled = Register(true, previous: false, change: done)
    }
    try cache.pull([.state(itemID(1), answered.state)], now: at(25))
    let row = try #require(try cache.reader.row(itemID(1)))
    #expect(row.occurrence == .number(1) && row.arrival == at(10))
    #expect(row.registers.cancelled == answered.state.cancelled)
    #expect(try cache.storage.claimTrayAnnouncements(limit: 10).isEmpty)
    _ = try cache.storage.enqueue([try change(.resume, 2)], now: at(26), sealAfter: nil)
    #expect(try cache.reader.row(itemID(1))?.occurrence == .number(2))
    #expect(try cache.titles(.later) == ["item 1"])
    #expect(try cache.reader.nextDue() == at(30))
  }

  @Test(
    "occurrences missed while the device was off count as one, the latest",
    arguments: CacheKind.allCases)
  func missed(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating())])
    let outcome = try cache.storage.moveDueItems(now: at(57), limit: 10)
    #expect(outcome.arrivals.map(\.occurrence) == [.number(5)])
    #expect(outcome.nextDue == at(60))
    #expect(try cache.reader.row(itemID(1))?.arrival == at(50))
  }

  @Test(
    "a bulk operation handles the occurrences that were shown, not later ones",
    arguments: CacheKind.allCases)
  func bulk(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating()), .item(makeItem(2, sequence: 2, arrival: at(5)))])
    _ = try cache.storage.moveDueItems(now: at(10), limit: 10)
    let list = WholeList(.tray, of: cache.reader, namedMax: 1)
    let extent = try list.extent()
    #expect(extent.items.count == 2)
    #expect(extent.bound.throughTime == at(10))
    let operations = try list.operations(
      ItemCommand.dismiss.mutation, bound: extent.bound, ids: [operationID(1)])
    let through = try #require(operations.first?.occurrences)
    #expect(through == .through(at(10)))
    _ = try cache.storage.enqueue(operations, now: at(11), sealAfter: nil)
    while try !cache.storage.overlayBulk(limit: 10, now: at(11)).isFinished {}
    #expect(try cache.titles(.tray).isEmpty)
    _ = try cache.storage.moveDueItems(now: at(20), limit: 10)
    #expect(try cache.titles(.tray) == ["item 1"])
  }

  @Test(
    "an occurrence that came after the list was counted is not among its items",
    arguments: CacheKind.allCases)
  func turnedOver(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating()), .item(makeItem(2, sequence: 2, arrival: at(5)))])
    _ = try cache.storage.moveDueItems(now: at(10), limit: 10)
    let list = WholeList(.tray, of: cache.reader, namedMax: 10)
    let bound = try list.extent().bound
    _ = try cache.storage.moveDueItems(now: at(20), limit: 10)
    let operations = try list.operations(
      ItemCommand.dismiss.mutation, bound: bound, ids: [operationID(1)])
    #expect(operations.map(\.notificationIDs) == [[itemID(2)]])
  }

  @Test(
    "the next occurrence ends a snooze, and a snooze ends before it if it is shorter",
    arguments: CacheKind.allCases)
  func snoozed(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating())])
    _ = try cache.storage.moveDueItems(now: at(10), limit: 10)
    let item = try #require(try cache.reader.item(itemID(1)))
    for (number, minutes) in [(1, 15), (2, 45)] as [(Int64, Int64)] {
      let snooze = Operation(
        id: operationID(number), onShown: item.id, item.version,
        mutation: ItemCommand.snooze(until: at(minutes)).mutation)
      _ = try cache.storage.enqueue([snooze], now: at(11), sealAfter: nil)
      #expect(try cache.titles(.later) == ["item 1"])
      #expect(try cache.reader.row(itemID(1))?.due == at(min(minutes, 20)))
      #expect(try cache.titles(.tray).isEmpty)
    }
    _ = try cache.storage.moveDueItems(now: at(20), limit: 10)
    #expect(try cache.titles(.tray) == ["item 1"])
  }

  @Test(
    "counts include repeating items in Later, and only there twice", arguments: CacheKind.allCases)
  func counts(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([
      .item(try repeating()), .item(makeItem(2, sequence: 2, arrival: at(5))),
      .item(try repeating(3, every: 60, sequence: 3)),
    ])
    _ = try cache.storage.moveDueItems(now: at(10), limit: 10)
    let totals = try cache.reader.totals()
    #expect(totals.tray.count == 2)
    #expect(totals.repeating == ItemCount(count: 1, unread: 1))
    #expect(totals.count(of: .later)?.count == 2, "one repeats, one waits for its first time")
    #expect(totals.count(of: .history)?.count == 2)
    #expect(try cache.titles(.later) == ["item 1", "item 3"])
    let app = ListFilter(terms: [.init(.app([.init("ci")]))])
    let count = try cache.reader.count(of: app, in: .later, scanning: 100)
    #expect(count == 2)
    #expect(try cache.reader.countByScanning(at: .later, passing: app) == 2)
  }

  @Test("the time zone of the device determines floating times", arguments: CacheKind.allCases)
  func floating(kind: CacheKind) throws {
    let hour = WallClock { _, zone in zone == nil ? 3600 : nil }
    let cache = try CacheFixture(kind, wallClock: hour)
    let nine = try Trigger(.calendar(CalendarPattern(hour: 9), timeZone: nil), repeats: true)
    try cache.pull([
      .item(makeItem(1, sequence: 1, arrival: Self.start) { $0.content.trigger = nine })
    ])
    let due = try #require(try cache.reader.nextDue())
    #expect(due.description.hasSuffix("T08:00:00.000Z"))
    _ = try cache.storage.moveDueItems(now: due, limit: 10)
    let label = try #require(try cache.reader.row(itemID(1))?.occurrence)
    #expect(label.description.hasSuffix("T09:00"))
  }

  @Test(
    "after a journey, floating times are those of the new zone", arguments: CacheKind.allCases)
  func journey(kind: CacheKind) throws {
    let offset = Mutex(3600)
    let cache = try CacheFixture(
      kind, wallClock: WallClock { _, zone in zone == nil ? offset.withLock { $0 } : nil })
    let nine = try Trigger(.calendar(CalendarPattern(hour: 9), timeZone: nil), repeats: true)
    try cache.pull([
      .item(makeItem(1, sequence: 1, arrival: Self.start) { $0.content.trigger = nine })
    ])
    let east = try #require(try cache.reader.nextDue())
    _ = try cache.storage.moveDueItems(now: at(1), limit: 10)
    offset.withLock { $0 = -5 * 3600 }
    #expect(try cache.storage.pendingWork(now: at(1)) == nil, "there is something to do")
    #expect(try cache.storage.moveDueItems(now: at(1), limit: 10).needsSweep)
    #expect(try cache.storage.sweepOldGenerations(limit: 10, now: at(1)).isFinished)
    #expect(try cache.reader.nextDue() == east.advanced(by: .seconds(6 * 3600)))
    #expect(try !cache.storage.moveDueItems(now: at(1), limit: 10).needsSweep, "once is enough")
  }

  @Test(
    "a bulk operation tells the store the zone in which it was made", arguments: CacheKind.allCases)
  func bulkZone(kind: CacheKind) throws {
    let cache = try CacheFixture(
      kind, wallClock: WallClock { _, zone in zone == nil ? -18_000 : nil })
    let operation = BellhopModel.Operation(
      id: operationID(1), target: .matching(Predicate(), through: SequenceNumber(1)),
      mutation: ItemCommand.dismiss.mutation, occurrences: .through(at(5)))
    _ = try cache.storage.enqueue([operation], now: at(5), sealAfter: nil)
    #expect(
      try cache.storage.sealedBatch(limit: 1).operations.map(\.operation.occurrences)
        == [.through(at(5), utcOffset: -18_000)])
  }

  @Test("another process reads the same occurrence from the file", arguments: [CacheKind.sqlite])
  func reopened(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try repeating())])
    _ = try cache.storage.moveDueItems(now: at(10), limit: 10)
    let before = try #require(try cache.reader.item(itemID(1)))
    let again = try CacheReader(path: cache.path, account: CacheFixture.account)
    #expect(try again.item(itemID(1)) == before)
    #expect(before.occurrence == Occurrence(.number(1), at: at(10)))
    #expect(before.nextOccurrence == at(20))
    #expect(before.notification.arrival == Self.start)
  }
}
