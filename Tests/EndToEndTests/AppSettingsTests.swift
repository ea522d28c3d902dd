import BellhopTestSupport
import FoundationEssentials
import Testing

@Suite("App settings on several devices", .realPrograms)
struct AppSettingsTests {
  private struct ListedApp: Decodable {
    var app: String
    var name: String
    var mute: String
    var muted: Bool
    var retentionDays: Int?
    var quietFrom: String?
    var tray: Int
    var waiting: Bool
  }

  private func apps(_ device: Device) async throws -> [String: ListedApp] {
    let outcome = try await device.bellhop("apps", "--json")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let listed = try outcome.lines.map {
      try JSONDecoder().decode(ListedApp.self, from: Data($0.utf8))
    }
    return Dictionary(uniqueKeysWithValues: listed.map { ($0.app, $0) })
  }

  @Test("settings made offline are pending, apply here at once, and reach the other device")
  func offline() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let away = try await scene.device("away", on: store, url: wire.url)
      let home = try await scene.device("home", on: store)
      try await publisher.publish("Nightly done", app: "backups")
      try await away.succeed("sync")

      wire.cut()
      let set = try await away.bellhop(
        "apps", "set", "backups", "--name", "Back-ups", "--mute", "forever", "--retention", "30d")
      #expect(set.exitCode == 0, "\(set.errors)")
      #expect(set.errors.contains("It will be sent later."), "\(set.errors)")
      let here = try #require(try await apps(away)["backups"])
      #expect(here.name == "Back-ups" && here.muted && here.retentionDays == 30 && here.waiting)
      #expect(here.tray == 1)
      #expect(try await away.succeed("list").contains("Back-ups"))
      #expect(try await apps(home)["backups"]?.name != "Back-ups")

      // Meanwhile the other device sets one of the same settings, and another one.
      try await home.succeed(
        "apps", "set", "backups", "--name", "Home's", "--quiet", "22:00-07:00", "--wait")
      try wire.restore()
      try await away.succeed("sync")
      try await home.succeed("sync")
      for device in [away, home] {
        let app = try #require(try await apps(device)["backups"], "\(device.name)")
        #expect(app.name == "Back-ups" && app.mute == "forever" && app.retentionDays == 30)
        #expect(app.quietFrom == "22:00" && !app.waiting)
      }
      let screen = try await scene.screen(on: home)
      try await screen.wait(for: "Back-ups", "Nightly done")
    }
  }

  @Test("settings that the store refuses are reported, and an alias names its app")
  func refusals() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("laptop", on: store)
      try device.write("sync-wait = 60000\n", to: device.configFile)
      try await device.succeed("apps", "set", "ci.example.com", "--new", "--alias", "ci")
      let taken = try await device.bellhop(
        "apps", "set", "other.example.com", "--new", "--alias", "ci")
      #expect(taken.exitCode == 65)
      #expect(taken.errors.contains("an alias belongs to another app"), "\(taken.errors)")
      try await device.succeed("apps", "set", "ci", "--name", "CI")
      let apps = try await apps(device)
      #expect(apps.keys.sorted() == ["ci.example.com"])
      #expect(apps["ci.example.com"]?.name == "CI")
      let mistyped = try await device.bellhop("apps", "set", "ci.exmple.com", "--mute", "1h")
      #expect(mistyped.exitCode == 66)
      #expect(mistyped.errors.contains("Did you mean ci.example.com?"), "\(mistyped.errors)")
      let wrong = try await device.bellhop("apps", "set", "ci", "--quiet", "late")
      #expect(wrong.exitCode == 64)
      #expect(wrong.errors.contains("22:00-07:00"), "\(wrong.errors)")
    }
  }
}
