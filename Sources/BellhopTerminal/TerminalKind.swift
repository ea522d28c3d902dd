import CNcurses

/// The properties of a terminal that are known before it is opened.
package struct TerminalKind: Hashable, Sendable {
  /// The number of colours in its description; nil if none is installed for its name.
  package var colors: Int?
  /// Whether the locale can show any character.
  package var isUTF8: Bool

  /// Looks up the terminal of this name, in the environment's locale. Call before opening a
  /// terminal.
  @MainActor package static func find(named name: String) -> TerminalKind {
    let colors = Int(cn_colors_of(name))
    return TerminalKind(colors: colors < 0 ? nil : colors, isUTF8: cn_choose_locale() != 0)
  }
}
