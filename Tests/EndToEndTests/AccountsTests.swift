import FoundationEssentials
import Testing

/// What people see of their accounts, of what waits, and of what is wrong.
@Suite("Accounts, outbox and doctor")
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

  @Test("what waits is told with its reason, and the doctor says what is wrong and what to do")
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
      for name in ["cache", "integrity", "address", "store", "clock", "token", "signals"] {
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
      #expect(try await doctor(device).checks["engine"]?.text.contains("synchronises") == true)

      try device.write("theme = 3\n", to: device.configFile)
      let broken = try await doctor(device)
      #expect(broken.code == 78)
      #expect(broken.checks["configuration"]?.text.contains("line 1") == true)
      #expect(broken.checks["outbox"]?.status == "ok")
    }
  }

  @Test("a change that came too late says so on the screen, in the item, and after a restart")
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
      #expect(try await device.bellhop("show", "1").output.contains("not done   your dismiss of "))
      // What Enter did may still be on its way back.
      #expect(try await device.bellhop("outbox").output.contains("not sent yet") == false)
    }
  }

  @Test("two accounts stand in one list, each acts on its own store, and @ shows one alone")
  func twoAccounts() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try scene.device("laptop")
      // No account yet: this starts the private store.
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
      // One account alone when it is asked for.
      let alone = try await scene.screen(on: device, arguments: ["--account", "local"])
      try await alone.wait(for: "private store", "Water the plants")
    }
  }
}
