import BellhopModel
import BellhopStore
import BellhopTestSupport
import Testing

@Suite("Sign-ins through an identity provider")
struct ExternalSignInTests {
  private func signIn(
    _ subject: String = "4711", name: String = "ada", client: String = "bellhop",
    session: String? = nil, device: String? = nil, right: ExternalSignIn.Right = .device,
    issued: Timestamp, authenticated: Timestamp? = nil, addsUser: Bool = false
  ) -> ExternalSignIn {
    ExternalSignIn(
      issuer: "https://id.test/realm", subject: subject, userName: name, client: client,
      session: session, device: device.map { DeviceID($0) }, right: right, issued: issued,
      authenticated: authenticated, addsUser: addsUser)
  }

  private func registration(_ id: String) -> DeviceRegistration {
    DeviceRegistration(id: DeviceID(id), name: "The \(id)", platform: "test", channel: .signal)
  }

  @Test("the revocation of a sign-in is kept permanently", arguments: BackendKind.allCases)
  func revocationStays(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.endedTokensPerUserMax = 1
    let store = try await StoreUnderTest(kind, limits: limits)
    let made = signIn(session: "s", issued: store.clock.now)
    let token = try await store.service.authenticate(made).token.id
    try await store.service.revokeToken(token, of: store.user)
    let revoked = store.clock.now
    for number in 0..<3 {
      let minted = try await store.service.mintToken(
        named: "\(number)", scope: .publish(.any), for: store.user)
      store.clock.advance(by: .seconds(1))
      try await store.service.revokeToken(minted.token.id, of: store.user)
    }
    store.clock.advance(by: store.limits.endedTokenLife * 2)
    try await store.service.sweep()
    let again = signIn(session: "s", issued: store.clock.now)
    #expect(
      try await storeError { _ = try await store.service.authenticate(again) }
        == .revoked(Revocation(at: revoked)))
  }

  @Test(
    "a sign-in is one access token, whichever of the provider's tokens it uses",
    arguments: BackendKind.allCases)
  func oneToken(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let now = store.clock.now
    let first = try await store.service.authenticate(signIn(session: "s", issued: now))
    #expect(first.user.id == store.user)
    #expect(first.isDevice)
    #expect(first.token.name == "bellhop at id.test")
    store.clock.advance(by: .seconds(600))
    let renewed = signIn(session: "s", issued: store.clock.now)
    #expect(try await store.service.authenticate(renewed).token.id == first.token.id)
    let other = try await store.service.authenticate(signIn(session: "t", issued: now))
    #expect(other.token.id != first.token.id)
    // A sign-in's name is not a valid secret.
    #expect(
      try await store.service.accessTokens(of: store.user).map(\.id)
        .contains(first.token.id))
  }

  @Test(
    "a subject becomes a user once; neither another name nor another subject changes that",
    arguments: BackendKind.allCases)
  func subjects(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let now = store.clock.now
    _ = try await store.service.authenticate(signIn(issued: now))
    let renamed = try await store.service.authenticate(
      signIn(name: "ada.lovelace", session: "2", issued: now))
    #expect(renamed.user.id == store.user)
    #expect(
      try await storeError {
        _ = try await store.service.authenticate(signIn("0815", name: "ada", issued: now))
      }
        == .accessDenied(
          reason: "this user is linked to another account at the identity provider; ask the "
            + "store's administrator"
        ))
    // The store's administrator may decide that the name belongs to another account now.
    try await store.service.forgetSubject(of: store.user, at: "https://id.test/realm")
    let next = try await store.service.authenticate(signIn("0815", issued: now))
    #expect(next.user.id == store.user)
    #expect(
      try await storeError { _ = try await store.service.authenticate(signIn(issued: now)) }
        == .accessDenied(
          reason: "this user is linked to another account at the identity provider; ask the "
            + "store's administrator"
        ))
    #expect(
      try await storeError {
        try await store.service.forgetSubject(of: store.user, at: "https://other.test")
      } == .notFound(what: "user of this issuer"))
  }

  @Test("an unknown user is added only if configured", arguments: BackendKind.allCases)
  func unknownUsers(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let now = store.clock.now
    let denied = StoreError.accessDenied(
      reason: "this store has no such user; ask the store's administrator")
    #expect(
      try await storeError {
        _ = try await store.service.authenticate(signIn("1", name: "bob", issued: now))
      } == denied)
    #expect(
      try await storeError {
        _ = try await store.service.authenticate(
          signIn("1", name: "no name", issued: now, addsUser: true))
      } == denied)
    #expect(
      try await storeError {
        _ = try await store.service.authenticate(
          signIn("1", name: "bob", right: .publish(.any), issued: now, addsUser: true))
      } == denied)
    #expect(try await store.service.users().count == 1)
    let bob = try await store.service.authenticate(
      signIn("1", name: "bob", issued: now, addsUser: true))
    #expect(bob.user.name == "bob")
    #expect(try await store.service.user(named: "bob").id == bob.user.id)
  }

  @Test(
    "the first registered device is the sign-in's own; without a session each names its own",
    arguments: BackendKind.allCases)
  func binding(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let now = store.clock.now
    for session in ["s", nil] {
      let names = ["laptop", "desk"].map { $0 + (session ?? "") }
      for name in names {
        let own = signIn(session: session, device: name, issued: now)
        let principal = try await store.service.authenticate(own)
        #expect(principal.token.scope == .device(nil))
        _ = try await store.service.register(
          registration(name), with: principal.token.id, for: store.user)
        let bound = try await store.service.authenticate(own)
        #expect(bound.token.scope == .device(DeviceID(name)))
        #expect(bound.device?.id == DeviceID(name))
        #expect(
          try await storeError {
            _ = try await store.service.register(
              registration("other"), with: principal.token.id, for: store.user)
          } == .accessDenied(reason: "the access token belongs to another device"))
      }
    }
    // Another program of the same user does not take over a device; a new session does.
    let stranger = try await store.service.authenticate(
      signIn(client: "other", device: "laptop", issued: now))
    #expect(
      try await storeError {
        _ = try await store.service.register(
          registration("laptop"), with: stranger.token.id, for: store.user)
      } == .accessDenied(reason: "the device was registered by another user or client"))
    let again = try await store.service.authenticate(
      signIn(session: "new", device: "laptop", issued: now))
    _ = try await store.service.register(
      registration("laptop"), with: again.token.id, for: store.user)
  }

  @Test(
    "a revoked device loses its whole sign-in, however often tokens are renewed",
    arguments: BackendKind.allCases)
  func revocation(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let laptop = { signIn(session: "s", device: "laptop", issued: store.clock.now) }
    let principal = try await store.service.authenticate(laptop())
    _ = try await store.service.register(
      registration("laptop"), with: principal.token.id, for: store.user)
    // The same sign-in, used by a plain program.
    _ = try await store.service.authenticate(signIn(session: "s", issued: store.clock.now))
    store.clock.advance(by: .seconds(60))
    try await store.service.revokeDevice(DeviceID("laptop"), of: store.user, by: "The desk")
    let revoked = StoreError.revoked(Revocation(at: store.clock.now, by: "The desk"))
    store.clock.advance(by: .seconds(60))
    for attempt in [
      laptop(), signIn(session: "s", issued: store.clock.now),
      signIn(session: "s", device: "new-name", issued: store.clock.now),
    ] {
      #expect(
        try await storeError { _ = try await store.service.authenticate(attempt) } == revoked)
    }
    // Another sign-in of the user is not affected, and may be the same device's.
    let again = try await store.service.authenticate(
      signIn(session: "t", device: "laptop", issued: store.clock.now))
    _ = try await store.service.register(
      registration("laptop"), with: again.token.id, for: store.user)
    // According to the provider the user has signed in again since.
    let fresh = signIn(
      session: "s", device: "laptop", issued: store.clock.now, authenticated: store.clock.now)
    let restored = try await store.service.authenticate(fresh)
    #expect(restored.token.id == principal.token.id)
    #expect(restored.token.scope == .device(nil))
  }

  @Test(
    "without a session the device is refused, and other existing ones stay",
    arguments: BackendKind.allCases)
  func revocationWithoutSession(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let start = store.clock.now
    for name in ["laptop", "desk"] {
      let principal = try await store.service.authenticate(signIn(device: name, issued: start))
      _ = try await store.service.register(
        registration(name), with: principal.token.id, for: store.user)
    }
    store.clock.advance(by: .seconds(60))
    try await store.service.revokeDevice(DeviceID("laptop"), of: store.user)
    let revoked = StoreError.revoked(Revocation(at: store.clock.now))
    store.clock.advance(by: .seconds(60))
    let now = store.clock.now
    // The existing token, under a new name; and a renewed one under the old.
    for attempt in [signIn(device: "new", issued: start), signIn(device: "laptop", issued: now)] {
      #expect(
        try await storeError { _ = try await store.service.authenticate(attempt) } == revoked)
    }
    _ = try await store.service.authenticate(signIn(device: "desk", issued: now))
    _ = try await store.service.authenticate(signIn(device: "new", issued: now))
  }

  @Test(
    "a sign-in that is accepted again does not count as a lost revocation",
    arguments: BackendKind.allCases)
  func letInAgain(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let made = signIn(session: "s", issued: store.clock.now)
    let token = try await store.service.authenticate(made).token.id
    try await store.service.revokeToken(token, of: store.user)
    store.clock.advance(by: .seconds(60))
    let fresh = signIn(
      session: "s", issued: store.clock.now, authenticated: store.clock.now)
    #expect(try await store.service.authenticate(fresh).token.id == token)
    for title in ["a", "b"] { try await store.publish(title) }
    #expect(store.service.figures.rollbacks == 0)
  }

  @Test("a write in the same commit does not make it count as a lost revocation")
  func letInAgainBesideWrites() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let (service, backend, user) = (store.service, store.backend, store.user)
    let made = signIn(session: "s", issued: store.clock.now)
    let token = try await service.authenticate(made).token.id
    try await service.revokeToken(token, of: user)
    store.clock.advance(by: .seconds(60))
    let fresh = signIn(
      session: "s", issued: store.clock.now, authenticated: store.clock.now)
    let (admission, publication) = try await withHeldWriter(of: backend) {
      let admission = Task { try await service.authenticate(fresh).token.id }
      try await eventually("a sign-in that waits") {
        try await service.storageFigures().waitingWrites == 1
      }
      let publication = Task {
        try await service.publish(
          PublishRequest(Content(app: "x", visual: VisualContent(title: "a"))), for: user)
      }
      try await eventually("a publication that waits") {
        try await service.storageFigures().waitingWrites == 2
      }
      return (admission, publication)
    }
    #expect(try await admission.value == token)
    _ = try await publication.value
    #expect(service.figures.rollbacks == 0)
  }

  @Test("a publisher's app is the one in its current token", arguments: BackendKind.allCases)
  func publishers(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let now = store.clock.now
    let first = try await store.service.authenticate(
      signIn("ci", right: .publish(.app("nas")), issued: now))
    #expect(first.mayPublish("nas"))
    #expect(!first.mayPublish("ci.build"))
    #expect(!first.isDevice)
    let second = try await store.service.authenticate(
      signIn("ci", right: .publish(.prefix("ci")), issued: now))
    #expect(second.token.id == first.token.id)
    #expect(second.mayPublish("ci.build"))
    // A publisher does not sign in for the user: the user still can.
    let person = try await store.service.authenticate(signIn("4711", issued: now))
    #expect(person.user.id == store.user)
    try await store.service.revokeToken(first.token.id, of: store.user)
    #expect(
      try await storeError {
        _ = try await store.service.authenticate(
          signIn("ci", right: .publish(.app("nas")), issued: now))
      } == .revoked(Revocation(at: now)))
  }

  @Test(
    "sign-ins are limited: the longest unused are removed, a revoked one is never forgotten",
    arguments: BackendKind.allCases)
  func bounds(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.signInsPerUserMax = 3
    let store = try await StoreUnderTest(kind, limits: limits)
    let revoked = try await store.service.authenticate(
      signIn(session: "revoked", issued: store.clock.now))
    try await store.service.revokeToken(revoked.token.id, of: store.user)
    for number in 1...6 {
      store.clock.advance(by: .seconds(60))
      _ = try await store.service.authenticate(
        signIn(session: "\(number)", issued: store.clock.now))
    }
    let tokens = try await store.service.accessTokens(of: store.user)
      .filter { $0.name == "bellhop at id.test" }
    #expect(tokens.count == 4)
    #expect(tokens.contains { $0.id == revoked.token.id })
    store.clock.advance(by: limits.signInLife)
    _ = try await store.service.authenticate(signIn(session: "new", issued: store.clock.now))
    #expect(
      try await store.service.accessTokens(of: store.user)
        .count { $0.name == "bellhop at id.test" } == 2)
  }
}
