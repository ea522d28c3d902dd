import BellhopModel
import BellhopStore
import BellhopStoreMemory
import Testing

@Suite("Users, access tokens and devices")
struct AccessTests {
  @Test("a user's name is unique, and must be a plain one", arguments: BackendKind.allCases)
  func users(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    #expect(
      try await storeError { try await store.service.addUser(named: "ada") }
        == .alreadyExists(what: "the user"))
    #expect(try await storeError { try await store.service.addUser(named: "a b") } != nil)
    #expect(try await storeError { try await store.service.addUser(named: "") } != nil)
    #expect(try await store.service.users().map(\.name) == ["ada"])
    #expect(try await store.service.user(named: "ada").id == store.user)
  }

  @Test("a secret authenticates its user, and nothing prints it", arguments: BackendKind.allCases)
  func authenticate(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let minted = try await store.service.mintToken(
      named: "ci", scope: .publish(.prefix("ci")), for: store.user)
    #expect(minted.secret.text.hasPrefix("blh_"))
    #expect(minted.secret.text.utf8.count == 47)
    #expect("\(minted)".contains(minted.secret.text) == false)
    #expect(String(reflecting: minted.secret) == "<redacted>")
    let principal = try await store.service.authenticate(minted.secret)
    #expect(principal.user.id == store.user)
    #expect(principal.mayPublish("ci.build"))
    #expect(!principal.mayPublish("nas"))
    #expect(!principal.isDevice)
    let wrong = AccessTokenSecret(String(minted.secret.text.dropLast()) + "!")
    #expect(
      try await storeError { _ = try await store.service.authenticate(wrong) }
        == .unauthenticated(reason: "the access token is unknown"))
  }

  @Test(
    "a revoked token is refused, at once and for good",
    arguments: BackendKind.allCases)
  func revoke(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let minted = try await store.service.mintToken(
      named: "ci", scope: .publish(.any), for: store.user)
    _ = try await store.service.authenticate(minted.secret)
    try await store.service.revokeToken(minted.token.id, of: store.user)
    try await store.service.revokeToken(minted.token.id, of: store.user)
    #expect(
      try await storeError { _ = try await store.service.authenticate(minted.secret) }
        == .revoked(Revocation(at: store.clock.now)))
    let other = try await store.service.addUser(named: "bob").id
    #expect(
      try await storeError {
        try await store.service.revokeToken(store.token.token.id, of: other)
      } == .notFound(what: "token"))
  }

  @Test("a token expires", arguments: BackendKind.allCases)
  func expire(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let minted = try await store.service.mintToken(
      named: "ci", scope: .publish(.any),
      expires: store.clock.now.advanced(by: .seconds(60)), for: store.user)
    _ = try await store.service.authenticate(minted.secret)
    store.clock.advance(by: .seconds(60))
    #expect(
      try await storeError { _ = try await store.service.authenticate(minted.secret) }
        == .unauthenticated(reason: "the access token has expired"))
  }

  @Test(
    "tokens are stored unchanged, with their last use to the hour",
    arguments: BackendKind.allCases)
  func tokens(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let app = try await store.service.mintToken(
      named: "app", scope: .publish(.app("nas")),
      expires: store.clock.now.advanced(by: .seconds(86_400 * 2)), for: store.user)
    _ = try await store.service.authenticate(app.secret)
    let used = store.clock.now
    store.clock.advance(by: .seconds(3599))
    _ = try await store.service.authenticate(app.secret)
    var expected = app.token
    expected.lastUsed = used
    #expect(try await store.service.accessTokens(of: store.user).last == expected)
    store.clock.advance(by: .seconds(1))
    _ = try await store.service.authenticate(app.secret)
    expected.lastUsed = store.clock.now
    #expect(try await store.service.accessTokens(of: store.user).last == expected)
  }

  @Test(
    "an unbound device token is bound to the first device that registers with it",
    arguments: BackendKind.allCases)
  func binding(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let principal = try await store.service.authenticate(store.token.secret)
    #expect(principal.token.scope == .device(DeviceID("laptop")))
    #expect(principal.device?.registration == store.device.registration)
    #expect(principal.author == store.device.author)
    func register(_ id: String, _ token: AccessTokenID) async throws -> StoreError? {
      try await storeError {
        _ = try await store.service.register(
          DeviceRegistration(id: DeviceID(id), name: "x", platform: "linux", channel: .polling),
          with: token, for: store.user)
      }
    }
    #expect(
      try await register("phone", store.token.token.id)
        == .accessDenied(reason: "the access token belongs to another device"))
    #expect(try await register("laptop", store.token.token.id) == nil)
    let publish = try await store.service.mintToken(
      named: "ci", scope: .publish(.any), for: store.user)
    #expect(
      try await register("phone", publish.token.id)
        == .accessDenied(reason: "only a device token can register a device"))
    #expect(try await register("a b", store.token.token.id) != nil)
  }

  @Test(
    "an enrolment token is short-lived, whatever lifetime is requested",
    arguments: BackendKind.allCases)
  func enrolTokens(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let start = store.clock.now
    let minted = try await store.service.mintToken(named: "e", scope: .enrol, for: store.user)
    #expect(minted.token.expires == start.advanced(by: store.limits.enrolLife))
    #expect(minted.secret.text.hasPrefix("blh_enrol_"))
    #expect(try await store.service.authenticate(minted.secret).reach == .nothing)
    store.clock.advance(by: store.limits.enrolLife)
    #expect(
      try await storeError { _ = try await store.service.authenticate(minted.secret) }
        == .unauthenticated(reason: "the access token has expired"))
    let late = store.clock.now.advanced(by: store.limits.enrolLifeMax + .seconds(1))
    #expect(
      try await storeError {
        _ = try await store.service.mintToken(
          named: "e", scope: .enrol, expires: late, for: store.user)
      } != nil)
    #expect(
      try await storeError {
        _ = try await store.service.mintToken(named: "a", scope: .app("a b"), for: store.user)
      } != nil)
  }

  @Test(
    "a device that signs in again has one token, and an enrolment token can be used once",
    arguments: BackendKind.allCases)
  func signIn(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let desk = DeviceRegistration(
      id: DeviceID("desk"), name: "Desk", platform: "linux", channel: .signal)
    let first = try await store.service.signIn(desk, named: "x", for: store.user)
    #expect(first.device?.registration == desk && first.user.name == "ada")
    let enrol = try await store.service.mintToken(named: "e", scope: .enrol, for: store.user)
    let second = try await store.service.enrol(enrol.secret, desk, named: "x")
    #expect(try await store.service.devices(of: store.user).count == 2)
    #expect(try await store.service.authenticate(second.minted.secret).device?.id == desk.id)
    for secret in [first.minted.secret, enrol.secret] {
      #expect(
        try await storeError { _ = try await store.service.authenticate(secret) }
          == .revoked(Revocation(at: store.clock.now, by: "Desk")))
    }
    #expect(
      try await storeError {
        _ = try await store.service.enrol(second.minted.secret, desk, named: "x")
      } == .accessDenied(reason: "only an enrol token can be exchanged"))
    // A failure leaves no token behind, and the enrolment token unused.
    let again = try await store.service.mintToken(named: "e", scope: .enrol, for: store.user)
    let count = try await store.service.accessTokens(of: store.user).count
    var wrong = desk
    wrong.name = ""
    #expect(
      try await storeError {
        _ = try await store.service.enrol(again.secret, wrong, named: "x")
      } != nil)
    #expect(try await store.service.accessTokens(of: store.user).count == count)
    #expect(try await store.service.authenticate(again.secret).token.scope == .enrol)
  }

  @Test(
    "a registration expires, is reported in time, and is renewed by use",
    arguments: BackendKind.allCases)
  func registration(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    func state() async throws -> Device.State {
      try await store.service.device(DeviceID("laptop"), of: store.user)
        .state(at: store.clock.now, expiring: store.limits.deviceExpiring)
    }
    #expect(try await state() == .registered)
    store.clock.advance(by: .seconds(77 * 86_400))
    #expect(try await state() == .expiring)
    store.clock.advance(by: .seconds(13 * 86_400))
    #expect(try await state() == .expired)
    _ = try await store.service.authenticate(store.token.secret)
    #expect(try await state() == .registered)
  }

  @Test(
    "an unchanged registration is renewed once a day, a changed one at once",
    arguments: BackendKind.allCases)
  func registeringAgain(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    func register(_ name: String = "Laptop") async throws -> Device {
      var registration = store.device.registration
      registration.name = name
      return try await store.service.register(
        registration, with: store.token.token.id, for: store.user)
    }
    let begin = store.clock.now
    store.clock.advance(by: .seconds(86_399))
    #expect(try await register() == store.device)
    store.clock.advance(by: .seconds(1))
    #expect(try await register().renewed == store.clock.now)
    store.clock.advance(by: .seconds(60))
    let renamed = try await register("Work laptop")
    #expect(renamed.registration.name == "Work laptop" && renamed.renewed == store.clock.now)
    #expect(renamed.registered == begin)
    // One that is about to expire is renewed, however short its lifetime may be.
    let last = renamed.expires.advanced(by: .zero - store.limits.deviceExpiring)
    store.clock.advance(by: last.duration(since: store.clock.now))
    #expect(try await register("Work laptop").renewed == store.clock.now)
  }

  @Test(
    "a revoked device loses its tokens, its streams and its numbers",
    arguments: BackendKind.allCases)
  func revokeDevice(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    _ = try await store.send([store.operation(.read, item)])
    let stream = try await store.service.signals(for: store.user, excluding: DeviceID("laptop"))
    try await store.service.revokeDevice(DeviceID("laptop"), of: store.user, by: "Phone")
    var signals = 0
    for await _ in stream { signals += 1 }
    #expect(signals <= 1)
    #expect(
      try await storeError { _ = try await store.service.authenticate(store.token.secret) }
        == .revoked(Revocation(at: store.clock.now, by: "Phone")))
    #expect(try await store.service.devices(of: store.user).isEmpty)
    _ = try await store.addDevice("laptop")
    #expect(
      try await store.send([store.operation(.dismiss, item)], from: 1).results == [.applied])
  }

  @Test(
    "revoked or expired tokens are removed after their lifetime, and others are not",
    arguments: BackendKind.allCases)
  func endedTokens(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    func mint(_ name: String, expires: Timestamp? = nil) async throws -> MintedToken {
      try await store.service.mintToken(
        named: name, scope: .publish(.any), expires: expires, for: store.user)
    }
    let start = store.clock.now
    let revoked = try await mint("revoked")
    let expired = try await mint("expired", expires: start.advanced(by: .seconds(60)))
    let late = try await mint("late", expires: start.advanced(by: .seconds(120)))
    let held = try await mint("held")
    try await store.service.revokeToken(revoked.token.id, of: store.user)
    func names() async throws -> [String] {
      try await store.service.accessTokens(of: store.user).map(\.name)
    }
    store.clock.advance(by: store.limits.endedTokenLife)
    try await store.service.sweep()
    #expect(try await names() == ["laptop", "revoked", "expired", "late", "held"])
    store.clock.advance(by: .seconds(61))
    try await store.service.sweep()
    #expect(try await names() == ["laptop", "late", "held"])
    for gone in [revoked, expired] {
      #expect(
        try await storeError { _ = try await store.service.authenticate(gone.secret) }
          == .unauthenticated(reason: "the access token is unknown"))
    }
    #expect(
      try await storeError { _ = try await store.service.authenticate(late.secret) }
        == .unauthenticated(reason: "the access token has expired"))
    _ = try await store.service.authenticate(held.secret)
  }

  @Test(
    "the number of a user's ended tokens is bounded, and the oldest go first",
    arguments: BackendKind.allCases)
  func endedTokensMax(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.endedTokensPerUserMax = 3
    limits.tokensPerUserMax = 3
    let store = try await StoreUnderTest(kind, limits: limits)
    for number in 0..<6 {
      store.clock.advance(by: .seconds(1))
      let minted = try await store.service.mintToken(
        named: "\(number)", scope: .publish(.any),
        expires: number == 3 ? store.clock.now.advanced(by: .milliseconds(1)) : nil,
        for: store.user)
      if number != 3 { try await store.service.revokeToken(minted.token.id, of: store.user) }
    }
    store.clock.advance(by: .seconds(1))
    for number in 0..<2 {
      _ = try await store.service.mintToken(
        named: "held \(number)", scope: .publish(.any), for: store.user)
    }
    #expect(
      try await store.service.accessTokens(of: store.user).map(\.name)
        == ["laptop", "3", "4", "5", "held 0", "held 1"])
    // Only valid tokens are counted.
    let error = try await storeError {
      _ = try await store.service.mintToken(named: "x", scope: .publish(.any), for: store.user)
    }
    #expect(
      error
        == .accessDenied(
          reason: "the user already has 3 tokens; revoke those that are not needed"))
    #expect(try await store.service.problems().isEmpty)
  }

  @Test("a backup from before a forgotten revocation does not accept the token again")
  func restoredAfterForgetting() async throws {
    let store = try await StoreUnderTest(.memory)
    let backend = try #require(store.backend as? MemoryBackend)
    let minted = try await store.service.mintToken(
      named: "lost", scope: .publish(.any), for: store.user)
    let backup = backend.snapshot()
    try await store.service.revokeToken(minted.token.id, of: store.user)
    store.clock.advance(by: store.limits.endedTokenLife + .seconds(1))
    try await store.service.sweep()
    #expect(
      try await store.service.accessTokens(of: store.user).map(\.name) == ["laptop"])
    let former = try await store.service.formerState()
    backend.restore(backup)
    let restored = try await store.restarted()
    _ = try await restored.authenticate(minted.secret)
    #expect(try await restored.adopt(after: former).revokedAgain == 1)
    #expect(
      try await storeError { _ = try await store.restarted().authenticate(minted.secret) }
        == .revoked(Revocation(at: store.clock.now)))
  }
}
