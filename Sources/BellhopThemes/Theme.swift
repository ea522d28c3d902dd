package import BellhopScreen

/// A named set of styles for all roles.
package struct Theme: Hashable, Sendable {
  package let name: String
  package let styles: StyleSheet
  /// The terminal background that the colours are made for.
  package let background: Background

  /// A kind of background, or a colour.
  package enum Background: Hashable, Sendable {
    /// Colours that are legible on every background.
    case any
    case dark
    case light
    /// A dark or a light colour, which is painted on terminals of the other kind.
    case color(Color)

    /// The colour to paint on terminals of the other kind; nil if none is painted.
    package var color: Color? {
      switch self {
      case .any: nil
      case .dark: .rgb(0x000000)
      case .light: .rgb(0xFFFFFF)
      case .color(let color): color
      }
    }
  }

  /// The built-in themes, available on every system.
  ///
  /// `themes/*.toml` contain the same themes.
  package static let builtIn = [
    dark, light, any, highContrast, solarizedDark, solarizedLight, gruvbox, nord, catppuccin,
    dracula,
    mono,
  ]
}

extension Theme {
  /// Returns the default theme, used if the user has chosen none.
  ///
  /// - Parameter terminal: The terminal's background; nil if unknown.
  package static func unchosen(on terminal: Color?) -> Theme {
    guard let terminal else { return any }
    return terminal.isLight ? light : dark
  }

  /// Returns the styles for a terminal.
  ///
  /// Paints the theme's background if the terminal's is of the other kind or unknown, so that text
  /// is legible on every terminal.
  /// - Parameter terminal: The terminal's background; nil if unknown.
  package func styles(on terminal: Color?) -> StyleSheet {
    var styles = styles
    styles.terminalBackground = terminal
    guard let own = background.color, terminal?.isLight != own.isLight else { return styles }
    func isOpen(_ color: Color?) -> Bool { color == nil || color == .default }
    var text = styles[.text]
    // With few colours there are no greys. 7 is the terminal's white, which is not the brightest.
    if isOpen(text.background16) { text.background16 = .palette(own.isLight ? 7 : 0) }
    if isOpen(text.foreground16) { text.foreground16 = .palette(own.isLight ? 0 : 7) }
    if isOpen(text.background) { text.background = own }
    if isOpen(text.foreground) { text.foreground = .rgb(own.isLight ? 0x1C1C1C : 0xD0D0D0) }
    styles[.text] = text
    return styles
  }
}

/// The reason why a theme cannot be used; the default theme is used instead.
package struct ThemeError: Error, Hashable, CustomStringConvertible {
  /// The theme file, or the name for which no file was found.
  package let file: String
  /// The line, counted from 1; nil if the error concerns the whole file.
  package let line: Int?
  /// The role as written in the file; nil if the error does not concern a role.
  package let role: String?
  /// The problem and the accepted form.
  package let problem: String

  package var description: String {
    let place = line.map { "\(file), line \($0)" } ?? file
    let subject = role.map { "role '\($0)': " } ?? ""
    return
      "Theme \(place): \(subject)\(problem) The built-in theme is used until this is corrected."
  }
}
