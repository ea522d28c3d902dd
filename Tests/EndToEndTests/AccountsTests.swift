import BellhopTestSupport
import FoundationEssentials
import Testing

/// The information that users get about their accounts, their outbox, and errors.
@Suite("Accounts, outbox and doctor", .realPrograms)
struct AccountsTests {
  private struct Check: Decodable {
    var check: String
    var account: String?
    var status: String
    var text: String
    var advice: String?
    var exitCode: Int32?
  }

  private func doctor(_ device: Device) async throws -> (checks: [String: Check], code: Int32) {
    let outcome = try await device.bellhop("doctor", "--json")
    var checks: [String: Check] = [:]
    for line in outcome.lines {
      let check = try JSONDecoder().decode(Check.self, from: Data(line.utf8))
      checks[check.check] = check
    }
    return (checks, outcome.exitCode)
  }

  @Test("after a second sign-in without a name the first account is the default, with a message")
  func secondAccount() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try scene.device("laptop")
      try await device.succeed("publish", "Mine")
      let token = try await store.token(scope: "device")
      try device.write(token + "\n", to: device.folder + "/token")
      let login = try await device.bellhop(
        "login", store.url, "--token-file", device.folder + "/token")
      #expect(login.exitCode == 0)
      let name = try #require(
        login.errors.split(separator: "\n").first?.split(separator: " ").last?.dropLast())
      #expect(
        login.errors.hasSuffix(
          "local is still the default account. To change that: bellhop accounts use \(name)\n"),
        "\(login.errors)")
      #expect(try await device.succeed("count") == "1")
      #expect(try await device.succeed("count", "--account", String(name)) == "0")
    }
  }

  @Test("the outbox shows the reason for waiting, and the doctor shows errors with their fix")
  func outboxAndDoctor() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("laptop", on: store)
      try await publisher.publish("Backup finished", app: "nas")
      try await device.succeed("sync")
      let healthy = try await doctor(device)
      #expect(healthy.code == 0)
      #expect(
        healthy.checks.values.filter { $0.status == "broken" || $0.status == "skipped" }.isEmpty)
      for name in [
        "cache", "integrity", "address", "store", "clock", "storeClock", "token", "signals",
      ] {
        #expect(healthy.checks[name]?.status == "ok", "\(name)")
      }
      #expect(try await device.bellhop("outbox").output == "")

      let other = try await scene.device("desktop", on: store)
      try await other.succeed("sync")
      #expect(try await store.stop() == .exited(0))
      let dismissed = try await device.bellhop("dismiss", "1")
      #expect(dismissed.exitCode == 0)
      let waiting = try await device.succeed("outbox")
      #expect(waiting.hasPrefix("dismiss #1 'Backup finished' · since "))
      #expect(waiting.contains("not sent yet: offline since "))
      let ill = try await doctor(device)
      #expect(ill.code == 69)
      #expect(ill.checks["address"]?.status == "broken" && ill.checks["address"]?.advice != nil)
      #expect(ill.checks["token"]?.status == "skipped")
      #expect(ill.checks["outbox"]?.text.hasPrefix("1 waiting") == true)

      // The same while a screen is the engine.
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "○ offline · 1 waiting")
      #expect(try await device.succeed("outbox").contains("offline since "))
      #expect(try await doctor(device).checks["engine"]?.text.contains("synchronising") == true)

      try device.write("theme = 3\n", to: device.configFile)
      let broken = try await doctor(device)
      #expect(broken.code == 78)
      #expect(broken.checks["configuration"]?.text.contains("line 1") == true)
      #expect(broken.checks["outbox"]?.status == "ok")
    }
  }

  @Test("the doctor reports an invalid certificate, and when everything is correct")
  func certificates() async throws {
    try await Scene.play { scene in
      let authority = try await TestAuthority(folder: scene.folder)
      let (certificate, key) = (scene.folder + "/live.pem", scene.folder + "/live-key.pem")
      let device = try scene.device("laptop")
      func install(_ pair: (certificate: String, key: String)) throws {
        for (from, to) in [(pair.certificate, certificate), (pair.key, key)] {
          let text = String(decoding: try Data(contentsOf: URL(filePath: from)), as: UTF8.self)
          try device.write(text, to: to)
        }
      }
      func trust(_ file: String?) throws {
        let text = file.map { "ca-file = \"\($0)\"\n" } ?? ""
        try device.write(text, to: device.configFile)
      }
      let store = try StoreProcess(folder: scene.folder + "/store")
      scene.atEnd { await store.end() }
      try await store.addUser()
      try install(try await authority.issue("first", for: "localhost"))
      try await store.start(more: ["--tls-cert", certificate, "--tls-key", key])
      try trust(authority.certificate)
      try await device.signIn(to: store, url: "https://localhost:\(store.port)")
      try await device.succeed("sync")
      let well = try await doctor(device)
      #expect(well.code == 0)
      #expect(well.checks["certificate"]?.status == "ok")
      #expect(well.checks["certificate"]?.text.contains("valid until") == true)

      func look() async throws -> (check: Check?, code: Int32) {
        let (checks, code) = try await doctor(device)
        if code != 0 { #expect(checks["token"]?.status == "skipped", "nothing is sent there") }
        return (checks["certificate"], code)
      }
      func present(_ pair: (certificate: String, key: String)) async throws {
        try install(pair)
        #expect(try await store.administer(["reload"]).exitCode == 0)
      }
      try trust(nil)
      let stranger = try await look()
      #expect(stranger.code == 69)
      #expect(stranger.check?.status == "broken")
      #expect(stranger.check?.text.contains("does not trust the issuer") == true)
      #expect(stranger.check?.advice?.contains("ca-file") == true)

      // A self-signed certificate gives the same, until it is trusted itself.
      let own = try await authority.selfSign("own", for: "localhost")
      try await present(own)
      try trust(authority.certificate)
      #expect(
        try await look().check?.text.contains("does not trust the issuer") == true)
      try trust(own.certificate)
      #expect(try await look().check?.status == "ok")

      try trust(authority.certificate)
      try await present(try await authority.issue("elsewhere", for: "store.example"))
      #expect(try await look().check?.text.contains("is not for localhost") == true)
      try await present(try await authority.issue("soon", for: "localhost", days: 7))
      let soon = try await look()
      #expect(soon.code == 0)
      #expect(soon.check?.status == "warning")
      #expect(soon.check?.advice?.contains("renew") == true)
      try await present(try await authority.issue("old", for: "localhost", days: -1))
      let old = try await look()
      #expect(old.code == 69)
      #expect(old.check?.status == "broken")
      #expect(old.check?.text.contains("expired on ") == true)
      #expect(old.check?.advice?.contains("renew") == true)
    }
  }

  @Test("a device that keeps only the last days fetches no more than that")
  func daysToSync() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      try await publisher.publish("Long ago", app: "nas")
      try await publisher.publish("Today", app: "nas")
      #expect(try await store.stop() == .exited(0))
      let span = 9 * 86_400_000
      _ = try await scene.sqlite(
        "UPDATE item SET arrival = arrival - \(span) WHERE short_number = 1", on: store.database)
      try await store.start()

      let (short, long) = (try scene.device("short"), try await scene.device("long", on: store))
      let token = short.folder + "/token"
      try short.write(try await store.token(scope: "device") + "\n", to: token)
      func signIn(_ days: String) async throws -> Outcome {
        try await short.bellhop(
          "login", store.url, "--token-file", token, "--days-to-sync", days)
      }
      let none = try await signIn("0")
      #expect(none.exitCode == 64)
      #expect(none.errors.contains("--days-to-sync must be 1 or more"))
      #expect(try await signIn("7").exitCode == 0)
      for device in [short, long] { try await device.succeed("sync") }
      #expect(try await short.items().map(\.title) == ["Today"])
      #expect(try await long.items().map(\.title) == ["Today", "Long ago"])

      // Changes of the old one do not affect a device without it.
      try await long.succeed("dismiss", "1", "--wait")
      try await publisher.publish("Later", app: "nas")
      try await short.succeed("sync")
      #expect(try await short.items().map(\.title) == ["Later", "Today"])
      // Also when everything is fetched again.
      let cache = try short.cacheFile()
      for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: cache + part) }
      try await short.succeed("sync")
      #expect(try await short.items().map(\.title) == ["Later", "Today"])
    }
  }

  @Test("a change that came too late is reported on the screen, in the item, and after a restart")
  func tooLate() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("laptop", on: store)
      let publisher = try await store.publisher()
      func publish(_ title: String) async throws {
        let answer = try await publisher.publishGraph(
          """
          { "targetHostName": "ci", "appNotificationId": "build",
            "payload": { "visualContent": { "title": "\(title)", "body": "…" } } }
          """)
        #expect(answer.status == 201, "\(answer.body)")
      }
      try await publish("build ok")
      try await device.succeed("sync")
      #expect(try await store.stop() == .exited(0))
      #expect(try await device.bellhop("dismiss", "1").exitCode == 0)
      try await store.start()
      try await publish("disk full")
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "●  ci", "disk full", "Your dismiss of")
      try await screen.press("Enter")
      try await screen.wait(for: "did not apply: it was replaced")
      try await screen.type("Q")
      try await screen.waitForEnd()
      let refused = try await device.succeed("outbox", "--refused")
      #expect(refused.contains("your dismiss of ") && refused.hasSuffix(" by ci"))
      #expect(try await device.bellhop("show", "1").output.contains("no effect  your dismiss of "))
      // The operation made by Enter may still be on its way.
      #expect(try await device.bellhop("outbox").output.contains("not sent yet") == false)
    }
  }

  @Test("two accounts are in one list, each acts on its own store, and @ shows one alone")
  func twoAccounts() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try scene.device("laptop")
      // There is no account yet: this starts the private store.
      try await device.succeed("publish", "Water the plants", "--app", "garden")
      try await device.signIn(to: store)
      try await store.publisher().publish("Deal 12", app: "crm")
      let screen = try await scene.screen(on: device)
      try await screen.wait(
        for: "2 accounts", "● live, all sent", "local Water the plants", "home  Deal 12")
      try await screen.type("@@")
      try await screen.wait(for: "Only local")
      try await screen.waitUntilGone("Deal 12")
      try await screen.type("@")
      try await screen.wait(for: "2 accounts", "Deal 12")
      try await screen.type("ggd")
      try await screen.waitUntilGone("home  Deal 12")
      try await screen.wait(for: "● live, all sent")
      #expect(try await store.stop() == .exited(0))
      try await screen.wait(for: "○ home: offline")
      let listed = try await device.items("list", "--all", "--all-accounts")
      #expect(Set(listed.map(\.account)) == ["home", "local"])
      #expect(listed.first { $0.title == "Deal 12" }?.action == "dismissed")
      #expect(listed.first { $0.app == "garden" }?.placement == "tray")
      try await screen.type("Q")
      try await screen.waitForEnd()
      // Only the requested account is shown.
      let alone = try await scene.screen(on: device, arguments: ["--account", "local"])
      try await alone.wait(for: "private ", "Water the plants")
    }
  }
}
