import BellhopTestSupport
import Foundation
import Testing

@Suite("Actions of items, with the real programs", .realPrograms)
struct ActionTests {
  /// Two devices of one user; the laptop may call this machine.
  private struct Household {
    let store: StoreProcess
    let laptop: TmuxScreen
    let desktop: TmuxScreen

    init(_ scene: Scene, columns: Int = 120, rows: Int = 30) async throws {
      store = try await scene.store()
      let devices = [
        try await scene.device("laptop", on: store), try await scene.device("desktop", on: store),
      ]
      try devices[0].write("[actions]\nallow-private = true\n", to: devices[0].configFile)
      laptop = try await scene.screen(on: devices[0], columns: columns, rows: rows)
      desktop = try await scene.screen(on: devices[1], columns: columns, rows: rows)
      for screen in [laptop, desktop] { try await screen.wait(for: "● live, all sent") }
    }
  }

  /// The actions in `show --json`.
  private struct Shown: Decodable {
    struct Action: Decodable {
      let id: String
      let title: String
      let kind: String
      let method: String?
    }
    let actions: [Action]?
    let action: String
    let placement: String
    let handledBy: String?
    let chosenAction: String?
    let chosenTitle: String?
    let chosenText: String?
  }

  private func show(_ device: Device, _ title: String) async throws -> Shown {
    let number = try await device.waitForItem(titled: title, "is there").number
    let line = try await device.succeed("show", "#\(number)", "--json")
    return try JSONDecoder().decode(Shown.self, from: Data(line.utf8))
  }

  @Test("an action chosen on one device is performed once, and the other shows what was chosen")
  func request() async throws {
    try await Scene.play { scene in
      let called = try await CalledProgram(folder: scene.folder + "/called")
      scene.atEnd { await called.end() }
      let home = try await Household(scene)
      try await home.desktop.device.succeed(
        "publish", "build 412 failed", "--app", "ci",
        "--action", "http,Rerun,PUT \(called.url)/rerun/204,{\"a\": 1}",
        "--action", "reply,Assign,\(called.url)/owner/200")
      for screen in [home.laptop, home.desktop] {
        try await screen.wait(for: "build 412 failed", "[.]  Rerun   Assign…")
      }

      try await home.laptop.type(".")
      try await home.laptop.wait(for: "Actions · build 412 failed", "PUT http://127.0.0.1:")
      try await home.laptop.type("1")
      try await home.laptop.wait(
        for: "Rerun: PUT to http://127.0.0.1:\(called.port)/rerun/204?", "y yes")
      #expect(try called.calls().isEmpty)
      try await home.laptop.type("y")
      try await home.laptop.wait(for: "Rerun: 204 from http://127.0.0.1:\(called.port)")
      let calls = try called.calls()
      #expect(calls.count == 1)
      let call = try #require(calls.first)
      #expect(call.method == "PUT" && call.path == "/rerun/204" && call.body == "{\"a\": 1}")
      #expect(call.headers["authorization"] == nil && call.headers["cookie"] == nil)

      // The item under the cursor stays, and shows which device was first.
      try await home.desktop.wait(for: "» ", "Rerun on laptop", "Rerun · chosen on laptop")
      try await home.desktop.type("2")
      try await home.desktop.wait(for: "Rerun · chosen on laptop", "[2 History]")
      let item = try await show(home.desktop.device, "build 412 failed")
      #expect(item.actions?.map(\.id) == ["1", "2"] && item.actions?.first?.method == "PUT")
      #expect(item.action == "activated" && item.placement == "history")
      #expect(item.handledBy == "laptop" && item.chosenAction == "1")
      #expect(item.chosenTitle == "Rerun" && item.chosenText == nil)
    }
  }

