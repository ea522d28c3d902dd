package import BellhopScreen

/// The user's choices about the terminal, and its environment.
package struct TerminalOptions: Sendable {
  /// Whether the program handles clicks and the wheel. Without, the terminal's own selection works
  /// (with Shift it always does).
  package var usesMouse = true
  /// Whether the program sets the window title. Never in tmux and screen, where it names the pane.
  package var setsTitle = true
  /// The wait for the rest of a key after an escape byte. Nil stands for 25 ms, or 100 ms under
  /// ssh.
  package var escapeDelay: Duration?
  /// The colour depth to use; nil for the best the terminal supports.
  package var colorDepth: ColorDepth?
  /// The protocol for desktop notifications through the terminal.
  package var notifications = NotificationChoice.automatic
  /// The way pictures are drawn.
  package var graphics = GraphicsChoice.automatic
  /// The styles of all screen elements.
  package var styles = StyleSheet()
  /// The process's environment, of which `TERM`, `TMUX`, `NO_COLOR` and `SSH_CONNECTION` are read.
  package var environment: [String: String]

  package init(environment: [String: String]) {
    self.environment = environment
  }

  private func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }

  private var term: String { environment["TERM"] ?? "" }

  /// Whether the program runs inside tmux or GNU screen.
  var isMultiplexed: Bool {
    isSet("TMUX") || isSet("STY") || term.hasPrefix("tmux") || term.hasPrefix("screen")
  }

  var isInTmux: Bool { isSet("TMUX") || term.hasPrefix("tmux") }

  /// Whether the terminal can save and restore its title.
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

  /// Returns the colour depth for a terminal with `colors` colours.
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
