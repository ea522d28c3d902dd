import BellhopModel
import BellhopStore
import BellhopTestSupport
import Synchronization
import Testing

/// The judgement itself, reading by reading.
@Suite("A judgement of wall-clock time")
struct WallClockMonitorTests {
  private static let start = Timestamp(seconds: 1_800_000_000)
  private static let hour = Duration.seconds(3600)
  private static let day = Duration.seconds(86_400)

  /// A reading after the time `passed`, with the clock ahead of it.
  private func reading(
    _ passed: Duration, ahead: Duration = .zero, isSynchronized: Bool = false
  ) -> ClockReading {
    ClockReading(
      wall: Self.start.advanced(by: passed + ahead), uptime: passed + .seconds(77),
      isSynchronized: isSynchronized)
  }

  private func monitor(
    after record: ClockRecord? = nil, _ readings: ClockReading...
  ) -> WallClockMonitor {
    var monitor = WallClockMonitor(after: record)
    for reading in readings { monitor.step(reading) }
    return monitor
  }

  @Test(
    "a clock may get ahead of monotonic time by an hour in a run",
    arguments: [
      (Duration.seconds(3600), true), (.seconds(3601), false), (.seconds(400 * 86_400), false),
      (.seconds(-400 * 86_400), true),
    ])
  func step(ahead: Duration, isPlausible: Bool) {
    let monitor = monitor(reading(.zero), reading(.seconds(60), ahead: ahead))
    #expect((monitor.doubt == nil) == isPlausible)
    #expect(self.monitor(reading(.zero), reading(Self.day * 30)).doubt == nil)
  }

  @Test("many small jumps count as a large one")
  func creep() {
    let monitor = monitor(
      reading(.zero), reading(.seconds(60), ahead: .seconds(3000)),
      reading(.seconds(120), ahead: .seconds(6000)))
    #expect(monitor.doubt?.expected == Self.start.advanced(by: .seconds(120)))
    #expect(monitor.record?.trusted == Self.start.advanced(by: .seconds(3060)))
  }

  @Test(
    "at a start a clock may be seven days past the saved time",
    arguments: [(7, true), (8, false), (-400, true)])
  func absence(days: Int, isPlausible: Bool) {
    let record = ClockRecord(trusted: Self.start)
    let monitor = monitor(after: record, reading(.zero, ahead: Self.day * days))
    #expect((monitor.doubt == nil) == isPlausible)
    #expect(self.monitor(reading(.zero, ahead: Self.day * days)).doubt == nil)
  }

  @Test("a clock that the system reports as synchronised is trusted at once")
  func synchronized() {
    let jump = reading(.seconds(60), ahead: Self.day * 9, isSynchronized: true)
    #expect(monitor(reading(.zero), jump).doubt == nil)
    #expect(monitor(after: ClockRecord(trusted: Self.start), jump).doubt == nil)
    let late = monitor(
      reading(.zero), reading(.seconds(60), ahead: Self.day * 9),
      reading(.seconds(120), ahead: Self.day * 9, isSynchronized: true),
      reading(.seconds(180), ahead: Self.day * 9))
    #expect(late.doubt == nil)
  }

  @Test("a clock that is consistent for a day is trusted, one that jumps again is not")
  func trial() {
    var monitor = monitor(reading(.zero))
    for minute in 1...1440 {
      monitor.step(reading(.seconds(60) * minute, ahead: Self.day * 400))
      #expect(monitor.doubt?.held == .seconds(60) * (minute - 1))
    }
    monitor.step(reading(Self.day + .seconds(60), ahead: Self.day * 400))
    #expect(monitor.doubt == nil)
    monitor.step(reading(Self.day + .seconds(120), ahead: Self.day * 800))
    monitor.step(reading(Self.day + Self.hour * 23, ahead: Self.day * 800))
    monitor.step(reading(Self.day * 2 + Self.hour, ahead: Self.day * 900))
    #expect(monitor.doubt?.held == .zero)
  }

  @Test("a clock that is right again is trusted at once")
  func rightAgain() {
    let monitor = monitor(
      reading(.zero), reading(.seconds(60), ahead: Self.day * 400), reading(.seconds(135)))
    #expect(monitor.doubt == nil)
    #expect(monitor.record == ClockRecord(trusted: Self.start.advanced(by: .seconds(135))))
  }

