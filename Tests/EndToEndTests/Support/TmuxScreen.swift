import BellhopTestSupport
import FoundationEssentials
import Glibc

/// A program in a terminal drawn by `tmux`, whose screen is read back as text.
///
/// Each has its own tmux server, which is ended with the scene.
final class TmuxScreen: Sendable {
  let device: Device
  private let socket: String

  init(device: Device, socket: String) {
    self.device = device
    self.socket = socket
  }

  /// Starts the program in a terminal of this size.
  func start(
    columns: Int, rows: Int, command: [String], environment: [String: String]
  ) async throws {
    let settings = socket + ".conf"
    try device.write(
      """
      set -g default-terminal tmux-256color
      set -g status off
      set -s escape-time 0
      set -g remain-on-exit on
      set -g remain-on-exit-format ""

      """, to: settings)
    try await tmux(
      [
        "-f", settings, "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "--", "/bin/sh",
        "-c", Self.wrapper, socket,
      ] + command,
      environment: environment)
  }

  /// Runs a tmux command, and returns its output.
  @discardableResult
  private func tmux(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> String {
    let outcome = try await device.run(
      program: Programs.tmux, ["-S", socket] + arguments, environment: environment)
    guard outcome.exitCode == 0 else {
      throw NotSeen("tmux \(arguments)", seen: "exit code \(outcome.exitCode)\n\(outcome.errors)")
    }
    return outcome.output
  }

  /// Ends the program and its terminal.
  func end() async { _ = try? await tmux(["kill-server"]) }

  // MARK: - Keys

  /// Types characters.
  func type(_ text: String) async throws { try await tmux(["send-keys", "-l", "--", text]) }

  /// Presses keys by tmux's names: `Enter`, `Escape`, `Down`, `C-z`.
  func press(_ keys: String...) async throws { try await tmux(["send-keys"] + keys) }

  /// Sends bytes unchanged.
  func send(bytes: [UInt8]) async throws {
    try await tmux(["send-keys", "-H"] + bytes.map { String($0, radix: 16) })
  }

  func resize(columns: Int, rows: Int) async throws {
    try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  // MARK: - The screen

  /// The lines on the screen, without trailing spaces.
  func lines() async throws -> [String] {
    try await tmux(["capture-pane", "-p"])
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  func text() async throws -> String { try await lines().joined(separator: "\n") }

  /// Waits until the screen meets `condition`, and returns it.
  @discardableResult
  func wait(
    for what: String, within limit: Duration = patience, until condition: (String) -> Bool
  ) async throws -> String {
    var last = ""
    return try await eventually(
      "\(what) on the screen of \(device.name)", within: limit, last: last
    ) {
      last = try await text()
      return condition(last) ? last : nil
    }
  }

  /// Waits until all of these texts are on the screen.
  @discardableResult
  func wait(for texts: String..., within limit: Duration = patience) async throws -> String {
    try await wait(for: texts.joined(separator: ", "), within: limit) { screen in
      texts.allSatisfy(screen.contains)
    }
  }

  /// Waits until none of these texts is on the screen.
  @discardableResult
  func waitUntilGone(_ texts: String..., within limit: Duration = patience) async throws -> String {
    try await wait(for: "no " + texts.joined(separator: ", "), within: limit) { screen in
      !texts.contains(where: screen.contains)
    }
  }

  /// The terminal title that the program set.
  func title() async throws -> String {
    try await tmux(["display-message", "-p", "#{pane_title}"])
  }

  // MARK: - The program

  /// A script that runs the program and writes its process id and exit code beside the socket.
  ///
  /// tmux itself sometimes forgets how a program ended.
  private static let wrapper = """
    /bin/sh -c 'echo $$ >"$0.pid"; exec "$@"' "$0" "$@"; echo $? >"$0.code"
    """

  /// A number that the wrapper has written; nil before that.
  private func number(_ kind: String) -> Int? {
    guard let data = try? Data(contentsOf: URL(filePath: socket + kind)), data.last == 0x0A
    else { return nil }
    return Int(String(decoding: data.dropLast(), as: UTF8.self))
  }

  /// The program's process.
  func processID() async throws -> pid_t {
    guard let process = number(".pid") else { throw NotSeen("a process", seen: try await text()) }
    return pid_t(process)
  }

  /// Waits until the program has ended, and returns its exit code, or 128 plus the signal.
  @discardableResult
  func waitForEnd() async throws -> Int {
    var last = ""
    return try await eventually("the end of the program on \(device.name)", last: last) {
      if let code = number(".code") { return code }
      last = try await text()
      return nil
    }
  }

  /// Ends the program with a signal.
  func kill(_ signal: Int32) async throws {
    Glibc.kill(try await processID(), signal)
    try await waitForEnd()
  }
}
