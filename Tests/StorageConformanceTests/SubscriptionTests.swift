import BellhopModel
import BellhopStore
import Testing

/// A store with one subscription, and the steps of delivering to its hook.
struct HookedStore: Sendable {
  let store: StoreUnderTest
  let subscription: Subscription

  init(
    _ kind: BackendKind, limits: StoreLimits = StoreLimits(), types: String = Self.allTypes,
    lifecycle: Bool = false, life: Duration = .seconds(86_400)
  ) async throws {
    store = try await StoreUnderTest(kind, limits: limits)
    subscription = try await store.service.subscribe(
      Self.request(store, types: types, lifecycle: lifecycle, life: life),
      with: store.token.token.id, for: store.user)
  }

  static let allTypes = "created,updated,deleted"

  static func request(
    _ store: StoreUnderTest, types: String = allTypes, lifecycle: Bool = false,
    life: Duration = .seconds(86_400)
  ) throws -> SubscriptionRequest {
    SubscriptionRequest(
      changeTypes: try #require(ChangeTypes(types)), resource: "me/notifications",
      notificationURL: "https://hook.example/a",
      lifecycleURL: lifecycle ? "https://hook.example/life" : nil,
      clientState: ClientState("secret state"), expires: store.clock.now.advanced(by: life))
  }

  func step(in service: StoreService? = nil) async throws -> HookStep {
    try await (service ?? store.service).hookStep(for: subscription.key)
  }

  /// The message to be sent now.
  func message() async throws -> HookMessage {
    guard case .tell(let message) = try await step() else {
      throw StoreError.notFound(what: "message")
    }
    return message
  }

  /// The deliveries until none is left, such as `created 1` with the item's short number.
  func tellAll() async throws -> [[String]] {
    var told: [[String]] = []
    while case .tell(let message) = try await step() {
      told.append(try await words(message))
      #expect(try await store.service.record(.accepted, of: message) == .advanced)
    }
    return told
  }

  func words(_ message: HookMessage) async throws -> [String] {
    switch message.content {
    case .lifecycle(let event): return [event.rawValue]
    case .changes(let changes):
      var words: [String] = []
      for change in changes {
        let number = try? await store.service.item(change.id, of: store.user).shortNumber
        words.append(change.type.rawValue + (number.map { " \($0)" } ?? ""))
      }
      return words
    }
  }

  func fail(after pause: Duration? = nil) async throws -> HookRecord {
    try await store.service.record(.failed(retryAfter: pause), of: try await message())
  }
}

