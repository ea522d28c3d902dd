import BellhopModel
import BellhopStore
import Testing

@Suite("App settings through an outbox")
struct SettingsOperationTests {
  private func configure(
    _ store: StoreUnderTest, _ app: String, _ adjust: (inout AppSettingsChange) -> Void
  ) -> BellhopModel.Operation {
    var change = AppSettingsChange()
    adjust(&change)
    return Operation(id: store.newID(), target: .app(app), mutation: .configure(change))
  }

  private func settings(_ store: StoreUnderTest, _ app: String) async throws -> AppSettings {
    try await store.service.app(named: app, of: store.user).settings
  }

  @Test(
    "they are applied in order between other operations, once, and are in the delta",
    arguments: BackendKind.allCases)
  func exactlyOnce(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a", app: "ci").item
    let token = try await store.pull(from: .beginning).token
    let operations = [
      configure(store, "ci") {
        $0.displayName = .set("CI")
        $0.mute = .forever
      },
      store.operation(.read, item), configure(store, "ci") { $0.mute = .off },
      configure(store, "nas") { $0.sound = false },
    ]
    let answer = try await store.send(operations)
    #expect(answer.results == [.applied, .applied, .applied, .applied])
    #expect(answer.hasEffects)
    let ci = try await settings(store, "ci")
    #expect(ci.displayName == "CI" && ci.mute == .off)
    #expect(try await settings(store, "nas").permissions == AppPermissions(sound: false))
    let changes = try await store.pull(from: .since(token)).changes
    #expect(changes.map(\.sequence).max() == answer.sequence)
    #expect(changes.count { if case .app = $0 { true } else { false } } == 2)

    // Another device sets something; the batch whose answer was lost comes again.
    var change = AppSettingsChange()
    change.mute = .forever
    _ = try await store.service.configure("ci", change, for: store.user)
    let again = try await store.send(operations)
    #expect(again.results.allSatisfy { $0 == .alreadyApplied })
    #expect(!again.hasEffects)
    #expect(try await settings(store, "ci").mute == .forever)
  }

  @Test(
    "settings are independent, and the last one to reach the store wins",
    arguments: BackendKind.allCases)
  func conflicts(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let phone = try await store.addDevice("phone")
    // Made first, sent last.
    let early = configure(store, "ci") {
      $0.displayName = .set("from the laptop")
      $0.retentionDays = .set(7)
    }
    let late = configure(store, "ci") {
      $0.displayName = .set("from the phone")
      $0.mute = .forever
    }
    _ = try await store.send([late], device: phone.id)
    _ = try await store.send([early])
    let ci = try await settings(store, "ci")
    #expect(ci.displayName == "from the laptop")
    #expect(ci.mute == .forever && ci.retentionDays == 7)
  }

  @Test(
    "a refused setting is answered, and does not block the others",
    arguments: BackendKind.allCases)
  func refusals(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.appsMax = 2
    let store = try await StoreUnderTest(kind, limits: limits)
    let operations = [
      configure(store, "ci") { $0.aliases = ["builds"] },
      configure(store, "nas") { $0.aliases = ["builds"] },
      configure(store, "a b") { $0.mute = .forever },
      configure(store, "nas") { $0.retentionDays = .set(0) },
      configure(store, "nas") { $0.mute = .forever },
      // Its second change needs no further quota.
      configure(store, "nas") { $0.sound = false },
      configure(store, "mail") { $0.mute = .forever },
      configure(store, "builds") { $0.badge = false },
    ]
    let results: [OperationResult] = [
      .applied, .unacceptable(.aliasTaken), .unacceptable(.invalid), .unacceptable(.invalid),
      .applied, .applied, .unacceptable(.tooManyApps), .applied,
    ]
    #expect(try await store.send(operations).results == results)
    let again = try await store.send(operations).results
    #expect(again == results.map { $0 == .applied ? .alreadyApplied : $0 })
    #expect(try await store.service.apps(of: store.user).map(\.settings.app) == ["ci", "nas"])
    #expect(try await settings(store, "ci").permissions == AppPermissions(badge: false))
    #expect(try await settings(store, "nas").aliases.isEmpty)
  }

  @Test(
    "a mute that ended before it arrived ends the current one",
    arguments: BackendKind.allCases)
  func endedMute(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let end = store.clock.now.advanced(by: .seconds(3600))
    _ = try await store.send([configure(store, "ci") { $0.mute = .forever }])
    let offline = configure(store, "ci") { $0.mute = .until(end) }
    store.clock.advance(by: .seconds(7200))
    #expect(try await store.send([offline], from: 2).results == [.applied])
    #expect(try await settings(store, "ci").mute == .off)
  }

  @Test("a changed retention takes effect as always", arguments: BackendKind.allCases)
  func retention(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("old", app: "ci")
    store.clock.advance(by: .seconds(2 * 86_400))
    try await store.publish("new", app: "ci")
    _ = try await store.send([configure(store, "ci") { $0.retentionDays = .set(1) }])
    try await store.service.sweep()
    try await store.service.sweep()
    #expect(try await store.titles() == ["new"])
  }
}
