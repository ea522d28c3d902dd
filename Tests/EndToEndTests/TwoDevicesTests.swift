import BellhopTestSupport
import Testing

/// Two devices of one user, a store, and a publisher.
private struct Household {
  let store: StoreProcess
  let publisher: Publisher
  let laptop: TmuxScreen
  let desktop: TmuxScreen

  var screens: [TmuxScreen] { [laptop, desktop] }

  init(_ scene: Scene, columns: Int = 80, rows: Int = 24) async throws {
    store = try await scene.store()
    publisher = try await store.publisher()
    let devices = [
      try await scene.device("laptop", on: store), try await scene.device("desktop", on: store),
    ]
    laptop = try await scene.screen(on: devices[0], columns: columns, rows: rows)
    desktop = try await scene.screen(on: devices[1], columns: columns, rows: rows)
    for screen in screens { try await screen.wait(for: "● live, all sent") }
  }

  func bothSee(_ texts: String...) async throws {
    for screen in screens {
      try await screen.wait(for: texts.joined(separator: ", ")) { seen in
        texts.allSatisfy(seen.contains)
      }
    }
  }
}

@Suite("Two devices and a store", .realPrograms)
struct TwoDevicesTests {
  @Test("both screens ask about a new app, one answer counts for both, and never refuses it")
  func newApp() async throws {
    try await Scene.play { scene in
      let home = try await Household(scene)
      try await home.publisher.publish("Spam", app: "shop")
      try await home.bothSee("●  shop", "shop is new.  pa allow  pq quiet  pn never  Esc later")
      try await home.laptop.type("pn")
      try await home.laptop.wait(for: "shop may not publish. u undoes it")
      try await home.desktop.waitUntilGone("shop is new.")
      let refused = try await home.publisher.curl("/shop", body: "More spam")
      #expect(refused.status == 403)
      #expect(refused.body.contains("40301"))
      try await home.desktop.type("M")
      try await home.desktop.wait(for: "1  notify    never")
      try await home.desktop.type("1")
      try await home.desktop.wait(for: "1  notify    allow")
      try await eventually("the app is allowed again") {
        try await home.publisher.curl("/shop", body: "An invoice").status == 200
      }
      try await home.laptop.wait(for: "An invoice")
    }
  }

  @Test("an item published by curl is on both screens without a key, and d on one dismisses both")
  func dismissedEverywhere() async throws {
    try await Scene.play { scene in
      let home = try await Household(scene)
      try await home.publisher.publish("Nightly took 3 h 12", app: "older")
      try await home.bothSee("●  older")
      try await home.publisher.publish(
        "Backup finished", title: "nas", headers: ["Priority: high"])
      try await home.bothSee("●! backups", "nas · Backup finished", "[1 Tray 2]")

      try await home.laptop.type("ggd")
      for screen in home.screens {
        try await screen.waitUntilGone("! backups")
        try await screen.wait(for: "●  older", "[1 Tray 1]")
        try await screen.type("2")
        // The history shows where and when.
        try await screen.wait(for: "✓! backups", "dismissed ")
      }
      try await home.laptop.wait(for: " here")
      try await home.desktop.wait(for: " on laptop")
      for screen in home.screens {
        let item = try await screen.device.waitForItem(titled: "nas", "dismissed") {
          $0.action == "dismissed" && !$0.waiting
        }
        #expect(item.placement == "history")
        #expect(item.handledBy == "laptop")
        #expect(item.handledAt != nil)
      }
    }
  }

