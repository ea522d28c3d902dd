import BellhopModel
import BellhopStore
import Testing

@Suite("The authorization of apps")
struct AuthorizationTests {
  @discardableResult
  private func set(
    _ authorization: AppAuthorization, of app: String, _ store: StoreUnderTest
  ) async throws -> AppSettings {
    var change = AppSettingsChange()
    change.authorization = authorization
    return try await store.service.configure(app, change, for: store.user).settings
  }

  private func settings(_ app: String, _ store: StoreUnderTest) async throws -> AppSettings {
    try await store.service.app(named: app, of: store.user).settings
  }

  @Test(
    "a new app begins with what the user gives to new apps, and that reaches devices in the delta",
    arguments: BackendKind.allCases, [AppAuthorization.notDetermined, .provisional])
  func newApp(kind: BackendKind, first: AppAuthorization) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a", app: "known")
    try await set(first, of: AppSettings.everyApp, store)
    let token = try await store.pull(from: .beginning).token
    let before = try await store.service.authorization(ofApp: "ci", for: store.user)
    #expect(before.authorization == first, "as its publisher reads it before it publishes")
    try await store.publish("b", app: "ci")
    try await store.publish("c", app: "known")
    let changes = try await store.pull(from: .since(token)).changes
    let new = changes.compactMap { if case .app(let settings) = $0 { settings } else { nil } }
    #expect(new.map(\.app) == ["ci"] && new.map(\.authorization) == [first])
    #expect(try await settings("known", store).authorization == .authorized)
    let restarted = try await store.restarted()
    #expect(try await restarted.app(named: "ci", of: store.user).settings == new.first)
  }

  @Test("where new apps are allowed, nothing is stored about them", arguments: BackendKind.allCases)
  func allowed(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a", app: "ci")
    #expect(try await settings("ci", store).sequence == .zero)
    try await set(.notDetermined, of: AppSettings.everyApp, store)
    try await set(.authorized, of: AppSettings.everyApp, store)
    try await store.publish("a", app: "nas")
    #expect(try await settings("nas", store).sequence == .zero)
  }

  @Test(
    "what a denied app publishes is refused and not stored; its earlier items stay",
    arguments: BackendKind.allCases)
  func denied(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let old = try await store.publish("a", app: "ci", appID: "x").item
    try await set(.denied, of: "ci", store)
    let token = try await store.pull(from: .beginning).token
    for appID in ["x", "y"] {
      await #expect {
        try await store.publish("b", app: "ci", appID: appID) { $0.extras.badge = 3 }
      } throws: { error in
        if case StoreError.accessDenied = error { true } else { false }
      }
    }
    #expect(try await store.pull(from: .since(token)).changes.isEmpty)
    #expect(try await store.service.item(old.id, of: store.user) == old)
    await #expect(throws: StoreError.self) {
      try await store.service.setBadge(2, ofApp: "ci", for: store.user)
    }
    // It may still withdraw, and publish again once it is allowed.
    _ = try await store.service.withdraw(app: "ci", appNotificationID: "x", for: store.user)
    try await set(.authorized, of: "ci", store)
    try await store.publish("c", app: "ci", appID: "x")
  }

  @Test(
    "an app that is allowed before its first item begins with that", arguments: BackendKind.allCases
  )
  func allowedBefore(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await set(.notDetermined, of: AppSettings.everyApp, store)
    let decided = try await set(.authorized, of: "ci", store)
    #expect(decided.sequence > .zero)
    try await store.publish("a", app: "ci")
    #expect(try await settings("ci", store) == decided)
  }

  @Test("an app's category brings its authorization too", arguments: BackendKind.allCases)
  func category(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await set(.notDetermined, of: AppSettings.everyApp, store)
    _ = try await store.service.register(Category(id: "q"), ofApp: "ci", for: store.user)
    #expect(try await settings("ci", store).authorization == .notDetermined)
  }

  @Test(
    "new apps can be asked about, quiet or allowed, but not denied", arguments: BackendKind.allCases
  )
  func everyApp(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    await #expect(throws: StoreError.self) {
      try await set(.denied, of: AppSettings.everyApp, store)
    }
  }

  @Test("a user can begin with apps that ask", arguments: BackendKind.allCases)
  func newUser(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let user = try await store.service.addUser(named: "bob", newApps: .notDetermined).id
    let every = try await store.service.app(named: AppSettings.everyApp, of: user).settings
    #expect(every.authorization == .notDetermined)
  }

  @Test(
    "the last badge that an app published or set is its badge, on every device",
    arguments: BackendKind.allCases)
  func badge(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a", app: "ci") { $0.extras.badge = 3 }
    #expect(try await settings("ci", store).badge == 3)
    try await store.publish("b", app: "ci")
    let known = try await settings("ci", store)
    #expect(known.badge == 3, "an item without one leaves it alone")
    try await store.publish("c", app: "ci") { $0.extras.badge = 3 }
    #expect(try await settings("ci", store) == known, "the same again changes nothing")
    try await store.service.setBadge(0, ofApp: "ci", for: store.user)
    #expect(try await settings("ci", store).badge == 0)
    for wrong in [-1, Int(Int32.max) + 1] {
      await #expect(throws: StoreError.self) {
        try await store.service.setBadge(wrong, ofApp: "ci", for: store.user)
      }
    }
    await #expect(throws: StoreError.notFound(what: "app")) {
      try await store.service.setBadge(1, ofApp: "no-such-app", for: store.user)
    }
  }
}