  @Test("a reply carries its text, and a failed action leaves the item where it is")
  func reply() async throws {
    try await Scene.play { scene in
      let called = try await CalledProgram(folder: scene.folder + "/called")
      scene.atEnd { await called.end() }
      let home = try await Household(scene, columns: 80, rows: 24)
      try await home.desktop.device.succeed(
        "publish", "build 412 failed", "--action", "http+clear,Rerun,POST \(called.url)/x/302",
        "--action", "reply,Assign,\(called.url)/owner/200")
      try await home.laptop.wait(for: "build 412 failed")

      try await home.laptop.type(".1y")
      try await home.laptop.wait(for: "answered 302, a redirect", "[1 Tray 1]")
      #expect(try called.calls().map(\.path) == ["/x/302"])

      // The other device may not call this machine.
      try await home.desktop.type(".1y")
      try await home.desktop.wait(
        for:
          "Not sent: plain http is blocked. Set allow-private = true under [actions].",
        "[1 Tray 1]")
      #expect(try called.calls().count == 1)

      try await home.laptop.type(".2")
      try await home.laptop.wait(for: "type your answer")
      try await home.laptop.type("to me, ✓")
      try await home.laptop.press("Enter")
      try await home.laptop.wait(for: "Assign: 200 from")
      #expect(try called.calls().last?.body == "to me, ✓")
      try await home.desktop.wait(for: "Assign on laptop")
      let item = try await show(home.desktop.device, "build 412 failed")
      #expect(item.chosenTitle == "Assign" && item.chosenText == "to me, ✓")
    }
  }

  @Test("a link is opened on a desktop; elsewhere it is copied, and the item stays")
  func links() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "build 412", "--url", "https://ci.example.com/412")
      try await device.succeed("sync")
      let plain = try await scene.screen(on: device, columns: 100)
      try await plain.wait(for: "[1 Tray 1]", "build 412", "● live, all sent")
      try await plain.type("o")
      try await plain.wait(for: "No browser here; the link is copied.", "[1 Tray 1]")
      #expect(try await device.item(titled: "build 412")?.placement == "tray")

      let folder = device.folder + "/desktop"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try "#!/bin/sh\necho \"$*\" > '\(device.folder)/opened'\n".write(
        toFile: folder + "/xdg-open", atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder + "/xdg-open")
      let desktop = try await scene.screen(
        on: device, columns: 100,
        environment: ["DISPLAY": ":0", "PATH": folder + ":" + (device.environment["PATH"] ?? "")])
      try await desktop.wait(for: "[1 Tray 1]", "build 412", "● live, all sent")
      try await desktop.type("o")
      try await desktop.wait(for: "Opened the link.", "The tray is empty.")
      try await eventually("the opened address") {
        (try? String(contentsOfFile: device.folder + "/opened", encoding: .utf8))
          == "https://ci.example.com/412\n"
      }
    }
  }

  @Test("a choice made offline is reported once the store is back, and publishers never learn it")
  func offline() async throws {
    try await Scene.play { scene in
      let home = try await Household(scene, columns: 80, rows: 24)
      try await home.desktop.device.succeed(
        "publish", "May I?", "--app", "door", "--action", "report,Yes", "--action", "reply,Why")
      try await home.laptop.wait(for: "May I?")
      try await home.store.stop()
      for screen in [home.laptop, home.desktop] { try await screen.wait(for: "○ offline") }

      try await home.laptop.type(".2")
      try await home.laptop.type("because")
      try await home.laptop.press("Enter")
      // The settings that a screen stores for the new app may be pending as well.
      try await home.laptop.wait(for: "○ offline · ", " waiting", "The tray is empty.")
      try await home.store.start()
      try await home.laptop.type("R")
      try await home.laptop.wait(for: "● live, all sent")
      try await home.desktop.type("R")
      try await home.desktop.wait(for: "● live, all sent", "Why on laptop")
      let item = try await show(home.desktop.device, "May I?")
      #expect(item.chosenTitle == "Why" && item.chosenText == "because")

      let publisher = try await home.store.publisher()
      let published = try await publisher.publishGraph(
        """
        {"targetHostName": "door", "appNotificationId": "1",
         "payload": {"visualContent": {"title": "And now?"}},
         "actions": [{"label": "Yes", "clear": true}]}
        """)
      #expect(published.status == 201)
      #expect(!published.body.contains("actionId") && !published.body.contains("because"))
      let refused = try await publisher.publishGraph(
        """
        {"targetHostName": "door", "payload": {"visualContent": {"title": "And now?"}},
         "actions": [{"title": "Run", "kind": "http", "url": "https://a@b.example/"}]}
        """)
      #expect(refused.status == 400)
      #expect(refused.body.contains("actions.url is wrong: expected a URL without user name"))
    }
  }
}
