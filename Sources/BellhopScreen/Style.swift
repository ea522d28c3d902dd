/// A colour as named by a theme.
package enum Color: Hashable, Sendable {
  /// The terminal's own foreground or background.
  case `default`
  /// An entry of the terminal's palette: 0–7 are the ANSI colours, 8–15 their bright variants.
  ///
  /// 16–231 are a cube of 6×6×6, 232–255 are greys.
  case palette(UInt8)
  case rgb(red: UInt8, green: UInt8, blue: UInt8)

  /// Returns the colour written as 0xRRGGBB.
  package static func rgb(_ value: UInt32) -> Color {
    .rgb(
      red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
      blue: UInt8(truncatingIfNeeded: value))
  }
}

/// The number of colours that a terminal shows.
package enum ColorDepth: Int, Comparable, CaseIterable, Sendable {
  /// No colours: only bold, reverse and underline (also for `NO_COLOR`).
  case monochrome
  /// The 8 ANSI colours.
  case ansi8
  /// The ANSI colours and their bright variants.
  case ansi16
  /// The 256 colours of xterm.
  case indexed256
  /// Any RGB colour.
  case direct

  package static func < (left: ColorDepth, right: ColorDepth) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The appearance of the cells of one role.
package struct Style: Hashable, Sendable {
  /// The foreground; nil keeps the one below it: the terminal's own, or the selection's.
  package var foreground: Color?
  /// The background; nil keeps the one below it: the terminal's own, or the selection's.
  package var background: Color?
  /// The foreground for terminals with 16 colours or 8; nil derives it from ``foreground``.
  package var foreground16: Color?
  package var background16: Color?
  package var isBold: Bool
  package var isItalic: Bool
  package var isUnderlined: Bool
  package var isReversed: Bool

  package init(
    foreground: Color? = nil, background: Color? = nil, foreground16: Color? = nil,
    background16: Color? = nil, isBold: Bool = false, isItalic: Bool = false,
    isUnderlined: Bool = false, isReversed: Bool = false
  ) {
    self.foreground = foreground
    self.background = background
    self.foreground16 = foreground16
    self.background16 = background16
    self.isBold = isBold
    self.isItalic = isItalic
    self.isUnderlined = isUnderlined
    self.isReversed = isReversed
  }
}

/// The styles of all roles: a theme as a terminal uses it.
package struct StyleSheet: Hashable, Sendable {
  private var styles: [StyleRole: Style]
  /// The terminal's own background, shown by roles that set none; nil if unknown.
  package var terminalBackground: Color?

  /// Creates a style sheet.
  ///
  /// Roles that are not in `styles` look like plain text, except for `match`, which looks like
  /// `accent`, underlined.
  package init(_ styles: [StyleRole: Style] = [:]) {
    self.styles = styles
  }

  package subscript(role: StyleRole) -> Style {
    get { styles[role] ?? (role == .match ? underlinedAccent : Style()) }
    set { styles[role] = newValue }
  }

  private var underlinedAccent: Style {
    var style = self[.accent]
    style.isUnderlined = true
    return style
  }
}
