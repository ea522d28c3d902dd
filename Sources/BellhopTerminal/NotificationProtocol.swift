import BellhopModel
import BellhopScreen
import BellhopText

/// A protocol by which a terminal accepts texts for desktop notifications.
///
/// The terminals' own documentation says which one each supports: kitty's "Desktop notifications"
/// protocol (99, its own design), iTerm2's "Proprietary Escape Codes" (9), and 777, which came from
/// rxvt-unicode's extension and which foot, Ghostty, WezTerm, Konsole and Contour document too.
/// Terminals without support ignore these sequences.
package enum NotificationProtocol: String, Hashable, Sendable, CaseIterable {
  /// A single text without a title.
  case osc9
  /// Title and body, separated by a semicolon.
  case osc777
  /// Title and body in Base64, with the urgency.
  case osc99
}

/// The user's choice of desktop notifications through the terminal.
package enum NotificationChoice: Hashable, Sendable {
  /// The protocol that the terminal is known to support; none if it is unknown.
  case automatic
  case always(NotificationProtocol)
  case never
}

extension TerminalOptions {
  /// The protocol to use; nil for none.
  var notificationProtocol: NotificationProtocol? {
    switch notifications {
    case .never: nil
    case .always(let known): known
    case .automatic: Self.knownProtocol(environment)
    }
  }

  /// Whether desktop notifications go through the terminal.
  package var notifiesByTerminal: Bool { notificationProtocol != nil }

  /// Returns the protocol of the terminal around this process, as far as the environment tells.
  ///
  /// Inside tmux, the variables describe the terminal in which its server was started.
  static func knownProtocol(_ environment: [String: String]) -> NotificationProtocol? {
    func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    let term = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    // GNU screen accepts such texts only in pieces.
    if has("STY") { return nil }
    if term.hasPrefix("xterm-kitty") || has("KITTY_WINDOW_ID") { return .osc99 }
    let names777 = ["foot", "xterm-ghostty", "ghostty", "rxvt-unicode", "contour", "wezterm"]
    if names777.contains(where: { term.hasPrefix($0) }) { return .osc777 }
    if ["WezTerm", "ghostty", "contour"].contains(program) { return .osc777 }
    if ["WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR", "KONSOLE_VERSION"].contains(where: has) {
      return .osc777
    }
    if program == "iTerm.app" || environment["LC_TERMINAL"] == "iTerm2" || has("ITERM_SESSION_ID") {
      return .osc9
    }
    return nil
  }
}

extension NotificationProtocol {
  /// The longest title; longer ones are truncated. Desktops show only a line or two.
  static let titleBytesMax = 128
  static let bodyBytesMax = 256

  /// Returns the bytes that show a notification.
  ///
  /// Accepts safe text only, so no control character can end the sequence early.
  /// - Parameters:
  ///   - number: A number that differs for each notification of a process, so that none replaces
  ///     another.
  ///   - passesThroughTmux: Whether to wrap it for tmux, which passes it on if `allow-passthrough`
  ///     is on.
  func sequence(
    title: String, body: String, isUrgent: Bool, number: Int, passesThroughTmux: Bool
  ) -> String {
    let sequences: [String]
    switch self {
    case .osc9:
      let text = body.isEmpty ? title : title + ": " + body
      // A number and a semicolon would be a ConEmu command, such as a progress bar.
      let isNumber = text.utf8.first.map { (0x30...0x39).contains($0) } ?? false
      sequences = ["\u{1B}]9;" + (isNumber ? "- " : "") + text + "\u{07}"]
    case .osc777:
      // The semicolon ends the title, even with combining marks. In the body it is an ordinary
      // character.
      let plain = title.unicodeScalars.map { $0 == ";" ? "," : String($0) }.joined()
      sequences = ["\u{1B}]777;notify;" + plain + ";" + body + "\u{07}"]
    case .osc99:
      func part(_ metadata: String, _ text: String) -> String {
        "\u{1B}]99;i=bellhop\(number):e=1:" + metadata + ";" + Base64.encode(Array(text.utf8))
          + "\u{1B}\\"
      }
      let urgency = isUrgent ? "u=2" : "u=1"
      sequences =
        body.isEmpty
        ? [part("d=1:p=title:" + urgency, title)]
        : [part("d=0:p=title:" + urgency, title), part("d=1:p=body:" + urgency, body)]
    }
    guard passesThroughTmux else { return sequences.joined() }
    return sequences.map(Self.throughTmux).joined()
  }

  /// Wraps a sequence for tmux's pass-through (tmux(1), `allow-passthrough`), doubling each escape
  /// byte.
  static func throughTmux(_ sequence: String) -> String {
    var doubled = ""
    for scalar in sequence.unicodeScalars {
      if scalar == "\u{1B}" { doubled.unicodeScalars.append(scalar) }
      doubled.unicodeScalars.append(scalar)
    }
    return "\u{1B}Ptmux;" + doubled + "\u{1B}\\"
  }
}
