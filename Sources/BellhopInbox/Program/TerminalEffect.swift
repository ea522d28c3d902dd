package import BellhopScreen
package import BellhopText

/// Something that the terminal does, or the loop that reads it.
package enum TerminalEffect: Hashable, Sendable {
  /// Find out what pictures are drawn with on this terminal, then say ``TerminalReport/graphics(_:)``.
  case askGraphics
  /// Give the terminal to a command that the person typed, and take it back.
  case pipe(PipeOrder)
  /// At most 8 KiB without line breaks.
  case copy(String)
  /// Find the themes there are, then say ``TerminalReport/themes(_:current:)``.
  case loadThemes
  /// Draw with a theme, to try it.
  case showTheme(String)
  /// Draw with a theme from now on, and at every start.
  case keepTheme(String)
  /// Ask for attention: bell, desktop notification, sound.
  case ring(Ring)
  /// Paint the whole screen again.
  case repaint
  case suspend
  /// Leave; the line, if any, is for the terminal the person comes back to.
  case quit(farewell: SafeText?)
}

/// A report of the terminal, or of the loop that reads it.
package enum TerminalReport: Sendable {
  /// All names, and the one that is shown.
  case themes([String], current: String)
  /// The way in which pictures are drawn; again when it changes.
  case graphics(PictureMeans)
}

extension InboxState {
  mutating func take(_ report: TerminalReport) {
    switch report {
    case .themes(let names, let current): openThemeMenu(names, current: current)
    case .graphics(let means): attachments.means = means
    }
  }
}
