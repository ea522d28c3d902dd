import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

// Serialised, because they share the port that a private store tries first.
@Suite("A new user", .serialized, .realPrograms)
struct NewcomerTests {
  @Test("the first command shows a first-run screen, and p sends a first notification")
  func firstRun() async throws {
    try await Scene.play { scene in
      let device = try scene.device("new")
      let screen = try await scene.screen(on: device)
      try await screen.wait(
        for: "Nothing here yet. This is your own store, on this machine only.",
        "send yourself a first notification", "bellhop publish \"Hello\" --app nas",
        "curl -H @", "bellhop store stop ends the store.")
      try await screen.type("p")
      try await screen.wait(for: "Your first notification", "● live, all sent")
      try await screen.type("q")
      #expect(try await screen.waitForEnd() == 0)

      let running = try await device.bellhop("store", "status")
      #expect(running.output.contains("running (process"))
      let stopped = try await device.bellhop("store", "stop")
      #expect(stopped.exitCode == 0)
      #expect(stopped.errors.contains("Stopped the store."))
      #expect(try await device.bellhop("store", "status").output.contains("not running"))
      #expect(try await device.items("list").map(\.title) == ["Your first notification"])
    }
  }

  @Test(
    "a command that reads shows that there is nothing yet and how to begin, and starts nothing",
    arguments: [
      ["list"], ["count"], ["search", "disk"], ["show", "1"], ["status"], ["apps"], ["outbox"],
      ["dismiss", "1"], ["undo"], ["list", "--all-accounts"],
    ])
  func nothingYet(words: [String]) async throws {
    try await Scene.play { scene in
      let device = try scene.device("new")
      let outcome = try await device.run(program: Programs.bellhop, words)
      #expect(outcome.exitCode == 64 && outcome.output.isEmpty, "\(outcome.output)")
      #expect(
        outcome.errors.hasPrefix(
          "This device has no account yet.\nFor a private store on this machine, start bellhop "),
        "\(outcome.errors)")
      #expect(device.privateStoreProcess == nil)
      let made = try await device.run(program: "/bin/ls", ["data", "state"])
      #expect(made.output == "data:\n\nstate:\n")
    }
  }

  @Test("curl publishes with the header file, and other users can read none of the created files")
  func headerFile() async throws {
    try await Scene.play { scene in
      let device = try scene.device("new")
      // Several programs at once, with nothing there yet: one of them starts the store.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...3 {
          group.addTask { try await device.succeed("publish", "Item \(number)") }
        }
        try await group.waitForAll()
      }
      let address = try await publishAddress(device)
      let sent = try await device.run(
        program: Programs.curl,
        [
          "--silent", "--fail", "-H", "@" + device.publishHeaderFile, "-H", "Title: nas", "-d",
          "Backup finished", address + "/backups",
        ])
      #expect(sent.exitCode == 0, "\(sent.output)")
      try await device.succeed("sync")
      let titles = try await device.items("list").compactMap(\.title)
      #expect(Set(titles) == ["Item 1", "Item 2", "Item 3", "nas"])
      #expect(titles.count == 4)

      for folder in ["config/bellhop", "state/bellhop", "data/bellhop", "run/bellhop"] {
        let open = try await device.run(
          program: "/usr/bin/find", [folder, "-perm", "/077", "-not", "-type", "l"])
        // The test created the configuration's folder, with mode 0700.
        #expect(open.exitCode == 0 && open.output.isEmpty, "\(open.output)\(open.errors)")
      }
    }
  }

  @Test("if the port is in use the store listens on another one, reports it, and keeps it")
  func portTaken() async throws {
    try await Scene.play { scene in
      let device = try scene.device("new")
      // In use either by this socket or by another one.
      let listener = try? TakenPort(8642)
      let started = try await device.bellhop("store", "start")
      #expect(started.exitCode == 0)
      #expect(started.errors.contains("Port 8642 is taken"), "\(started.errors)")
      let address = try await publishAddress(device)
      #expect(started.errors.contains(address) && !address.hasSuffix(":8642"))
      let note = "Port 8642 was taken by another program; publish to \(address)."
      #expect(try await device.succeed("store", "status").contains(note))
      let screen = try await scene.screen(on: device, columns: 120)
      try await screen.wait(for: note, "\(address)/backups")
      try await screen.type("Q")
      try await screen.waitForEnd()
      listener?.close()
      try await device.succeed("store", "stop")
      let again = try await device.bellhop("store", "start")
      #expect(again.exitCode == 0 && again.errors.isEmpty, "\(again.errors)")
      #expect(try await publishAddress(device) == address)
    }
  }

  @Test("a killed demo ends its store, and the next one removes what is left")
  func killedDemo() async throws {
    try await Scene.play { scene in
      let device = try scene.device("new")
      let screen = try await scene.screen(
        on: device, columns: 120, rows: 40, arguments: ["demo"])
      try await screen.wait(for: "● live, all sent")
      let folder = try await demoFolder(screen, device)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let recorded = try String(contentsOfFile: folder + "/store/pid", encoding: .utf8)
      let store = try #require(pid_t(recorded.split(whereSeparator: \.isWhitespace)[0]))
      #expect(Device.commandLine(of: store).contains("bellhopd"))
      try await screen.kill(SIGKILL)
      // Another program may get the process id as soon as it is free.
      try await eventually("the end of the demo's store") {
        !Device.commandLine(of: store).contains(folder)
      }
      #expect(FileManager.default.fileExists(atPath: folder))
      let next = try await scene.screen(on: device, columns: 80, rows: 24, arguments: ["demo"])
      try await next.wait(for: "● live, all sent")
      #expect(!FileManager.default.fileExists(atPath: folder))
      #expect(FileManager.default.fileExists(atPath: try await demoFolder(next, device)))
      try await next.type("Q")
      #expect(try await next.waitForEnd() == 0)
    }
  }

  @Test("if bellhop is not in PATH, the screen and errors show the path by which it was called")
  func notInPath() async throws {
    try await Scene.play { scene in
      let device = try scene.device("new")
      let path = ["PATH": "/usr/bin:/bin"]
      let screen = try await scene.screen(on: device, columns: 200, environment: path)
      try await screen.wait(
        for: Programs.bellhop + " publish \"Hello\" --app nas",
        Programs.bellhop + " store stop ends the store.")
      let unknown = try await device.bellhop("list", "--account", "absent", environment: path)
      #expect(unknown.errors.contains(Programs.bellhop + " accounts lists them."))
      let known = try await device.bellhop("list", "--account", "absent")
      #expect(known.errors.contains("\nbellhop accounts lists them."), "\(known.errors)")
    }
  }

  private func publishAddress(_ device: Device) async throws -> String {
    let status = try await device.succeed("store", "status")
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("publish") })
    return String(try #require(line.split(separator: " ").last))
  }

  @Test(
    "the demo is lively, and leaves nothing behind, however it ends",
    arguments: [nil, SIGTERM, SIGHUP, SIGINT])
  func demo(signal: Int32?) async throws {
    try await Scene.play { scene in
      let device = try scene.device("new")
      let screen = try await scene.screen(
        on: device, columns: 120, rows: 40, arguments: ["demo"])
      try await screen.wait(for: "Nightly took", "● live, all sent")
      let folder = try await demoFolder(screen, device)
      #expect(FileManager.default.fileExists(atPath: folder))
      if let signal {
        try await screen.kill(signal)
      } else {
        try await screen.type("Q")
        #expect(try await screen.waitForEnd() == 0)
      }
      #expect(!FileManager.default.fileExists(atPath: folder))
      #expect(try await device.run(program: "/bin/ls", ["data"]).output.isEmpty)
      #expect(try await device.run(program: "/bin/ls", ["state"]).output.isEmpty)
    }
  }
  /// The demo's temporary folder, found by the files that it has open.
  private func demoFolder(_ screen: TmuxScreen, _ device: Device) async throws -> String {
    let open = try await device.run(
      program: "/bin/ls", ["-l", "/proc/\(try await screen.processID())/fd"])
    let path = try #require(
      open.output.split(whereSeparator: \.isWhitespace).first { $0.contains("/bellhop-demo-") })
    return path.split(separator: "/").prefix(2).map { "/" + $0 }.joined()
  }
}
