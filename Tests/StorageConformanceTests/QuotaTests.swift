import BellhopModel
import BellhopStore
import Testing

@Suite("Quotas")
struct QuotaTests {
  private static let day = Duration.seconds(86_400)

  private func isFull(_ error: StoreError?) -> Bool {
    if case .quotaReached = error { true } else { false }
  }

  private func use(_ store: StoreUnderTest, _ app: String) async throws -> StorageUse {
    try await store.service.app(named: app, of: store.user).use
  }

  @Test(
    "an app's usage is counted through every change, and ends with its last row",
    arguments: BackendKind.allCases)
  func counting(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.publish("a", app: "ci", appID: "x") { $0.raw = "12345" }.item
    let size = first.content.storedByteCount
    #expect(size == 2 + 1 + 1 + 5)
    #expect(try await use(store, "ci") == StorageUse(items: 1, tombstones: 0, bytes: size))
    let second = try await store.publish("ab", app: "ci", appID: "x").item
    #expect(try await use(store, "ci").bytes == second.content.storedByteCount)
    _ = try await store.change(second, StateChange(readState: .read, pinned: true))
    #expect(try await use(store, "ci").items == 1)
    try await store.publish("c", app: "ci") {
      $0.expiration = store.clock.now.advanced(by: .seconds(10))
    }
    #expect(try await use(store, "ci").items == 2)
    store.clock.advance(by: .seconds(10))
    try await store.service.sweep()
    #expect(
      try await use(store, "ci")
        == StorageUse(items: 1, tombstones: 1, bytes: second.content.storedByteCount))
    _ = try await store.send([store.operation(.delete, second)])
    #expect(try await use(store, "ci") == StorageUse(items: 0, tombstones: 2, bytes: 0))
    store.clock.advance(by: Self.day * 31)
    try await store.service.sweep()
    #expect(try await store.service.apps(of: store.user).isEmpty)
    let counters = try await store.backend.read { [user = store.user] in
      try $0.counters(of: user)
    }
    #expect(counters?.use == StorageUse())
    #expect(counters?.apps == 0)
  }

  @Test("a refused publication is not counted", arguments: BackendKind.allCases)
  func refusals(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a", app: "ci")
    let before = try await use(store, "ci")
    _ = try await storeError { try await store.publish("", app: "ci") }
    #expect(try await use(store, "ci") == before)
    let restarted = try await store.restarted()
    #expect(try await restarted.app(named: "ci", of: store.user).use == before)
  }

  @Test("an app at its limit is refused, and the others are not", arguments: BackendKind.allCases)
  func refusing(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.appItemsMax = 3
    let store = try await StoreUnderTest(kind, limits: limits)
    for number in 0..<3 { try await store.publish("\(number)", app: "ci", appID: "\(number)") }
    #expect(isFull(try await storeError { try await store.publish("3", app: "ci") }))
    #expect(try await store.publish("other", app: "nas").outcome == .created)
    #expect(try await store.publish("new", app: "ci", appID: "1").outcome == .updated)
    try await store.service.withdraw(app: "ci", appNotificationID: "0", for: store.user)
    #expect(try await store.publish("3", app: "ci").outcome == .created)
  }

  @Test("bytes are limited as items are", arguments: BackendKind.allCases)
  func bytes(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.appBytesMax = 1000
    let store = try await StoreUnderTest(kind, limits: limits)
    let long = String(repeating: "x", count: 900)
    try await store.publish("a", app: "ci", appID: "x") { $0.raw = long }
    #expect(
      isFull(try await storeError { try await store.publish("b", app: "ci") { $0.raw = long } }))
    #expect(
      isFull(
        try await storeError {
          try await store.publish("a", app: "ci", appID: "x") { $0.raw = long + long }
        }))
    #expect(try await store.publish("a", app: "ci", appID: "x").outcome == .updated)
    #expect(
      try await store.publish("b", app: "ci") { $0.raw = long }.outcome == .created)
  }

  @Test(
    "eviction removes the app's oldest items, never pinned ones and never another app's",
    arguments: BackendKind.allCases)
  func evicting(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.appItemsMax = 3
    limits.appBytesMax = 1000
    limits.quotaPolicy = .evictOldest
    let store = try await StoreUnderTest(kind, limits: limits)
    try await store.publish("other", app: "nas")
    let pinned = try await store.publish("kept", app: "ci").item
    _ = try await store.change(pinned, StateChange(pinned: true))
    let (_, token) = try await store.pull(from: .beginning)
    for number in 0..<4 { try await store.publish("\(number)", app: "ci") }
    #expect(try await store.titles() == ["3", "2", "kept", "other"])
    #expect(try await use(store, "ci").items == 3)
    #expect(try await use(store, "ci").tombstones == 2)
    let (changes, _) = try await store.pull(from: .since(token))
    #expect(changes.count { if case .removed = $0 { true } else { false } } == 2)
    // Bytes too: one large item replaces both small ones.
    try await store.publish("large", app: "ci") { $0.raw = String(repeating: "x", count: 986) }
    #expect(try await store.titles() == ["large", "kept", "other"])
    // A publication that can't fit is refused and changes nothing.
    #expect(
      isFull(
        try await storeError {
          try await store.publish("too large", app: "ci") {
            $0.raw = String(repeating: "x", count: 1001)
          }
        }))
    #expect(try await store.titles() == ["large", "kept", "other"])
  }

  @Test("eviction does not remove a snoozed item until it wakes", arguments: BackendKind.allCases)
  func evictingSnoozed(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.appItemsMax = 2
    limits.quotaPolicy = .evictOldest
    let store = try await StoreUnderTest(kind, limits: limits)
    let item = try await store.publish("snoozed", app: "ci").item
    let until = store.clock.now.advanced(by: .seconds(3600))
    _ = try await store.change(item, StateChange(userActionState: .snoozed(until: until)))
    for number in 0..<2 { try await store.publish("\(number)", app: "ci") }
    #expect(try await store.titles() == ["1", "snoozed"])
    store.clock.advance(by: .seconds(3600))
    try await store.publish("2", app: "ci")
    #expect(try await store.titles() == ["2", "1"])
  }

  @Test(
    "tombstones count until they expire: publishing and deleting is limited too",
    arguments: BackendKind.allCases, QuotaPolicy.allCases)
  func tombstonesCount(kind: BackendKind, policy: QuotaPolicy) async throws {
    var limits = StoreLimits()
    limits.appRowsMax = 4
    limits.quotaPolicy = policy
    let store = try await StoreUnderTest(kind, limits: limits)
    for number in 0..<4 {
      try await store.publish("\(number)", app: "ci", appID: "x")
      try await store.service.withdraw(app: "ci", appNotificationID: "x", for: store.user)
    }
    #expect(isFull(try await storeError { try await store.publish("4", app: "ci") }))
    #expect(try await store.publish("other", app: "nas").outcome == .created)
    store.clock.advance(by: Self.day * 31)
    try await store.service.sweep()
    #expect(try await store.publish("4", app: "ci").outcome == .created)
  }

  @Test(
    "a user's limit applies to apps that exceed their share, and to no others",
    arguments: BackendKind.allCases)
  func userLimit(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.userItemsMax = 6
    limits.appsMax = 3
    let store = try await StoreUnderTest(kind, limits: limits)
    for number in 0..<6 { try await store.publish("\(number)", app: "loud") }
    #expect(isFull(try await storeError { try await store.publish("6", app: "loud") }))
    try await store.publish("a", app: "quiet")
    try await store.publish("b", app: "quiet")
    #expect(isFull(try await storeError { try await store.publish("c", app: "quiet") }))
    try await store.publish("a", app: "third")
    #expect(isFull(try await storeError { try await store.publish("a", app: "fourth") }))
    let error = try await storeError {
      var change = AppSettingsChange()
      change.mute = .forever
      _ = try await store.service.configure("fourth", change, for: store.user)
    }
    #expect(isFull(error))
    // Another user has separate limits.
    let bob = try await store.service.addUser(named: "bob").id
    let content = Content(app: "loud", visual: VisualContent(title: "a"))
    _ = try await store.service.publish(PublishRequest(content), for: bob)
  }

  @Test(
    "publications per minute: a burst of one minute's worth, then the rate, for each app",
    arguments: BackendKind.allCases)
  func rates(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.appPublishesPerMinute = 6
    let store = try await StoreUnderTest(kind, limits: limits)
    let start = store.clock.now
    for number in 0..<6 { try await store.publish("\(number)", app: "ci") }
    let error = try await storeError { try await store.publish("6", app: "ci") }
    guard case .tooManyRequests(let wait)? = error else {
      Issue.record("let in: \(error as Any)")
      return
    }
    #expect(wait > .seconds(9) && wait <= .seconds(10))
    #expect(try await store.publish("other", app: "nas").outcome == .created)
    store.clock.advance(by: start.advanced(by: .seconds(11)).duration(since: store.clock.now))
    try await store.publish("7", app: "ci")
    #expect(try await storeError { try await store.publish("8", app: "ci") } != nil)
    store.clock.advance(by: .seconds(3600))
    for number in 0..<6 { try await store.publish("\(number)", app: "ci") }
    #expect(try await storeError { try await store.publish("9", app: "ci") } != nil)
  }

  @Test("a user's rate leaves every app its share", arguments: BackendKind.allCases)
  func userRate(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.userPublishesPerMinute = 10
    limits.appsMax = 5
    let store = try await StoreUnderTest(kind, limits: limits)
    var count = 0
    while try await storeError({ try await store.publish("\(count)", app: "loud") }) == nil {
      count += 1
    }
    // Its share of two, and the ten that all share.
    #expect(count == 12)
    for number in 0..<2 { try await store.publish("\(number)", app: "quiet") }
    #expect(try await storeError { try await store.publish("2", app: "quiet") } != nil)
  }

  @Test(
    "a repeated publication gets its answer again, whatever the rate",
    arguments: BackendKind.allCases)
  func repetition(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.appPublishesPerMinute = 1
    let store = try await StoreUnderTest(kind, limits: limits)
    let request = PublishRequest(
      Content(app: "ci", visual: VisualContent(title: "a")),
      idempotency: IdempotencyKey(token: store.token.token.id, key: "k", bodyHash: [1]))
    let first = try await store.service.publish(request, for: store.user)
    let second = try await store.service.publish(request, for: store.user)
    #expect(second.isRepeat && second.item.id == first.item.id)
  }
}
