import Testing

@Suite("A newcomer")
struct NewcomerTests {
  @Test("the first command shows a first-run screen, and p sends a first notification")
  func firstRun() async throws {
    try await Scene.play { scene in
      let device = try scene.device("new")
      let screen = try await scene.screen(on: device)
      try await screen.wait(
        for: "Nothing here yet. This is your own store, on this machine only.",
        "send yourself a first notification", "bellhop publish \"Hello\" --app nas",
        "curl -H @", "bellhop store stop ends it.")
      try await screen.type("p")
      try await screen.wait(for: "Your first notification", "● live, all sent")
      try await screen.type("q")
      #expect(try await screen.waitForEnd() == 0)

      let running = try await device.bellhop("store", "status")
      #expect(running.output.contains("running (process"))
      let stopped = try await device.bellhop("store", "stop")
      #expect(stopped.exitCode == 0)
      #expect(stopped.errors.contains("The store has ended."))
      #expect(try await device.bellhop("store", "status").output.contains("not running"))
      #expect(try await device.items("list").map(\.title) == ["Your first notification"])
    }
  }
}
