import BellhopTestSupport
import Glibc
import Testing

@Suite("Offline devices", .realPrograms)
struct OfflineTests {
  @Test("a dismissal made offline does not dismiss content that replaced the item meanwhile")
  func nobodyHandlesWhatTheyHaveNotSeen() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let away = try await scene.device("away", on: store, url: wire.url)
      let home = try await scene.device("home", on: store)
      func publish(_ title: String) async throws {
        let answer = try await publisher.publishGraph(
          """
          { "targetHostName": "ci", "appNotificationId": "build",
            "payload": { "visualContent": { "title": "\(title)", "body": "…" } } }
          """)
        #expect(answer.status == 201, "\(answer.body)")
      }
      try await publish("build ok")
      // Before the screens start, which would announce a new app, and store that they did.
      for device in [away, home] { try await device.succeed("sync") }
      let awayScreen = try await scene.screen(on: away)
      let homeScreen = try await scene.screen(on: home)
      for screen in [awayScreen, homeScreen] {
        try await screen.wait(for: "●  ci", "build ok", "● live, all sent")
      }

      wire.cut()
      try await awayScreen.wait(for: "○ offline")
      try await awayScreen.type("d")
      try await awayScreen.wait(for: "The tray is empty.", "○ offline · 1 waiting")
      try await publish("disk full")
      try await homeScreen.wait(for: "●  ci", "disk full")

