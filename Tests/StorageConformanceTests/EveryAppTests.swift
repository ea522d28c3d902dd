import BellhopModel
import BellhopStore
import Testing

@Suite("Settings for all apps together")
struct EveryAppTests {
  @Test(
    "do not disturb and quiet hours are stored, are in the delta, and come from any device",
    arguments: BackendKind.allCases)
  func travels(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    _ = try await store.publish("a", app: "ci")
    let token = try await store.pull(from: .beginning).token
    var change = AppSettingsChange()
    change.mute = .forever
    change.quietHours = .set(
      QuietHours(
        from: try #require(LocalTime("22:00")), to: try #require(LocalTime("07:00")),
        timeZone: "Europe/Berlin"))
    let operation = Operation(
      id: store.newID(), target: .app(AppSettings.everyApp), mutation: .configure(change))
    #expect(try await store.send([operation]).results == [.applied])
    let changes = try await store.pull(from: .since(token)).changes
    let settings = changes.compactMap { if case .app(let settings) = $0 { settings } else { nil } }
    #expect(settings.map(\.app) == [AppSettings.everyApp])
    #expect(settings.map(\.mute) == [.forever])
    #expect(settings.map(\.quietHours) == [change.quietHours?.value])

    var off = AppSettingsChange()
    off.mute = .off
    _ = try await store.service.configure(AppSettings.everyApp, off, for: store.user)
    let now = try await store.service.app(named: AppSettings.everyApp, of: store.user).settings
    #expect(now.mute == .off && now.quietHours == change.quietHours?.value)
  }

  @Test(
    "they have no other settings, and nothing can be published under them",
    arguments: BackendKind.allCases)
  func bounds(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    for adjust in [
      { $0.displayName = .set("All") }, { $0.aliases = ["all"] }, { $0.sound = false },
      { $0.retentionDays = .set(3) }, { $0.repeats = .collapse },
    ] as [(inout AppSettingsChange) -> Void] {
      var change = AppSettingsChange()
      change.mute = .forever
      adjust(&change)
      await #expect(throws: StoreError.self) {
        _ = try await store.service.configure(AppSettings.everyApp, change, for: store.user)
      }
    }
    await #expect(throws: StoreError.self) {
      _ = try await store.publish("a", app: AppSettings.everyApp)
    }
    await #expect(throws: StoreError.self) {
      _ = try await store.service.app(named: AppSettings.everyApp, of: store.user)
    }
  }
}
