import BellhopModel
import BellhopStore
import Testing

/// Who names a permission of an app that nobody has configured has decided, whatever they said.
@Suite("Decisions about new apps")
struct DecisionTests {
  private func configure(
    _ store: StoreUnderTest, _ app: String, _ adjust: (inout AppSettingsChange) -> Void
  ) async throws -> AppState {
    var change = AppSettingsChange()
    adjust(&change)
    return try await store.service.configure(
      app, change, from: store.device.id, for: store.user)
  }

  @Test(
    "naming a permission as it is decides for an app with no settings, and only then",
    arguments: BackendKind.allCases)
  func decisionOnly(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a", app: "ci")
    let (_, token) = try await store.pull(from: .beginning)
    for name in ["alert", "sound", "badge"] {
      let app = "app-\(name)"
      func grant(_ isGranted: Bool) async throws -> SequenceNumber {
        try await configure(store, app) { change in
          switch name {
          case "alert": change.alert = isGranted
          case "sound": change.sound = isGranted
          default: change.badge = isGranted
          }
        }.settings.sequence
      }
      let decided = try await grant(true)
      #expect(decided > .zero, "\(name)")
      #expect(try await grant(true) == decided, "\(name)")
      #expect(try await grant(false) > decided, "\(name)")
    }
    // Who has settled anything else of the app has been asked: as it is, it changes nothing.
    let muted = try await configure(store, "nas") { $0.mute = .forever }.settings
    #expect(try await configure(store, "nas") { $0.alert = true }.settings == muted)
    // A decision is one for every device, and is there after a restart.
    let ci = try await configure(store, "ci") { $0.badge = true }.settings
    let changes = try await store.pull(from: .since(token)).changes
    #expect(changes.last == .app(ci))
    let restarted = try await store.restarted()
    #expect(try await restarted.app(named: "ci", of: store.user).settings == ci)
    var again = AppSettingsChange()
    again.badge = true
    #expect(try await restarted.configure("ci", again, for: store.user).settings == ci)
  }
}
