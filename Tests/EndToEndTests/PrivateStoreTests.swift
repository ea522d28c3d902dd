import BellhopTestSupport
import Glibc
import Testing

@Suite("A private store that ends", .realPrograms)
struct PrivateStoreTests {
  @Test("an open screen restarts a killed store, reports it, and shows items published after that")
  func killedUnderScreen() async throws {
    try await Scene.play { scene in
      let device = try scene.device("desk")
      let screen = try await scene.screen(on: device, columns: 100)
      try await screen.wait(for: "Nothing here yet", "● live, all sent")
      try await killStore(of: device)
      // If another test's store has taken the port meanwhile, the line also says that, and is cut.
      try await screen.wait(for: "The private store had stopped", "● live, all sent")
      try await publish("After the crash", on: device)
      try await screen.wait(for: "After the crash")
    }
  }

  @Test("the agent restarts a killed store, reports it, and receives items published after that")
  func killedUnderAgent() async throws {
    try await Scene.play { scene in
      let device = try scene.device("desk")
      let agent = try await agent(of: device, in: scene)
      try await killStore(of: device)
      try await eventually("the news that the store was started again", last: agent.errors) {
        agent.errors.contains("local: The private store had stopped and was started again.")
      }
      try await publish("After the crash", on: device)
      try await device.waitForItem(titled: "After the crash", "in the cache")
    }
  }

  @Test("a stopped store stays down, the screen shows the command, and R starts it")
  func stoppedUnderScreen() async throws {
    try await Scene.play { scene in
      let device = try scene.device("desk")
      let agent = try await agent(of: device, in: scene)
      let screen = try await scene.screen(on: device, columns: 120)
      try await screen.wait(for: "Nothing here yet", "● live, all sent")
      try await device.succeed("store", "stop")
      try await screen.wait(
        for: "The private store is stopped.", "R starts it, or bellhop store start", "○ offline")
      try await eventually("the agent's word", last: agent.errors) {
        agent.errors.contains("The private store is stopped. To start it: bellhop store start")
      }
      #expect(try await device.succeed("store", "status").contains("not running"))
      try await screen.type("R")
      try await screen.wait(for: "The private store was star", "● live, all sent")
      try await publish("After the stop", on: device)
      try await screen.wait(for: "After the stop")
      #expect(!agent.errors.contains("started again"))
    }
  }

  // MARK: - Actions

  private func agent(of device: Device, in scene: Scene) async throws -> Child {
    // A command that needs the store creates it and its account.
    try await device.succeed("store", "start")
    let agent = try Child(
      Programs.bellhop, ["agent"], environment: device.environment, directory: device.folder,
      folder: device.folder + "/output")
    scene.atEnd { await agent.end() }
    try await eventually("an engine", last: agent.errors) {
      try await device.succeed("status", "--json").contains("\"connection\":\"live\"")
    }
    return agent
  }

  private func killStore(of device: Device) async throws {
    let process = try #require(device.privateStoreProcess)
    kill(process, SIGKILL)
    try await eventually(
      "another process", last: "\(String(describing: device.privateStoreProcess))"
    ) {
      device.privateStoreProcess.map { $0 != process } ?? false
    }
  }

  /// Publishes with curl, because a `bellhop` command would start the store itself.
  private func publish(_ title: String, on device: Device) async throws {
    let status = try await device.succeed("store", "status")
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("publish") })
    let address = try #require(line.split(separator: " ").last)
    let sent = try await device.run(
      program: Programs.curl,
      [
        "--silent", "--fail", "-H", "@" + device.publishHeaderFile, "-H", "Title: " + title, "-d",
        "text", "\(address)/test",
      ])
    #expect(sent.exitCode == 0, "\(sent.output)\(sent.errors)")
  }
}
