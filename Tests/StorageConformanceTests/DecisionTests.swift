import BellhopModel
import BellhopStore
import Testing

/// Naming a permission of an unconfigured app is a decision, whatever its value.
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
    "naming a permission's current value decides only for an app without settings",
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
    // Other settings of the app count as a decision: naming the current value changes nothing.
    let muted = try await configure(store, "nas") { $0.mute = .forever }.settings
    #expect(try await configure(store, "nas") { $0.alert = true }.settings == muted)
    // A decision applies to every device, and survives a restart.
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