  @Test("r, s and b on one device are visible on the other, and u undoes them there too")
  func readAndSnooze() async throws {
    try await Scene.play { scene in
      let home = try await Household(scene)
      try await home.publisher.publish("Disk is full")
      try await home.bothSee("●  backups")

      try await home.laptop.type("r")
      try await home.bothSee("○  backups")
      try await home.desktop.type("r")
      try await home.bothSee("●  backups")
      try await home.desktop.type("u")
      try await home.bothSee("○  backups")

      try await home.laptop.type("s")
      try await home.laptop.wait(for: "15 minutes", "1 hour", "tomorrow")
      try await home.laptop.press("Enter")
      try await home.laptop.wait(for: "The tray is empty.", "3 Later 1")
      // The other device's cursor is on it: it stays as a ghost, on which no key acts.
      try await home.desktop.wait(for: "z  backups", "snoozed on laptop", "3 Later 1")
      try await home.desktop.type("d")
      try await home.desktop.wait(for: "Snoozed until ", " on laptop. Nothing was done.")

      try await home.desktop.type("3")
      try await home.desktop.wait(for: "z  backups", "[3 Later 1]")
      try await home.desktop.type("b")
      try await home.laptop.wait(for: "○  backups", "[1 Tray 1]")
      try await home.desktop.type("1")
      try await home.desktop.wait(for: "○  backups", "[1 Tray 1]")

      try await home.desktop.type("d")
      try await home.laptop.wait(for: "✓  backups", "done on desktop")
      try await home.desktop.type("u")
      try await home.bothSee("○  backups", "[1 Tray 1]")
    }
  }

  @Test("x deletes everywhere after its grace period, at once when quitting, and u undoes it")
  func deleted() async throws {
    try await Scene.play { scene in
      let home = try await Household(scene)
      try await home.publisher.publish("First")
      try await home.publisher.publish("Second")
      try await home.publisher.publish("Third")
      try await home.bothSee("First", "Second", "Third")

      // The cursor has stayed with the first item while others arrived above it.
      try await home.laptop.wait(for: "▌●  backups      First", "3 of 3")
      // All at once, because a busy machine may take longer than the grace period between two keys.
      try await home.laptop.type("ggxu")
      try await home.laptop.wait(
        for: "▌●  backups      Third", "[1 Tray 3]", "● live, all sent",
        "Undone: “Third” is back.")
      #expect(try await home.desktop.text().contains("Third"))

      try await home.laptop.type("ggx")
      try await home.laptop.waitUntilGone("backups      Third")
      try await home.desktop.waitUntilGone("backups      Third")

      try await home.laptop.type("x")
      try await home.laptop.waitUntilGone("backups      Second")
      try await home.laptop.type("Q")
      #expect(try await home.laptop.waitForEnd() == 0)
      try await home.desktop.waitUntilGone("backups      Second")
      let reader = try await home.store.reader()
      try await eventually("one item in the store") {
        try await reader.storedItems().count == 1
      }
      for screen in home.screens {
        try await eventually("one item on \(screen.device.name)") {
          try await screen.device.items().map(\.title) == ["First"]
        }
      }
    }
  }

  @Test("Graph's notification body is accepted with a publish token, which cannot read it back")
  func graphBody() async throws {
    try await Scene.play { scene in
      let home = try await Household(scene, columns: 120, rows: 40)
      let body = """
        { "targetHostName": "ci.example.com", "appNotificationId": "build/main",
          "groupName": "main", "priority": "High", "displayTimeToLive": "86400",
          "payload": { "visualContent": { "title": "build 412 failed",
            "body": "2 of 1,204 tests failed" } },
          "clickUrl": "https://ci.example.com/412", "tags": ["linux", "arm64"] }
        """
      let answer = try await home.publisher.publishGraph(body)
      #expect(answer.status == 201, "\(answer.body)")
      #expect(!answer.body.contains("readState") && !answer.body.contains("userActionState"))
      try await home.bothSee(
        "●! ci.example", "build 412 failed", "2 of 1,204 tests failed", "group main",
        "https://ci.example.com/412")

      // Published again it is replaced, not duplicated.
      let again = try await home.publisher.publishGraph(body.replacing("412", with: "413"))
      #expect(again.status == 201)
      try await home.bothSee("build 413 failed")
      for screen in home.screens { try await screen.waitUntilGone("build 412 failed") }

      for path in ["/v1.0/me/notifications", "/v1.0/me/notifications/delta", "/v1.0/me/devices"] {
        let refused = try await home.publisher.curl(path)
        #expect(refused.status == 403, "\(path): \(refused.body)")
        #expect(refused.body.contains("accessDenied"))
      }
    }
  }
}