  @Test("a doubt outlives a restart, and the trial continues where it was")
  func restart() throws {
    var first = monitor(
      reading(.zero), reading(.seconds(60), ahead: Self.day * 3),
      reading(.seconds(60) + Self.hour * 20, ahead: Self.day * 3))
    let record = try #require(first.record)
    #expect(record.held == Self.hour * 20 && record.trusted == Self.start)
    // Three days are fewer than seven, and yet they were not trusted before.
    var second = monitor(after: record, reading(Self.hour * 21, ahead: Self.day * 3))
    #expect(second.doubt?.held == Self.hour * 20)
    second.step(reading(Self.hour * 25, ahead: Self.day * 3))
    #expect(second.doubt == nil)
    #expect(monitor(after: record, reading(Self.hour * 21)).doubt == nil)
    first.confirm(reading(Self.hour * 21, ahead: Self.day * 3))
    #expect(first.doubt == nil && first.record?.doubted == nil)
  }

  @Test("items expire by the trusted time, also between two judgements")
  func expiryTime() {
    let monitor = monitor(reading(.zero))
    func time(_ passed: Duration, ahead: Duration, isSynchronized: Bool = false) -> Duration {
      monitor.expiryTime(
        wall: Self.start.advanced(by: passed + ahead), uptime: passed + .seconds(77),
        isSynchronized: { isSynchronized }
      ).duration(since: Self.start)
    }
    #expect(time(.seconds(30), ahead: .zero) == .seconds(30))
    #expect(time(.seconds(30), ahead: Self.day * -1) == .seconds(30) - Self.day)
    #expect(time(.seconds(30), ahead: Self.day) == .seconds(30))
    #expect(
      time(.seconds(30), ahead: Self.day, isSynchronized: true) == .seconds(30) + Self.day)
  }
}

@Suite("A store whose clock is wrong")
struct ClockTests {
  private static let day = Duration.seconds(86_400)
  private static let uploaded = Array("a file".utf8)

  /// Everything that is deleted by age.
  ///
  /// These are items with and without an expiration, a tombstone, a record of a publication and one
  /// of an operation.
  private func fill(_ store: StoreUnderTest) async throws -> (
    items: [UserNotification], token: DeltaToken, operation: BellhopModel.Operation
  ) {
    var items: [UserNotification] = []
    for number in 0..<4 {
      items.append(
        try await store.publish("\(number)", appID: "\(number)") { content in
          if number < 2 { content.expiration = store.clock.now.advanced(by: Self.day) }
        }.item)
    }
    let gone = try await store.publish("gone").item
    let operation = store.operation(.read, items[2])
    _ = try await store.send([operation])
    let (_, token) = try await store.pull(from: .beginning)
    try await store.service.delete(gone.id, for: store.user)
    try await store.service.sweep()
    return (items, token, operation)
  }

