package import BellhopScreen

/// What a person can choose about the terminal, and what it was started with.
package struct TerminalOptions: Sendable {
  /// Take clicks and the wheel; without, the terminal's own selection works (with Shift it always
  /// does).
  package var usesMouse = true
  /// Set the window title. Never done in tmux and screen, where it names the pane.
  package var setsTitle = true
  /// How long an escape byte waits for the rest of a key. nil: 25 ms, 100 ms under ssh.
  package var escapeDelay: Duration?
  /// The colours to use; nil for what the terminal can.
  package var colorDepth: ColorDepth?
  /// How the terminal is asked to show a notification of the desktop.
  package var notifications = NotificationChoice.automatic
  /// How pictures are drawn.
  package var graphics = GraphicsChoice.automatic
  /// How everything looks.
  package var styles = StyleSheet()
  /// The process's environment: `TERM`, `TMUX`, `NO_COLOR`, `SSH_CONNECTION` are looked at.
  package var environment: [String: String]

  package init(environment: [String: String]) {
    self.environment = environment
  }

  private func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }

  private var term: String { environment["TERM"] ?? "" }

  /// Inside tmux or GNU screen.
  var isMultiplexed: Bool {
    isSet("TMUX") || isSet("STY") || term.hasPrefix("tmux") || term.hasPrefix("screen")
  }

  var isInTmux: Bool { isSet("TMUX") || term.hasPrefix("tmux") }

  /// Terminals that know how to put a title away and bring it back.
  var canSetTitle: Bool {
    let names = [
      "xterm", "rxvt", "alacritty", "foot", "kitty", "vte", "gnome", "konsole", "wezterm",
      "ghostty", "contour", "st-", "iterm",
    ]
    return setsTitle && !isMultiplexed && names.contains { term.hasPrefix($0) }
  }

  var effectiveEscapeDelay: Duration {
    escapeDelay
      ?? (isSet("SSH_CONNECTION") || isSet("SSH_TTY") ? .milliseconds(100) : .milliseconds(25))
  }

  /// The depth for a terminal with `colors` colours.
  func depth(colors: Int, isDirect: Bool) -> ColorDepth {
    let able: ColorDepth =
      switch colors {
      case ..<8: .monochrome
      case 8..<16: .ansi8
      case 16..<256: .ansi16
      default: isDirect ? .direct : .indexed256  // open: Int
      }
    if let colorDepth { return min(colorDepth, able) }
    return isSet("NO_COLOR") ? .monochrome : able
  }
}
