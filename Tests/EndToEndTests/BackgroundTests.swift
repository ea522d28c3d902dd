import BellhopTestSupport
import Foundation
import TerminalReader
import Testing

@Suite("The theme follows the terminal's background", .realPrograms)
struct BackgroundTests {
  /// Runs blocking work on its own thread, because the pool has few.
  private func onThread(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Thread { done.resume(with: Result { try work() }) }.start()
    }
  }

  private static let question = "\u{1B}]11;?\u{7}\u{1B}[c"

  /// The sequences that set the foreground of dim text, with 256 colours.
  private enum Dim: String {
    case any = "38;5;243m"
    case dark = "38;5;247m"
    case light = "38;5;242m"
  }

  private static func start(_ device: Device, arguments: [String] = []) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(
      Programs.bellhop, arguments, environment: device.environment, directory: device.folder)
    // The first frame comes before the query, and does not wait for the answer.
    try terminal.wait(for: "Hello")
    try terminal.wait(for: question)
    return terminal
  }

  private static func quit(_ terminal: PseudoTerminal) throws {
    terminal.send("Q")
    try terminal.waitForEnd(as: .exited(0))
    var reader = VTReader(columns: 80, rows: 24)
    reader.read(terminal.output)
    #expect(reader.violations == [] && reader.modes == VTReader.freshModes)
  }

  private func play(_ body: (Device) async throws -> Void) async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello")
      try await device.succeed("sync")
      try await body(device)
    }
  }

  @Test(
    "a light terminal gets the light theme, at the next start too, and the dark one after a change")
  func answered() async throws {
    try await play { device in
      try await onThread {
        let terminal = try Self.start(device)
        #expect(terminal.text.contains(Dim.any.rawValue))
        #expect(!terminal.text.contains(Dim.light.rawValue))
        terminal.send("\u{1B}]11;rgb:ffff/ffff/ffff\u{7}\u{1B}[?62;22c")
        try terminal.wait(for: Dim.light.rawValue)
        try Self.quit(terminal)
      }
      let memory = try String(
        contentsOfFile: device.folder + "/state/bellhop/screen.toml", encoding: .utf8)
      #expect(memory == "background = \"#ffffff\"\n")
      try await onThread {
        let terminal = try Self.start(device)
        #expect(terminal.text.contains(Dim.light.rawValue))
        #expect(!terminal.text.contains(Dim.any.rawValue))
        terminal.send("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?62;22c")
        terminal.send("\u{1B}[?997;1n")
        try terminal.wait(for: Self.question)
        terminal.send("\u{1B}]11;rgb:1e1e/1e1e/2e2e\u{1B}\\\u{1B}[?62;22c")
        try terminal.wait(for: Dim.dark.rawValue)
        try Self.quit(terminal)
      }
    }
  }

  @Test("a terminal that does not answer keeps the neutral theme, and keys are keys meanwhile")
  func unanswered() async throws {
    try await play { device in
      for answer in ["", "\u{1B}[?62;22c"] {
        try await onThread {
          let terminal = try Self.start(device)
          terminal.send(answer + "?")
          try terminal.wait(for: "Keys here")
          terminal.send("\u{1B}")
          terminal.settle(quiet: .milliseconds(400))
          let dims = [Dim.any, .dark, .light].filter { terminal.text.contains($0.rawValue) }
          #expect(dims == [.any])
          try Self.quit(terminal)
        }
        #expect(
          !FileManager.default.fileExists(atPath: device.folder + "/state/bellhop/screen.toml"))
      }
    }
  }

  @Test("a chosen theme stays, with its own background on a terminal of the other kind")
  func chosen() async throws {
    try await play { device in
      try device.write("theme = \"bellhop-dark\"\n", to: device.configFile)
      try await onThread {
        let terminal = try Self.start(device)
        #expect(terminal.text.contains("48;5;234m"))
        terminal.send("\u{1B}]11;rgb:0000/0000/0000\u{7}\u{1B}[?62;22c")
        let clear = "\u{1B}[H\u{1B}[2J"
        try terminal.wait(for: clear)
        try terminal.wait(for: Dim.dark.rawValue)
        let drawn = terminal.text.components(separatedBy: clear).last
        #expect(drawn?.contains("48;5;234m") == false)
        try Self.quit(terminal)
      }
    }
  }
}
