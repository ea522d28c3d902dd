import BellhopTestSupport
import Testing

@Suite("Several programs on one device", .realPrograms)
struct OneHomeTests {
  @Test("a command in a shell changes what two running screens show, at once")
  func commandsBesideScreens() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      let first = try await scene.screen(on: device)
      let second = try await scene.screen(on: device, columns: 96, rows: 30)
      for screen in [first, second] { try await screen.wait(for: "● live, all sent") }

      let id = try await device.succeed(
        "publish", "Order 90213", "--app", "shop", "--priority", "urgent", "--tag", "order",
        "--url", "https://shop.example.com/90213")
      for screen in [first, second] { try await screen.wait(for: "●‼ shop", "Order 90213") }
      let item = try #require(try await device.items("list").first)
      #expect(item.id == id)
      #expect(item.title == "Order 90213" && item.app == "shop" && item.priority == "urgent")
      #expect(item.tags == ["order"] && item.url == "https://shop.example.com/90213")
      #expect(item.placement == "tray" && !item.read && item.action == "noInteraction")

      #expect(try await device.succeed("read", "#\(item.number)", "--wait").isEmpty)
      for screen in [first, second] { try await screen.wait(for: "○‼ shop") }
      try await device.succeed("dismiss", "\(item.number)")
      for screen in [first, second] { try await screen.wait(for: "✓‼ shop", "[1 Tray]") }
      try await device.waitForItem(titled: "Order 90213", "dismissed and sent") {
        $0.placement == "history" && $0.action == "dismissed" && !$0.waiting
      }
      try await device.succeed("restore", String(id.prefix(13)))
      for screen in [first, second] { try await screen.wait(for: "○‼ shop") }

      // A key in one screen takes effect in the other at once.
      try await first.type("d")
      try await second.wait(for: "✓‼ shop", "[1 Tray]")
      try await first.type("u")
      for screen in [first, second] { try await screen.wait(for: "○‼ shop") }

      // The screen that was the engine ends; the other one takes over.
      try await first.type("Q")
      try await first.waitForEnd()
      try await device.succeed("publish", "Still live")
      try await second.wait(for: "Still live", "● live, all sent")
      try await second.type("gg")
      try await device.succeed("delete", "\(item.number)", "--wait")
      try await second.waitUntilGone("Order 90213")
      #expect(try await device.bellhop("show", "\(item.number)").exitCode == 66)
    }
  }

  @Test("a delete on one screen can be undone there after another screen of the account has ended")
  func undoBesideEndedScreen() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      let first = try await scene.screen(on: device)
      try await first.wait(for: "● live, all sent")
      // On a busy machine the grace period may end before the other screen does.
      //
      // That proves nothing, so the test tries again; OutboxRulesTests proves the rule without a
      // clock.
      for attempt in 1...5 {
        let title = "Item \(attempt)"
        let second = try await scene.screen(on: device, columns: 96, rows: 30)
        try await publisher.publish(title)
        for screen in [first, second] { try await screen.wait(for: title, "● live, all sent") }
        try await first.type("gg")
        let begun = ContinuousClock.now
        try await first.type("x")
        try await second.waitUntilGone(title)
        // A screen seals its own deletes when it ends, and no others.
        try await second.type("Q")
        #expect(try await second.waitForEnd() == 0)
        try await first.type("u")
        guard ContinuousClock.now - begun < .seconds(4) else { continue }
        try await first.wait(for: "Undone: “\(title)” is back.")
        try await device.succeed("sync")
        #expect(try await device.item(titled: title) != nil)
        return
      }
    }
  }

  @Test("without a screen, commands do everything themselves and report it in plain text")
  func commandsAlone() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed(
        "publish", "-", "--title", "Kernel", "--app", "server", input: "one line\ntwo lines\n")
      try await device.succeed("publish", "备份全文搜索测试", "--app", "nas")
      #expect(try await device.bellhop("sync").errors.contains("Synchronised."))

      let list = try await device.succeed("list")
      #expect(list.split(separator: "\n").count == 2)
      #expect(
        list.contains("server") && list.contains("Kernel · one line") && list.contains("unread"))
      let shown = try await device.succeed("show", "1")
      #expect(shown.contains("one line\ntwo lines"))
      #expect(try await device.items("search", "kern").map(\.title) == ["Kernel"])
      #expect(try await device.items("search", "搜索").map(\.title) == ["备份全文搜索测试"])
      #expect(try await device.items("search", "absent").isEmpty)

      try await device.succeed("snooze", "1", "--for", "2h", "--wait")
      let snoozed = try await device.items("list", "--snoozed")
      #expect(snoozed.map(\.title) == ["Kernel"] && snoozed[0].snoozedUntil != nil)
      let status = try await device.succeed("status", "--json")
      #expect(status.contains("\"tray\":1") && status.contains("\"snoozed\":1"))
      #expect(status.contains("\"waiting\":0"))
      #expect(try await device.succeed("status").contains("tray        1, 1 unread"))
      #expect(try await device.succeed("accounts").contains(store.url))
    }
  }

  @Test("output that is not a terminal gets the list")
  func piped() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello", "--app", "nas")
      try await device.succeed("sync")
      let piped = try await device.run(
        program: "/bin/sh", ["-c", "'\(Programs.bellhop)' | cat"])
      #expect(piped.exitCode == 0)
      let list = try await device.bellhop("list")
      #expect(piped.output == list.output)
      #expect(piped.output.contains("Hello") && !piped.output.contains("\u{1B}"))
    }
  }

  @Test("a search finds items handled long ago, and Esc returns to the same item")
  func search() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for title in ["Alpha disk", "Beta", "Gamma disk"] {
        try await device.succeed("publish", title, "--app", "nas")
      }
      try await device.succeed("sync")
      try await device.succeed("dismiss", "1")
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "▌●  nas          Gamma disk", "● live, all sent")
      try await screen.type("j")
      try await screen.wait(for: "▌●  nas          Beta")
      try await screen.type("/dis")
      let found = try await screen.wait(
        for: "/ dis", "Gamma disk", "✓  nas", "Alpha disk", "dismissed")
      #expect(!found.contains("Beta"))
      try await screen.press("Escape")
      try await screen.wait(for: "▌●  nas          Beta", "Gamma disk", "2 of 2")
      try await screen.type("?")
      try await screen.wait(for: "dismiss it on every device")
      try await screen.type("q")
      try await screen.waitUntilGone("dismiss it on every device")
    }
  }
}
