package import BellhopScreen
package import BellhopText

/// An effect on the terminal, or on the loop that reads it.
package enum TerminalEffect: Hashable, Sendable {
  /// Detects the means of drawing pictures; answered by ``TerminalReport/graphics(_:)``.
  case askGraphics
  /// Hands the terminal to a command that the user typed, and takes it back.
  case pipe(PipeOrder)
  /// Asks the user to prove who they are, with a program that may use the terminal.
  ///
  /// Answered by ``TerminalReport/authenticated(_:failure:)``.
  case authenticate(ActionOrder)
  /// Copies text of at most 8 KiB without line breaks.
  case copy(String)
  /// Finds the available themes; answered by ``TerminalReport/themes(_:current:)``.
  case loadThemes
  /// Draws with a theme, to try it.
  case showTheme(String)
  /// Draws with a theme from now on, and at every start.
  case keepTheme(String)
  /// Requests attention: bell, desktop notification, sound.
  case ring(Ring)
  /// Repaints the whole screen.
  case repaint
  case suspend
  /// Quits; the line, if any, is printed on the terminal afterwards.
  case quit(farewell: SafeText?)
}

/// A report of the terminal, or of the loop that reads it.
package enum TerminalReport: Sendable {
  /// All theme names, and the one in use.
  case themes([String], current: String)
  /// The means of drawing pictures; sent again when it changes.
  case graphics(PictureRendering)
  /// The user was authenticated for an action; or not, for this reason, which is a clause.
  case authenticated(ActionOrder, failure: SafeText?)
}

extension InboxState {
  mutating func take(_ report: TerminalReport, _ effects: inout [Effect]) {
    switch report {
    case .themes(let names, let current): openThemeMenu(names, current: current)
    case .graphics(let means): attachments.means = means
    case .authenticated(let order, let failure):
      authenticated(order, failure: failure, &effects)
    }
  }
}
