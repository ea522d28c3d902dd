import BellhopModel
import BellhopStore
import Testing

@Suite("Retention")
struct RetentionTests {
  private static let day = Duration.seconds(86_400)

  @Test(
    "an expired item is gone from every list, and then becomes a tombstone",
    arguments: BackendKind.allCases)
  func expiry(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a", appID: "x") {
      $0.expiration = store.clock.now.advanced(by: .seconds(60))
    }.item
    try await store.publish("stays")
    let (_, token) = try await store.pull(from: .beginning)
    #expect(try await store.service.sweep().expired == 0)
    store.clock.advance(by: .seconds(60))
    #expect(
      try await storeError { _ = try await store.service.item(item.id, of: store.user) }
        == .notFound(what: "item"))
    #expect(try await store.titles() == ["stays"])
    #expect(
      try await store.send([store.operation(.read, item)]).results == [.gone])
    #expect(try await store.service.sweep().expired == 1)
    #expect(try await store.service.sweep().expired == 0)
    let position = try await store.service.position(of: store.user).sequence
    #expect(
      try await store.pull(from: .since(token)).changes
        == [.removed(item.id, sequence: position)])
  }

  @Test(
    "a first synchronisation does not depend on the store's clock (SYNC-14 and SYNC-16)",
    arguments: BackendKind.allCases)
  func firstSyncUnderWrongClock(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let short = try await store.publish("short") {
      $0.expiration = store.clock.now.advanced(by: .seconds(60))
    }.item
    let long = try await store.publish("long") {
      $0.expiration = store.clock.now.advanced(by: .seconds(90))
    }.item
    // The clock is set ahead of one of them, and back: no device loses it meanwhile.
    store.clock.advance(by: .seconds(75))
    #expect(try await store.titles() == ["long"])
    let (changes, token) = try await store.pull(from: .beginning, rows: 1)
    #expect(changes == [.item(long), .item(short)])
    store.clock.advance(by: .seconds(-75))
    #expect(try await store.pull(from: .beginning, rows: 1).changes == changes)
    #expect(try await store.pull(from: .since(token)).changes == [])
    // A swept item leaves a tombstone.
    store.clock.advance(by: .seconds(75))
    #expect(try await store.service.sweep().expired == 1)
    #expect(try await store.pull(from: .since(token)).changes.map(\.id) == [short.id])
    #expect(try await store.pull(from: .beginning).changes == [.item(long)])
  }

  @Test(
    "a pinned item never leaves; once it is no longer pinned, it does",
    arguments: BackendKind.allCases)
  func pinned(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a") {
      $0.expiration = store.clock.now.advanced(by: .seconds(60))
    }.item
    _ = try await store.change(item, StateChange(pinned: true))
    store.clock.advance(by: Self.day * 1000)
    #expect(try await store.service.sweep().expired == 0)
    #expect(try await store.titles() == ["a"])
    _ = try await store.change(item, StateChange(pinned: false))
    #expect(try await store.titles().isEmpty)
    #expect(try await store.service.sweep().expired == 1)
  }

  @Test(
    "an item without expiration stays for the retention, a year",
    arguments: BackendKind.allCases)
  func retention(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a")
    store.clock.advance(by: Self.day * 365 - .milliseconds(1))
    #expect(try await store.service.sweep().expired == 0)
    #expect(try await store.titles() == ["a"])
    store.clock.advance(by: .milliseconds(1))
    #expect(try await store.service.sweep().expired == 1)
  }

  @Test("the retention counts from the last publication", arguments: BackendKind.allCases)
  func retentionOfReplaced(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("first", appID: "x").item
    store.clock.advance(by: Self.day * 300)
    _ = try await store.change(item, StateChange(readState: .read))
    try await store.publish("second", appID: "x")
    store.clock.advance(by: Self.day * 100)
    #expect(try await store.service.sweep().expired == 0)
    #expect(try await store.titles() == ["second"])
    store.clock.advance(by: Self.day * 265)
    #expect(try await store.service.sweep().expired == 1)
  }

  @Test(
    "an item that is pinned or published again after a sweep has listed it stays",
    arguments: BackendKind.allCases, [true, false])
  func renewedWhileSwept(kind: BackendKind, isPinned: Bool) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a", appID: "x").item
    _ = try await store.change(item, StateChange(readState: .read))
    let (environment, limits, user) = (store.environment, store.limits, store.user)
    let logic = try await store.backend.write(
      in: .store,
      { try StoreLogic.open(.joining, environment: environment, limits: limits, in: $0) },
      committed: { _ in })
    store.clock.advance(by: Self.day * 365)
    let leaving = try await store.backend.read { try logic.nextLeaving(in: $0) }
    #expect(leaving == [user: [item.id]])
    if isPinned {
      _ = try await store.change(item, StateChange(pinned: true))
    } else {
      try await store.publish("b", appID: "x")
    }
    let expired = try await store.backend.write(
      in: .user(user), { try logic.expire([item.id], of: user, in: $0).count }, committed: { _ in })
    #expect(expired == 0)
    #expect(try await store.titles() == [isPinned ? "a" : "b"])
  }

  private func retain(_ app: String, days: Int, in store: StoreUnderTest) async throws {
    var change = AppSettingsChange()
    change.retentionDays = .set(days)
    _ = try await store.service.configure(app, change, for: store.user)
  }

  @Test(
    "a snoozed item does not leave before its snooze ends, and stays a day after",
    arguments: BackendKind.allCases)
  func snoozed(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await retain("ci", days: 2, in: store)
    let friday = store.clock.now
    let item = try await store.publish("a", app: "ci").item
    let other = try await store.publish("b", app: "ci").item
    let monday = friday.advanced(by: Self.day * 3)
    _ = try await store.change(item, StateChange(userActionState: .snoozed(until: monday)))
    store.clock.advance(by: Self.day * 2 + .seconds(1))
    #expect(try await store.service.sweep().expired == 1)
    #expect(try await store.titles() == ["a"])
    #expect(
      try await storeError { _ = try await store.service.item(other.id, of: store.user) }
        == .notFound(what: "item"))
    // A change of the retention meanwhile counts from the arrival, and the snooze applies as well.
    try await retain("ci", days: 1, in: store)
    #expect(try await store.service.sweep().expired == 0)
    store.clock.advance(by: Self.day * 2 - .seconds(2))
    #expect(try await store.service.sweep().expired == 0)
    #expect(try await store.titles() == ["a"])
    store.clock.advance(by: .seconds(2))
    #expect(try await store.service.sweep().expired == 1)
  }

  @Test(
    "an item whose snooze is ended stays a day, and one never snoozed does not",
    arguments: BackendKind.allCases, [UserActionState.noInteraction, .dismissed])
  func awakened(kind: BackendKind, state: UserActionState) async throws {
    let store = try await StoreUnderTest(kind)
    try await retain("ci", days: 1, in: store)
    let item = try await store.publish("a", app: "ci").item
    let until = store.clock.now.advanced(by: Self.day * 30)
    _ = try await store.change(item, StateChange(userActionState: .snoozed(until: until)))
    store.clock.advance(by: Self.day * 5)
    #expect(try await store.service.sweep().expired == 0)
    _ = try await store.change(item, StateChange(userActionState: state))
    store.clock.advance(by: Self.day - .seconds(1))
    #expect(try await store.service.sweep().expired == 0)
    store.clock.advance(by: .seconds(1))
    #expect(try await store.service.sweep().expired == 1)
  }

  @Test(
    "a longer retention applies to items stored under a shorter one",
    arguments: BackendKind.allCases)
  func longerRetention(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.retention = Self.day
    let store = try await StoreUnderTest(kind, limits: limits)
    try await store.publish("a")
    store.clock.advance(by: Self.day * 2)
    let longer = try await StoreService.open(
      .starting, on: store.backend, environment: store.environment)
    #expect(try await longer.sweep().expired == 0)
    #expect(try await longer.list(rows: 10, for: store.user).items.count == 1)
  }

  @Test(
    "tombstones live their lifetime, and the floor rises over them when they are dropped",
    arguments: BackendKind.allCases)
  func tombstones(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let (_, before) = try await store.pull(from: .beginning)
    try await store.service.delete(item.id, for: store.user)
    let (_, after) = try await store.pull(from: .since(before))
    store.clock.advance(by: Self.day * 30)
    #expect(try await store.service.sweep().tombstonesDropped == 0)
    #expect(try await store.pull(from: .since(before)).changes.count == 1)
    store.clock.advance(by: .milliseconds(1))
    #expect(try await store.service.sweep().tombstonesDropped == 1)
    #expect(
      try await storeError { _ = try await store.pull(from: .since(before)) }
        == .resyncRequired(reason: "the token is too old"))
    #expect(try await store.pull(from: .since(after)).changes.isEmpty)
    #expect(try await store.publish("b").item.shortNumber == 2)
    #expect(try await store.pull(from: .since(after)).changes.count == 1)
  }

  @Test(
    "a first synchronisation whose tombstones are dropped meanwhile starts again",
    arguments: BackendKind.allCases)
  func floorDuringFirstSync(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    var items: [UserNotification] = []
    for number in 0..<4 { items.append(try await store.publish("\(number)").item) }
    let page = try await store.service.delta(from: .beginning, rows: 2, for: store.user)
    guard case .next(let next) = page.end else {
      Issue.record("one page only")
      return
    }
    try await store.service.delete(items[3].id, for: store.user)
    store.clock.advance(by: Self.day * 31)
    try await store.service.sweep()
    #expect(
      try await storeError {
        _ = try await store.service.delta(from: .page(next), rows: 2, for: store.user)
      } == .resyncRequired(reason: "the token is too old"))
  }

  @Test("a sweep works in batches until nothing is left", arguments: BackendKind.allCases)
  func batches(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.sweepItemsMax = 7
    let store = try await StoreUnderTest(kind, limits: limits)
    let expiration = store.clock.now.advanced(by: .seconds(60))
    for number in 0..<20 { try await store.publish("\(number)") { $0.expiration = expiration } }
    store.clock.advance(by: .seconds(60))
    #expect(try await store.service.sweep().expired == 20)
    store.clock.advance(by: Self.day * 31)
    #expect(try await store.service.sweep().tombstonesDropped == 20)
  }
}
