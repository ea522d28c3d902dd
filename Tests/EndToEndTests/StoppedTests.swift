import BellhopTestSupport
import Glibc
import Testing

@Suite("Suspended and resumed processes", .realPrograms)
struct StoppedTests {
  @Test("a suspended store does not hold changes back for good, and continues")
  func store() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      let other = try await scene.device("other", on: store)
      for number in 1...2 { try await publisher.publish("Item \(number)", app: "app\(number)") }
      // Before the screens start, which would announce new apps, and store that they did.
      for device in [device, other] { try await device.succeed("sync") }
      let screen = try await scene.screen(on: device)
      let otherScreen = try await scene.screen(on: other)
      for screen in [screen, otherScreen] {
        try await screen.wait(for: "app1", "app2", "● live, all sent")
      }

      store.signal(SIGSTOP)
      try await screen.type("ggd")
      // It left this tray at once; the header shows that the store does not have it.
      try await screen.wait(for: "a change that waits") { seen in
        !seen.contains("●  app2") && seen.contains("1 waiting")
      }
      #expect(try await device.item(titled: "Item 2")?.waiting == true)
      store.signal(SIGCONT)
      for screen in [screen, otherScreen] {
        try await screen.wait(for: "● live, all sent")
        try await screen.wait(for: "no app2 in the tray") { !$0.contains("●  app2") }
      }
      let item = try await other.waitForItem(titled: "Item 2", "dismissed") {
        $0.action == "dismissed"
      }
      #expect(item.handledBy == "desk")
    }
  }

  @Test("a suspended client shows what happened meanwhile, and the right state")
  func client() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      let other = try await scene.device("other", on: store)
      let screen = try await scene.screen(on: device)
      try await publisher.publish("Before", app: "before")
      try await screen.wait(for: "●  before", "● live, all sent")

      let process = try await screen.processID()
      kill(process, SIGSTOP)
      scene.atEnd { kill(process, SIGCONT) }
      try await publisher.publish("Meanwhile", app: "meanwhile")
      try await other.succeed("sync")
      try await other.succeed("dismiss", "1", "--wait")
      // The store died and came back: the suspended client's connections are gone.
      try await store.crash()
      try await store.start()
      try await publisher.publish("After", app: "after")
      kill(process, SIGCONT)
      try await screen.wait(for: "●  meanwhile", "●  after", "● live, all sent")
      try await screen.waitUntilGone("●  before")
    }
  }

  @Test("after the machine slept the screen shows the current time, and asks the store")
  func sleep() async throws {
    try await Scene.play { scene in
      let sleep = try MachineSleep(folder: scene.folder)
      let store = try await scene.store(fault: .sleep(sleep))
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store, fault: .sleep(sleep))
      let screen = try await scene.screen(on: device)
      try await publisher.publish("Snoozed", app: "snoozed")
      // With the cursor on it, because the other item would stay visible as a ghost under it.
      try await screen.wait(for: "●  snoozed")
      let answer = try await publisher.publishGraph(
        """
        { "targetHostName": "short", "displayTimeToLive": "3600",
          "payload": { "visualContent": { "title": "An hour in the tray" } } }
        """)
      #expect(answer.status == 201, "\(answer.body)")
      try await screen.wait(for: "●  snoozed", "●  short", "● live, all sent")
      try await device.succeed("snooze", "1", "--for", "2h", "--wait")
      try await screen.waitUntilGone("●  snoozed")

      try sleep.sleep(seconds: 3 * 3600)
      try await screen.wait(for: "what the time made of the tray") { seen in
        seen.contains("snoozed") && !seen.contains("●  short")
          && seen.contains("● live, all sent")
      }
      #expect(try await device.item(titled: "Snoozed")?.placement == "tray")
      #expect(try await device.item(titled: "An hour in the tray")?.placement == "history")
      try await publisher.publish("Awake", app: "awake")
      try await screen.wait(for: "●  awake", "● live, all sent")
      try await device.succeed("dismiss", "3", "--wait")
      let other = try await scene.device("other", on: store, fault: .sleep(sleep))
      try await other.succeed("sync")
      #expect(try await other.item(titled: "Awake")?.handledBy == "desk")
    }
  }

  @Test("when the machine wakes a client sends a request at once, without waiting for a signal")
  func wakes() async throws {
    try await Scene.play { scene in
      let sleep = try MachineSleep(folder: scene.folder)
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let device = try await scene.device("desk", on: store, url: wire.url, fault: .sleep(sleep))
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "● live, all sent")

      // Nothing from the store arrives, so only the wake-up itself can trigger the client.
      var stalled = FaultyWire.Weather.clear
      stalled.isStalledDown = true
      for night in 1...2 {
        // The message about waking is gone when changes arrive.
        try await publisher.publish("Night \(night)", app: "night\(night)")
        try await screen.wait(for: "●  night\(night)", "● live")
        let before = wire.connectionsMade
        wire.set(stalled)
        try sleep.sleep(seconds: night * 3600)
        // After 30 s without an answer it would reconnect in any case.
        try await eventually("a new connection", within: .seconds(20)) {
          wire.connectionsMade > before
        }
        wire.set(.clear)
        // Its clock is now ahead of the store's, which the header shows instead of "all sent".
        try await screen.wait(for: "● live")
      }

      // On another network: the old connections are dead, without any notice.
      wire.set(.clear, keepsConnections: false)
      try await publisher.publish("While it slept", app: "slept")
      try sleep.sleep(seconds: 4 * 3600)
      try await screen.wait(for: "●  slept", "● live")
    }
  }
}
