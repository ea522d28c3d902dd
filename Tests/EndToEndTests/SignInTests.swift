import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("Signing in with a code", .realPrograms)
struct SignInTests {
  /// Runs `bellhop login` in a terminal, and returns the code it shows.
  private func login(
    _ scene: Scene, _ device: Device, _ store: StoreProcess
  ) async throws -> (screen: TmuxScreen, code: String) {
    let screen = try await scene.screen(
      on: device,
      arguments: ["login", store.url, "--device", device.name, "--name", "home"])
    let shown = try await screen.wait(
      for: "bellhop devices approve ", "Waiting for up to 10 minutes")
    let line = try #require(
      shown.split(separator: "\n").first { $0.contains("bellhop devices approve ") })
    let code = try #require(line.split(separator: " ").last)
    #expect(code.utf8.count == 9)
    return (screen, String(code))
  }

  @Test("a second device shows a code, the first one approves it, and both have the tray")
  func approved() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let laptop = try await scene.device("laptop", on: store)
      try await store.publisher().publish("Backup finished")
      let desk = try scene.device("desk")
      let (waiting, code) = try await login(scene, desk, store)

      // A device about to get a store does not create a private one.
      let early = try await desk.bellhop("list")
      #expect(early.exitCode == 75 && early.errors.contains("is signing this device in"))
      #expect(!FileManager.default.fileExists(atPath: desk.accountsFolder + "/local"))

      // Without a terminal there is no question.
      let unasked = try await laptop.bellhop("devices", "approve", code)
      #expect(unasked.exitCode == 64 && unasked.errors.contains("desk (linux) asks"))
      #expect(try await laptop.bellhop("devices", "approve", "BCDF-GHJK").exitCode == 66)
      let asking = try await scene.screen(
        on: laptop, arguments: ["devices", "approve", code.lowercased()])
      try await asking.wait(
        for: "desk (linux) asks to sign in to \(store.url) as you.", "from this machine",
        "[y/N]")
      try await asking.type("y")
      try await asking.press("Enter")
      try await asking.wait(for: "Approved. desk will be signed in")
      #expect(try await asking.waitForEnd() == 0)
      try await waiting.wait(for: "Signed in to \(store.url) as alice; the account is home.")
      #expect(try await waiting.waitForEnd() == 0)

      #expect(try Device.mode(of: desk.accountsFolder + "/home/token") == 0o600)
      let screen = try await scene.screen(on: desk)
      try await screen.wait(for: "Backup finished", "[1 Tray 1]", "● live, all sent")
      try await screen.type("d")
      try await laptop.succeed("sync")
      try await eventually("the item in the laptop's history") {
        try await laptop.succeed("sync")
        return try await laptop.items().first?.handledBy == "desk"
      }
      let lines = try await laptop.succeed("devices").split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines.contains { $0.hasPrefix("* laptop") && $0.contains("registered") })
      #expect(lines.contains { $0.hasPrefix("  desk") })
    }
  }

  @Test("a signed-out device shows by whom, keeps its pending changes, and sends them afterwards")
  func revoked() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let laptop = try await scene.device("laptop", on: store)
      let desk = try await scene.device("desk", on: store)
      try await store.publisher().publish("Disk is full")
      let screen = try await scene.screen(on: desk, columns: 110, rows: 30)
      try await screen.wait(for: "Disk is full", "● live, all sent")

      #expect(try await laptop.bellhop("devices", "revoke", "absent").exitCode == 66)
      #expect(try await laptop.bellhop("devices", "revoke", "laptop").exitCode == 64)
      let revoked = try await laptop.bellhop("devices", "revoke", "desk")
      #expect(revoked.exitCode == 0 && revoked.errors.contains("Signed out desk"))
      try await screen.wait(
        for: "✗ sign in again", "laptop signed this device out today at ", "bellhop login")
      try await screen.type("d")
      try await screen.wait(for: "[1 Tray]")
      let status = try await desk.bellhop("status")
      #expect(status.exitCode == 77, "\(status.errors)")
      #expect(status.output.contains("signed out by laptop"), "\(status.output)")
      #expect(status.output.contains("bellhop login \(store.url)"), "\(status.output)")
      #expect(status.output.contains("not sent    1"), "\(status.output)")

      // After signing in again, an open screen continues by itself.
      let again = try await scene.screen(on: desk, arguments: ["login"])
      let shown = try await again.wait(for: "bellhop devices approve ")
      let code = try #require(
        shown.split(separator: "\n").first { $0.contains("devices approve") }?
          .split(separator: " ").last)
      #expect(
        try await laptop.bellhop("devices", "approve", String(code), "--yes").exitCode == 0)
      try await again.wait(for: "Signed in to ")
      try await screen.wait(for: "● live, all sent")
      try await eventually("the change on the laptop") {
        try await laptop.succeed("sync")
        return try await laptop.items().first?.action == "dismissed"
      }
    }
  }

  @Test("a device may be denied, give up, or be approved by the store's administrator")
  func otherEnds() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let laptop = try await scene.device("laptop", on: store)
      let desk = try scene.device("desk")
      let (denied, first) = try await login(scene, desk, store)
      #expect(
        try await laptop.bellhop("devices", "deny", first).errors
          == "Refused the sign-in of desk.\n")
      try await denied.wait(for: "Not signed in: another device refused this one.")
      #expect(try await denied.waitForEnd() == 77)

      let (interrupted, _) = try await login(scene, desk, store)
      let process = try await interrupted.processID()
      try await interrupted.press("C-c")
      try await interrupted.wait(for: "Not signed in: you stopped waiting. Nothing was changed.")
      try await eventually("the end of the program") { kill(process, 0) != 0 }
      #expect(try await desk.bellhop("accounts").output.isEmpty)

      let (waiting, code) = try await login(scene, desk, store)
      let unknown = try await store.administer(["device", "approve", "BCDFGHJK", "--user", "alice"])
      #expect(unknown.exitCode == 66)
      let approved = try await store.administer(["device", "approve", code, "--user", "alice"])
      #expect(approved.errors == "Approved for alice: desk (linux) at this machine\n")
      try await waiting.wait(for: "Signed in to ")
      #expect(try await waiting.waitForEnd() == 0)

      // Both programs that approve report a registered device that signs in again.
      for isAdministrator in [true, false] {
        let again = try await scene.screen(on: desk, arguments: ["login"])
        let shown = try await again.wait(for: "bellhop devices approve ")
        let code = try #require(
          shown.split(separator: "\n").first { $0.contains("devices approve") }?
            .split(separator: " ").last.map(String.init))
        let outcome =
          isAdministrator
          ? try await store.administer(["device", "approve", code, "--user", "alice"])
          : try await laptop.bellhop("devices", "approve", code, "--yes")
        #expect(outcome.exitCode == 0)
        #expect(
          outcome.errors.contains(
            isAdministrator
              ? "A device with this id is already registered. Its previous token is revoked."
              : "A device with this id is already registered: its previous token will be revoked."),
          "\(outcome.errors)")
        try await again.wait(for: "Signed in to ")
        #expect(try await again.waitForEnd() == 0)
      }
      let renamed = try await desk.bellhop("devices", "rename", "standing desk")
      #expect(renamed.exitCode == 0)
      try await desk.succeed("sync")
      let devices = try await laptop.succeed("devices", "--json")
      #expect(devices.contains(#""name":"standing desk""#), "\(devices)")
      #expect(try await desk.bellhop("logout").errors.contains("Removed the account"))
      #expect(try await laptop.succeed("devices").split(separator: "\n").count == 1)
    }
  }

  @Test("an enrolment token signs one device in, once")
  func enrolled() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let token = try await store.token(scope: "enrol")
      for (name, expected) in [("desk", 0), ("thief", 77)] {
        let device = try scene.device(name)
        try device.write(token + "\n", to: device.folder + "/token")
        let outcome = try await device.bellhop(
          "login", store.url, "--token-file", device.folder + "/token")
        #expect(Int(outcome.exitCode) == expected, "\(outcome.errors)")
        #expect(!outcome.errors.contains(token))
        if expected == 0 { try await device.succeed("sync") }
      }
    }
  }
}