      try wire.restore()
      try await awayScreen.type("R")
      for screen in [awayScreen, homeScreen] {
        try await screen.wait(for: "●  ci", "disk full", "● live, all sent")
      }
      for device in [away, home] {
        let item = try await device.waitForItem(titled: "disk full", "unread in the tray") {
          $0.placement == "tray" && !$0.read && !$0.waiting
        }
        #expect(item.action == "noInteraction")
        #expect(try await device.item(titled: "build ok") == nil)
      }
    }
  }

  @Test("requests that are cancelled offline are listed no more, and then leave the other device")
  func cancelledDeliveries() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let away = try await scene.device("away", on: store, url: wire.url)
      let home = try await scene.device("home", on: store)
      for (title, delivery) in [
        ("far", #""calendar": { "year": 2098, "month": 5 }, "repeats": true"#),
        ("soon", #""interval": 86400, "repeats": false"#),
      ] {
        let answer = try await publisher.publishGraph(
          """
          { "targetHostName": "ci", "trigger": { \(delivery) },
            "payload": { "visualContent": { "title": "\(title)" } } }
          """)
        #expect(answer.status == 201, "\(answer.body)")
      }
      try await away.succeed("sync")
      let listed = try await away.succeed("requests", "--app", "ci").split(separator: "\n")
      #expect(listed.count == 2 && listed[0].hasSuffix("soon"), "\(listed)")
      #expect(listed.last?.hasPrefix("2098-05-01 00:00") == true, "\(listed)")
      let dismissed = try await away.bellhop("dismiss", "2")
      #expect(dismissed.exitCode == 64)
      #expect(dismissed.errors.contains("bellhop requests cancel 2"), "\(dismissed.errors)")

      wire.cut()
      let cancelled = try await away.bellhop("requests", "cancel", "1", "2")
      #expect(cancelled.exitCode == 0)
      #expect(cancelled.errors.contains(#"Cancelled #2 "soon" (ci)."#), "\(cancelled.errors)")
      #expect(try await away.succeed("requests", "--offline") == "")
      let again = try await away.bellhop("requests", "resume", "2")
      #expect(again.exitCode != 0 && again.errors.contains("Nothing was changed."))
      #expect(try await home.succeed("requests").split(separator: "\n").count == 2)

      try wire.restore()
      try await away.succeed("sync")
      #expect(try await home.succeed("requests") == "")
    }
  }

  @Test("the zone in which the store delivers is the same on every device, and undo restores it")
  func requestZone() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let home = try await scene.device("home", on: store)
      let away = try await scene.device("away", on: store)
      let answer = try await store.publisher().publishGraph(
        """
        { "targetHostName": "ci", "payload": { "visualContent": { "title": "far" } },
          "trigger": { "calendar": { "year": 2098, "month": 5 }, "repeats": false } }
        """)
      #expect(answer.status == 201, "\(answer.body)")
      func due() async throws -> String {
        try await store.publisher().curl("/v1.0/me/requests?targetHostName=ci").body
      }
      #expect(try await due().contains("2098-05-01T00:00:00.000Z"))
      try await away.succeed("requests", "zone", "Asia/Tokyo", "--wait")
      #expect(try await due().contains("2098-04-30T15:00:00.000Z"))
      #expect(try await home.succeed("requests", "zone").contains("Asia/Tokyo"))
      let unknown = try await away.bellhop("requests", "zone", "Mars/Olympus")
      #expect(unknown.exitCode == 64 && unknown.errors.contains("Nothing was changed."))
      try await away.succeed("undo")
      #expect(try await home.succeed("requests", "zone").contains("store"))
    }
  }

  @Test("a result that no screen was open for is shown by the next screen, and by no later one")
  func refusalIsToldLater() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let device = try await scene.device("away", on: store, url: wire.url)
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
      wire.cut()
      #expect(try await device.bellhop("dismiss", "1").errors.contains("Not sent yet"))
      try await publish("disk full")
      try wire.restore()
      try await device.succeed("sync")

      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "Your dismiss of", "did not apply")
      try await screen.type("Q")
      try await screen.waitForEnd()
      let later = try await scene.screen(on: device)
      try await later.wait(for: "●  ci", "disk full", "● live, all sent")
      #expect(try await later.text().contains("did not apply") == false)
      #expect(try await device.succeed("outbox", "--refused").contains("did not apply"))
    }
  }

  @Test("with the store stopped both devices keep working, and agree when it is back")
  func convergence() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let reader = try await store.reader()
      let devices = [
        try await scene.device("laptop", on: store), try await scene.device("desktop", on: store),
      ]
      for number in 1...6 { try await publisher.publish("Item \(number)", app: "app\(number)") }
      // Before the screens start, which would announce six new apps, and store that they did.
      for device in devices { try await device.succeed("sync") }
      let laptop = try await scene.screen(on: devices[0])
      let desktop = try await scene.screen(on: devices[1])
      for screen in [laptop, desktop] {
        try await screen.wait(for: "● live, all sent")
        try await screen.wait(for: (1...6).map { "app\($0)" }.joined(separator: " ")) { seen in
          (1...6).allSatisfy { seen.contains("●  app\($0)") }
        }
        try await screen.type("gg")
      }

      #expect(try await store.stop() == .exited(0))
      for screen in [laptop, desktop] {
        try await screen.wait(for: "○ offline", "Changes are saved and sent later.")
      }
      // Newest first: 6 is dismissed here and read there, 5 deleted here and snoozed there.
      try await laptop.type("d")
      try await laptop.waitUntilGone("●  app6")
      try await laptop.type("x")
      try await laptop.wait(for: "○ offline · 2 waiting")
      try await desktop.type("rjs")
      try await desktop.wait(for: "15 minutes")
      try await desktop.press("Enter")
      try await desktop.wait(for: "○ offline · 2 waiting")
      let noted = try await devices[1].bellhop("dismiss", "1")
      #expect(noted.exitCode == 0)
      try await desktop.wait(for: "○ offline · 3 waiting")
      try await desktop.waitUntilGone("●  app1")
      try await laptop.type("Q")
      try await laptop.waitForEnd()
      #expect(try await laptop.text().contains("2 changes are saved and will be sent next time."))

      try await store.start()
      let again = try await scene.screen(on: devices[0])
      try await desktop.type("R")
      for screen in [again, desktop] { try await screen.wait(for: "● live, all sent") }
      try await publisher.publish("Item 7", app: "app7")
      for screen in [again, desktop] {
        try await screen.wait(for: "Item 7")
        try await screen.waitUntilGone("Item 1", "Item 5", "Item 6")
        try await screen.wait(for: "●  app2", "●  app3", "●  app4", "●  app7")
      }

      func kept(_ device: Device) async throws -> [ListedItem] {
        try await device.items("list", "--all", "--limit", "1000")
      }
      let items = try await eventually("the same on both devices") {
        let items = try await kept(devices[0])
        return items == (try await kept(devices[1])) ? items : nil
      }
      #expect(Set(items.map(\.id)).count == items.count)
      let stored = try await reader.storedItems()
      #expect(
        Set(stored)
          == Set(
            items.map {
              Publisher.StoredItem(
                id: $0.id, readState: $0.read ? "read" : "unread", userActionState: $0.action)
            }))
      #expect(stored.count == items.count)
      #expect(items.allSatisfy { !$0.waiting })
      let placements = Dictionary(uniqueKeysWithValues: items.map { ($0.app, $0.placement) })
      #expect(
        placements == [
          "app1": "history", "app2": "tray", "app3": "tray", "app4": "tray", "app6": "history",
          "app7": "tray",
        ])
      // Read on one and dismissed on the other: both survive.
      let six = try #require(items.first { $0.app == "app6" })
      #expect(six.read && six.action == "dismissed" && six.handledBy == "laptop")
    }
  }
}
