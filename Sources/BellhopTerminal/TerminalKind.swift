import CNcurses

/// What is known of the terminal before it is opened.
package struct TerminalKind: Hashable, Sendable {
  /// How many colours its description names; nil when none is installed for its name.
  package var colors: Int?
  /// Whether the locale shows any character.
  package var isUTF8: Bool

  /// The terminal of this name, in the environment's locale. To be called before a terminal is opened.
  @MainActor package static func look(named name: String) -> TerminalKind {
    let colors = Int(cn_colors_of(name))
    return TerminalKind(colors: colors < 0 ? nil : colors, isUTF8: cn_choose_locale() != 0)
  }
}