  @Test(
    "75 seconds of a clock that is 400 days ahead delete nothing, and work continues",
    arguments: BackendKind.allCases)
  func ahead(kind: BackendKind) async throws {
    let uptime = ManualUptime()
    let store = try await StoreUnderTest(kind, uptime: { uptime.now })
    let (items, token, operation) = try await fill(store)
    let right = store.clock.now
    store.clock.advance(by: Self.day * 400)
    // Before a sweep has judged the clock, too.
    #expect(try await store.titles().count == 4)
    for _ in 0..<2 {
      let report = try await store.service.sweep()
      #expect(report.expired == 0 && report.tombstonesDropped == 0)
      let expected = try #require(report.clockDoubt?.expected)
      #expect(expected <= right.advanced(by: uptime.now))
      #expect(expected > right.advanced(by: uptime.now - .seconds(1)))
      uptime.advance(by: .seconds(60))
      store.clock.advance(by: .seconds(60))
    }
    #expect(store.service.clockDoubt != nil)
    // Users and publishers mean times by correct clocks.
    let tomorrow = right.advanced(by: Self.day)
    let again = try await store.publish("again", appID: "0") { $0.expiration = tomorrow }
    #expect(again.item.id == items[0].id)
    #expect(
      try await store.send([store.operation(.dismiss, items[1])], from: 2).results == [.applied])
    _ = try await store.change(items[2], StateChange(userActionState: .snoozed(until: tomorrow)))
    #expect(try await store.send([operation]).results == [.alreadyApplied])
    store.clock.advance(by: Self.day * -400)
    #expect(try await store.service.sweep() == SweepReport())
    #expect(try await store.titles().count == 4)
    #expect(try await store.pull(from: .since(token)).changes.count == 4)
  }

  @Test(
    "data without a clock record does not expire by a clock far ahead; new data trusts its clock",
    arguments: BackendKind.allCases)
  func noRecord(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    #expect(store.service.clockDoubt == nil)
    try await store.publish("stays")
    // The newest change is later than the start.
    store.clock.advance(by: Self.day * 3)
    let last = try await store.publish("stays, too").item.state.changed
    store.clock.advance(by: Self.day * 400)
    let restarted = try await store.restarted()
    #expect(restarted.clockDoubt?.expected == last)
    #expect(try await restarted.sweep().expired == 0)
    // Also at the next start, although the one before was at a wrong time.
    #expect(try await store.restarted().sweep().expired == 0)
  }

  @Test(
    "a clock that is ahead evicts no snoozed item and ends no subscription",
    arguments: BackendKind.allCases)
  func decisions(kind: BackendKind) async throws {
    let uptime = ManualUptime()
    var limits = StoreLimits()
    limits.quotaPolicy = .evictOldest
    limits.appItemsMax = 2
    let store = try await StoreUnderTest(kind, limits: limits, uptime: { uptime.now })
    let tomorrow = store.clock.now.advanced(by: Self.day)
    let item = try await store.publish("snoozed").item
    try await store.publish("next")
    _ = try await store.change(item, StateChange(userActionState: .snoozed(until: tomorrow)))
    let token = try await store.service.mintToken(
      named: "hooks", scope: .device(nil), expires: tomorrow, for: store.user)
    let subscription = try await store.service.subscribe(
      HookedStore.request(store), with: token.token.id, for: store.user)
    store.clock.advance(by: Self.day * 400)
    try await store.publish("new")
    #expect(try await Set(store.titles()) == ["snoozed", "new"])
    _ = try await store.service.hookStep(for: subscription.key)
    #expect(try await store.service.subscriptions(of: store.user).map(\.id) == [subscription.id])
    // A token is refused by wall-clock time, and accepted again once that is correct.
    #expect(
      try await storeError { _ = try await store.service.authenticate(token.secret) } != nil)
    store.clock.advance(by: Self.day * -400)
    #expect(try await store.service.authenticate(token.secret).user.id == store.user)
    #expect(try await store.service.subscriptions(of: store.user).map(\.id) == [subscription.id])
  }

  @Test(
    "an upload and a file of an item survive a clock that is ahead",
    arguments: BackendKind.allCases)
  func files(kind: BackendKind) async throws {
    let uptime = ManualUptime()
    let store = try await StoreUnderTest(kind, uptime: { uptime.now })
    var intake = try await store.service.beginFile(
      named: "a.txt", size: nil,
      of: FileOwner(user: store.user, token: store.token.token.id, app: nil))
    try await intake.write(Self.uploaded)
    let file = try await intake.finish()
    store.clock.advance(by: Self.day * 400)
    #expect(try await store.service.sweep().filesRemoved == 0)
    #expect(try await store.service.openFile(file.id).file.id == file.id)
  }

  @Test("a clock that is consistent for a day is trusted", arguments: BackendKind.allCases)
  func held(kind: BackendKind) async throws {
    let uptime = ManualUptime()
    let store = try await StoreUnderTest(kind, uptime: { uptime.now })
    _ = try await fill(store)
    store.clock.advance(by: Self.day * 400)
    #expect(try await store.service.sweep().expired == 0)
    for time in [uptime.now, Self.day - .seconds(1), .seconds(1)].dropFirst() {
      #expect(try await store.service.sweep().expired == 0)
      uptime.advance(by: time)
      store.clock.advance(by: time)
    }
    let report = try await store.service.sweep()
    #expect(report.expired == 4 && report.tombstonesDropped == 1 && report.clockDoubt == nil)
  }

  @Test(
    "the administrator confirms a clock, and the confirmation survives a restart",
    arguments: BackendKind.allCases
  )
  func confirmed(kind: BackendKind) async throws {
    let uptime = ManualUptime()
    let store = try await StoreUnderTest(kind, uptime: { uptime.now })
    _ = try await fill(store)
    store.clock.advance(by: Self.day * 400)
    #expect(try await store.service.sweep().expired == 0)
    try await store.service.confirmClock()
    #expect(try await store.restarted().sweep().expired == 4)
  }

  @Test(
    "a start over seven days after the last sweep deletes nothing, unless the clock is synchronised",
    arguments: BackendKind.allCases)
  func started(kind: BackendKind) async throws {
    let isSynchronized = Mutex(false)
    let store = try await StoreUnderTest(
      kind, isClockSynchronized: { isSynchronized.withLock { $0 } })
    _ = try await fill(store)
    store.clock.advance(by: Self.day * 400)
    let restarted = try await store.restarted()
    #expect(
      restarted.clockDoubt?.expected.duration(since: store.clock.now) ?? .zero < Self.day * -399)
    let report = try await restarted.sweep()
    #expect(report.expired == 0 && report.tombstonesDropped == 0)
    isSynchronized.withLock { $0 = true }
    #expect(try await restarted.sweep().expired == 4)
    #expect(restarted.clockDoubt == nil)
  }

  @Test("an absence of a week raises no doubt", arguments: BackendKind.allCases)
  func week(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    _ = try await fill(store)
    store.clock.advance(by: Self.day * 7)
    #expect(try await store.restarted().sweep().expired == 2)
  }
}
