import BellhopModel
import BellhopScreen
import BellhopText

/// A way in which a terminal takes a text that its desktop is to show.
///
/// Who takes which is from the terminals' own documentation: kitty's "Desktop notifications"
/// protocol (99, of its own design), iTerm2's "Proprietary Escape Codes" (9), and 777, which
/// rxvt-unicode's extension began and foot, Ghostty, WezTerm, Konsole and Contour document too.
/// Terminals without it ignore each of them.
package enum NotificationProtocol: String, Hashable, Sendable, CaseIterable {
  /// One text, without a title.
  case osc9
  /// Title and body, parted by a semicolon.
  case osc777
  /// Title and body in base 64, with the urgency.
  case osc99
}

/// What the person wants of the terminal's notifications.
package enum NotificationChoice: Hashable, Sendable {
  /// What the terminal is known to take; nothing where that is not known.
  case automatic
  case always(NotificationProtocol)
  case never
}

extension TerminalOptions {
  /// The way to the desktop; nil for none.
  var notificationProtocol: NotificationProtocol? {
    switch notifications {
    case .never: nil
    case .always(let known): known
    case .automatic: Self.knownProtocol(environment)
    }
  }

  /// Whether notifications of the desktop go through the terminal.
  package var notifiesByTerminal: Bool { notificationProtocol != nil }

  /// What the terminal around this process takes, as far as the environment tells. Inside tmux the
  /// variables are those of the terminal in which its server was started.
  static func knownProtocol(_ environment: [String: String]) -> NotificationProtocol? {
    func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    let term = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    // GNU screen takes such texts in pieces only.
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
  /// Longer texts are cut: desktops show a line or two.
  static let titleBytesMax = 128
  static let bodyBytesMax = 256

  /// The bytes that show a notification.
  ///
  /// Only safe text comes in, so no control character can end the sequence early.
  /// - Parameters:
  ///   - number: different for each notification of a process, so that none replaces another.
  ///   - passesThroughTmux: wraps it for tmux, which hands it on where `allow-passthrough` is on.
  func sequence(
    title: String, body: String, isUrgent: Bool, number: Int, passesThroughTmux: Bool
  ) -> String {
    let sequences: [String]
    switch self {
    case .osc9:
      let text = body.isEmpty ? title : title + ": " + body
      // A number and a semicolon would be a command of ConEmu's, such as a progress bar.
      let isNumber = text.utf8.first.map { (0x30...0x39).contains($0) } ?? false
      sequences = ["\u{1B}]9;" + (isNumber ? "- " : "") + text + "\u{07}"]
    case .osc777:
      // The semicolon ends the title, whatever combines with it; in the body it is a character like
      // others.
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

  /// tmux's pass-through (tmux(1), `allow-passthrough`): each escape character twice.
  static func throughTmux(_ sequence: String) -> String {
    var doubled = ""
    for scalar in sequence.unicodeScalars {
      if scalar == "\u{1B}" { doubled.unicodeScalars.append(scalar) }
      doubled.unicodeScalars.append(scalar)
    }
    return "\u{1B}Ptmux;" + doubled + "\u{1B}\\"
  }
}
