import BellhopTestSupport
import Foundation
import Glibc
import TerminalReader
import Testing

@Suite("The terminal is restored", .realPrograms)
struct TerminalTests {
  /// Runs blocking work on its own thread, because the pool has few.
  private func onThread(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Thread { done.resume(with: Result { try work() }) }.start()
    }
  }

  private static func bellhop(_ device: Device) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(
      Programs.bellhop, environment: device.environment, directory: device.folder)
    try terminal.wait(for: "Hello")
    try terminal.wait(for: "all sent")
    #expect(!terminal.isCooked)
    let modes = Modes(terminal.text)
    #expect(modes.on.isSuperset(of: [1049, 1004, 1006, 2004, 2031]))
    return terminal
  }

  /// The private modes of a terminal after a program's output.
  private struct Modes {
    var on: Set<Int> = []
    var isCursorShown = true

    init(_ output: String) {
      for part in output.components(separatedBy: "\u{1B}[?").dropFirst() {
        let digits = part.prefix { $0.isNumber || $0 == ";" }
        guard let end = part.dropFirst(digits.count).first, end == "h" || end == "l" else {
          continue
        }
        for number in digits.split(separator: ";").compactMap({ Int($0) }) {
          if end == "h" { on.insert(number) } else { on.remove(number) }
          if number == 25 { isCursorShown = end == "h" }
        }
      }
    }
  }

  private static func expectGivenBack(_ terminal: PseudoTerminal, _ how: String) {
    let modes = Modes(terminal.text)
    #expect(terminal.isCooked, "\(how)")
    #expect(modes.isCursorShown, "\(how)")
    // The alternate screen, mouse and focus reports, bracketed paste, keypad, dark or light.
    for mode in [1, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004, 2031] {
      #expect(!modes.on.contains(mode), "mode \(mode) is still on after \(how)")
    }
  }

  @Test("it is restored on q, SIGTERM, SIGHUP and SIGINT, and on Ctrl-z until the program resumes")
  func restored() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello")
      try await device.succeed("sync")
      try await onThread {
        let terminal = try Self.bellhop(device)
        terminal.send("q")
        try terminal.waitForEnd(as: .exited(0))
        Self.expectGivenBack(terminal, "q")
      }
      for (name, signal) in [("SIGTERM", SIGTERM), ("SIGHUP", SIGHUP), ("SIGINT", SIGINT)] {
        try await onThread {
          let terminal = try Self.bellhop(device)
          terminal.signal(signal)
          let ending = try terminal.waitForEnd()
          #expect([.exited(128 + signal), .signaled(signal)].contains(ending), "\(name)")
          Self.expectGivenBack(terminal, name)
        }
      }
      try await onThread { try Self.suspendAndResume(device) }
    }
  }

  @Test("it is restored after a crash too", arguments: [SIGSEGV, SIGABRT])
  func crashed(signal: Int32) async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello")
      try await device.succeed("sync")
      try await onThread {
        let terminal = try Self.bellhop(device)
        terminal.signal(signal)
        try terminal.waitForEnd(as: .signaled(signal))
        Self.expectGivenBack(terminal, "signal \(signal)")
      }
    }
  }

  @Test(
    "200 sizes at once leave nothing behind: the screen equals that of a terminal never resized")
  func resizes() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("TerminalTests.resizes seed \(seed)")
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for number in 1...12 {
        try await device.succeed("publish", "Item \(number), 备份 👩‍👩‍👧‍👦", "--app", "app\(number % 3)")
      }
      try await device.succeed("sync")
      try await onThread { try Self.resizes(device, seed: seed) }
    }
  }

  private static let lastSize = (columns: 110, rows: 33)

  private static func resizes(_ device: Device, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let moved = try PseudoTerminal(
      Programs.bellhop, environment: device.environment, directory: device.folder)
    try moved.wait(for: "Item 1,")
    for _ in 0..<200 {
      moved.resize(
        columns: Int.random(in: 1...300, using: &random),
        rows: Int.random(in: 1...100, using: &random))
    }
    moved.resize(columns: lastSize.columns, rows: lastSize.rows)
    let still = try PseudoTerminal(
      Programs.bellhop, environment: device.environment, directory: device.folder,
      columns: lastSize.columns, rows: lastSize.rows)
    try still.wait(for: "Item 1,")
    // Delayed messages, such as the connection's state, may reach one later than the other.
    for round in 1... {
      let screens = [painted(moved), painted(still)]
      for screen in screens { #expect(screen.violations.isEmpty, "seed \(seed)") }
      if screens[0].lines == screens[1].lines { break }
      guard round < 20 else {
        let seen = screens.map { $0.lines.joined(separator: "\n") }.joined(separator: "\n\n")
        Issue.record("seed \(seed): two screens\n\(seen)")
        return
      }
    }
    #expect(painted(still).lines.contains { $0.contains("1 of 12  ? keys") })
    for terminal in [moved, still] {
      terminal.send("q")
      try terminal.waitForEnd(as: .exited(0))
      expectGivenBack(terminal, "200 sizes, seed \(seed)")
    }
  }

  /// The whole screen after a full repaint.
  private static func painted(_ terminal: PseudoTerminal) -> VTReader {
    terminal.settle()
    let before = terminal.output.count
    terminal.send("\u{0C}")
    terminal.settle(quiet: .milliseconds(400))
    var screen = VTReader(columns: lastSize.columns, rows: lastSize.rows)
    screen.read(terminal.output[before...])
    return screen
  }

  private static func suspendAndResume(_ device: Device) throws {
    // A plain shell, which leaves its terminal's modes alone.
    var environment = device.environment
    environment["PS1"] = "ready> "
    let terminal = try PseudoTerminal(
      "/bin/sh", ["-i"], environment: environment, directory: device.folder)
    try terminal.wait(for: "ready> ")
    terminal.send("bellhop; echo code $?\n")
    try terminal.wait(for: "all sent")
    terminal.send("\u{1A}")
    try terminal.wait(for: "the shell's terminal") { $0.isCooked && $0.text.hasSuffix("ready> ") }
    expectGivenBack(terminal, "Ctrl-z")
    terminal.send("fg\n")
    try terminal.wait(for: "\u{1B}[?1049h")
    try terminal.wait(for: "Hello")
    try terminal.wait(for: "raw mode") { !$0.isCooked }
    terminal.send("q")
    try terminal.wait(for: "the shell's terminal") { $0.isCooked && $0.text.hasSuffix("ready> ") }
    expectGivenBack(terminal, "Ctrl-z, fg and q")
    terminal.send("exit\n")
    _ = try terminal.waitForEnd()
  }

  @Test("an unknown terminal is drawn as an ordinary one")
  func unknownTerminal() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello")
      try await onThread {
        var environment = device.environment
        environment["TERM"] = "no-such-terminal"
        let terminal = try PseudoTerminal(
          Programs.bellhop, environment: environment, directory: device.folder)
        try terminal.wait(for: "Hello")
        terminal.send("q")
        try terminal.waitForEnd(as: .exited(0))
        Self.expectGivenBack(terminal, "an unknown TERM")
      }
    }
  }
}
