import BellhopTestSupport
import Foundation
import Glibc
import Testing

@Suite("The terminal is given back")
struct TerminalTests {
  /// Runs work that waits in the kernel on a thread of its own: the pool's threads are few.
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
    #expect(modes.on.isSuperset(of: [1049, 1004, 1006, 2004]))
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
    // The alternate screen, mouse and focus reports, bracketed paste, keypad.
    for mode in [1, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004] {
      #expect(!modes.on.contains(mode), "mode \(mode) is still on after \(how)")
    }
  }

  @Test("on q, SIGTERM, SIGHUP and SIGINT, and after Ctrl-z until it comes back")
  func restored() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello")
      try await device.succeed("sync")
      try await onThread {
        let terminal = try Self.bellhop(device)
        terminal.send("q")
        #expect(try terminal.waitForEnd() == .exited(0))
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

  @Test("a terminal that nobody knows is drawn as an ordinary one")
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
        #expect(try terminal.waitForEnd() == .exited(0))
        Self.expectGivenBack(terminal, "an unknown TERM")
      }
    }
  }
}
