internal import BellhopClient
internal import BellhopTerminal

/// The tmux settings that affect the screen.
struct MultiplexerSettings: Hashable, Sendable {
  /// The setting; nil if this version has no such option or did not report it.
  var allowsPassthrough: String?
  var setsClipboard: String?
  var reportsFocus: String?
  /// The time in milliseconds that tmux waits after an escape byte.
  var escapeTime: Int?
  /// The `TERM` of programs inside tmux.
  var term: String

  /// The longest time in milliseconds that does not make Esc feel slow.
  private static let escapeTimeMax = 100

  /// Returns the features that do not work, with the lines for tmux.conf that fix them.
  ///
  /// - Parameter notifies: Whether desktop notifications go through the terminal.
  func finding(notifies: Bool) -> Finding {
    var problems: [(text: String, fix: String)] = []
    if !term.hasPrefix("tmux"), !term.hasPrefix("screen") {
      problems.append(
        (
          "TERM is \(term.isEmpty ? "not set" : String(term.prefix(64))) inside it",
          "set -g default-terminal tmux-256color"
        ))
    }
    if notifies, allowsPassthrough == "off" {
      problems.append(
        ("it blocks desktop notifications", "set -g allow-passthrough on"))
    }
    if setsClipboard == "off" {
      problems.append(("it does not pass on copied text", "set -s set-clipboard on"))
    }
    if reportsFocus == "off" {
      problems.append(
        ("it does not report whether the terminal has focus", "set -g focus-events on"))
    }
    if let escapeTime, escapeTime > Self.escapeTimeMax {
      problems.append(("it waits \(escapeTime) ms after every Esc", "set -s escape-time 25"))
    }
    guard !problems.isEmpty else {
      return .ok("passes on notifications, the clipboard and the focus")
    }
    return .warning(
      problems.map(\.text).joined(separator: "; "),
      "In tmux.conf: " + problems.map(\.fix).joined(separator: "; "))
  }
}

extension DoctorCheck {
  /// The check of tmux, which applies only inside tmux.
  static let multiplexer = DoctorCheck(
    id: "tmux", title: "tmux", isOfAccount: false
  ) { examination in
    let context = examination.context
    guard context.environment["TMUX"]?.isEmpty == false else { return nil }
    guard let program = ChildProcess.find("tmux", environment: context.environment) else {
      return .skipped("tmux is not in PATH, so it cannot be checked")
    }
    func option(_ scope: String, _ name: String) -> String? {
      let answer = Examination.blocking {
        try? ChildProcess.run(program, ["show", scope, name])
      }
      guard let answer, let answer, answer.exitCode == 0, !answer.output.trimmed.isEmpty
      else { return nil }
      return answer.output.trimmed
    }
    guard option("-gv", "status") != nil else {
      return .skipped("tmux does not answer; TMUX may be left over from another session")
    }
    let settings = MultiplexerSettings(
      allowsPassthrough: option("-gv", "allow-passthrough"),
      setsClipboard: option("-sv", "set-clipboard"), reportsFocus: option("-gv", "focus-events"),
      escapeTime: option("-sv", "escape-time").flatMap { Int($0) },
      term: context.environment["TERM"] ?? "")
    var options = TerminalOptions(environment: context.environment)
    options.notifications = context.configuration.notify.choice
    return settings.finding(notifies: options.notifiesByTerminal)
  }
}