@Suite("Subscriptions")
struct SubscriptionTests {
  @Test(
    "only a subscription's user can list, renew and end it",
    arguments: BackendKind.allCases)
  func ownership(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let (store, mine) = (hooked.store, hooked.subscription)
    let service = store.service
    let bob = try await service.addUser(named: "bob").id
    let token = try await service.mintToken(named: "b", scope: .device(nil), for: bob).token.id
    #expect(try await service.subscriptions(of: store.user) == [mine])
    #expect(try await service.subscription(mine.id, of: store.user) == mine)
    #expect(try await service.subscriptions(of: bob).isEmpty)
    let notFound = StoreError.notFound(what: "subscription")
    #expect(
      try await storeError { _ = try await service.subscription(mine.id, of: bob) } == notFound)
    #expect(
      try await storeError {
        _ = try await service.renew(
          mine.id, expires: store.clock.now.advanced(by: .seconds(60)), notificationURL: nil,
          with: token, for: bob)
      } == notFound)
    #expect(
      try await storeError { try await service.unsubscribe(mine.id, of: bob) } == notFound)
    let later = store.clock.now.advanced(by: .seconds(2 * 86_400))
    let renewed = try await service.renew(
      mine.id, expires: later, notificationURL: nil, with: store.token.token.id,
      for: store.user)
    #expect(renewed.request.expires == later)
    try await service.unsubscribe(mine.id, of: store.user)
    #expect(
      try await storeError { try await service.unsubscribe(mine.id, of: store.user) }
        == notFound)
    #expect(try await hooked.step() == .gone)
  }

  @Test(
    "a subscription's request has limits, and each refusal names its field",
    arguments: BackendKind.allCases)
  func limits(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.subscriptionsPerUserMax = 2
    limits.subscriptionLifeMax = .seconds(3600)
    let hooked = try await HookedStore(kind, limits: limits, life: .seconds(60))
    let store = hooked.store
    func refused(_ adjust: (inout SubscriptionRequest) -> Void) async throws -> StoreError? {
      var request = try HookedStore.request(store, life: .seconds(60))
      adjust(&request)
      return try await storeError {
        _ = try await store.service.subscribe(
          request, with: store.token.token.id, for: store.user)
      }
    }
    func field(_ error: StoreError?) -> String? {
      if case .invalid(let field, _)? = error { field } else { nil }
    }
    let now = store.clock.now
    #expect(try await field(refused { $0.expires = now }) == "expirationDateTime")
    #expect(
      try await field(refused { $0.expires = now.advanced(by: .seconds(3601)) })
        == "expirationDateTime")
    #expect(try await field(refused { $0.changeTypes = ChangeTypes([]) }) == "changeType")
    let long = String(repeating: "ä", count: 129)
    #expect(try await field(refused { $0.clientState = ClientState(long) }) == "clientState")
    #expect(try await field(refused { $0.clientState = ClientState("") }) == "clientState")
    #expect(
      try await field(refused { $0.tlsVersion = String(repeating: "v", count: 17) })
        == "latestSupportedTlsVersion")
    #expect(try await refused { $0.clientState = ClientState(String(long.dropLast())) } == nil)
    #expect(try await refused { _ in } == .tooManySubscriptions(max: 2))
    // An expired one frees its slot.
    store.clock.advance(by: .seconds(60))
    #expect(try await hooked.step() == .gone)
    #expect(try await refused { $0.expires = store.clock.now.advanced(by: .seconds(9)) } == nil)
  }

  @Test("a subscription's clientState is never printed")
  func redaction() async throws {
    let hooked = try await HookedStore(.memory)
    var text = "\(hooked.subscription) "
    dump(hooked.subscription, to: &text)
    #expect(!text.contains("secret state"))
    #expect(text.contains("<redacted>"))
  }

  @Test(
    "subscriptions of all users are paged in one order",
    arguments: BackendKind.allCases)
  func paging(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    let bob = try await store.service.addUser(named: "bob").id
    let token = try await store.service.mintToken(
      named: "b", scope: .device(nil), for: bob
    ).token.id
    var keys = [hooked.subscription.key]
    for _ in 0..<2 {
      keys.append(
        try await store.service.subscribe(
          HookedStore.request(store), with: token, for: bob
        ).key)
    }
    var found: [SubscriptionKey] = []
    while case let page = try await store.service.hooks(after: found.last, limit: 2),
      !page.isEmpty
    {
      #expect(page.count <= 2)
      found += page.map(\.key)
    }
    #expect(found == keys.sorted())
  }

  @Test(
    "a revoked token's subscriptions end at once, and renewing moves one to another token",
    arguments: BackendKind.allCases)
  func revocation(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let (store, service) = (hooked.store, hooked.store.service)
    let other = try await service.mintToken(
      named: "other", scope: .device(nil), for: store.user
    ).token.id
    let second = try await service.subscribe(
      HookedStore.request(store), with: other, for: store.user)
    try await service.revokeToken(store.token.token.id, of: store.user)
    #expect(try await service.subscriptions(of: store.user) == [second])
    try await store.publish("a")
    #expect(try await hooked.step() == .gone)
    guard case .tell = try await service.hookStep(for: second.key) else {
      Issue.record("the other one goes on")
      return
    }
    let refusal = try await storeError {
      _ = try await service.renew(
        second.id, expires: nil, notificationURL: nil, with: store.token.token.id,
        for: store.user)
    }
    guard case .unauthenticated? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
  }

  @Test(
    "a subscription ends when its token expires, or its sign-in is forgotten or revoked",
    arguments: BackendKind.allCases)
  func endOfTokens(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.signInsPerUserMax = 1
    let store = try await StoreUnderTest(kind, limits: limits)
    let (service, user) = (store.service, store.user)
    func signIn(_ session: String) async throws -> AccessTokenID {
      let signIn = ExternalSignIn(
        issuer: "https://id.test", subject: "4711", userName: "ada", client: "hooks",
        session: session, device: nil, right: .device, issued: store.clock.now,
        authenticated: nil, addsUser: false)
      return try await service.authenticate(signIn).token.id
    }
    let short = try await service.mintToken(
      named: "short", scope: .device(nil), expires: store.clock.now.advanced(by: .seconds(30)),
      for: user
    ).token.id
    let request = try HookedStore.request(store)
    _ = try await service.subscribe(request, with: short, for: user)
    let first = try await service.subscribe(request, with: signIn("1"), for: user)
    #expect(try await service.subscriptions(of: user).count == 2)
    store.clock.advance(by: .seconds(30))
    #expect(try await service.subscriptions(of: user).map(\.id) == [first.id])

    // The next sign-in takes the place of the only one.
    let changed = service.changedUsers
    _ = changed.take()
    let second = try await service.subscribe(request, with: signIn("2"), for: user)
    #expect(changed.take().subscriptions == [user])
    #expect(try await service.subscriptions(of: user).map(\.id) == [second.id])

    try await service.forgetSubject(of: user, at: "https://id.test")
    #expect(changed.take().subscriptions == [user])
    #expect(try await service.subscriptions(of: user).isEmpty)
  }

  @Test("a waiter for changed users is woken once for many changes, and by cancellation")
  func changedUsers() async throws {
    let store = try await StoreUnderTest(.memory)
    let changed = store.service.changedUsers
    _ = changed.take()
    for number in 0..<5 { try await store.publish("\(number)") }
    #expect(await changed.next().items == [store.user])
    let waiting = Task { await changed.next() }
    waiting.cancel()
    #expect(await waiting.value == ChangedUsers.News())
    let second = Task { await changed.next() }
    try await store.publish("x")
    #expect(await second.value.items == [store.user])
  }
}
