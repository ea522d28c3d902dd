import BellhopScreen
import BellhopText

/// Formats keys and words for hints: `d dismiss`.
struct KeyHints: Sendable {
  let keymap: Keymap
  /// Whether the terminal draws only ASCII.
  let isASCII: Bool

  /// Returns the key of a command, as written in help; its id if it has no key.
  func key(_ command: Command) -> SafeText { keymap.hint(for: command) }

  /// Returns the hint of a command with a word; empty if the command has no key.
  func hint(_ command: Command, _ word: SafeText) -> [Span] {
    guard !keymap.sequences(of: command).isEmpty else { return [] }
    return [Span(key(command), .accent, command), Span(" " + word, .dim, command)]
  }

  func hint(_ hint: MenuHint) -> [Span] {
    [Span(isASCII ? Self.spelledOut(hint.key) : hint.key, .accent), Span(" " + hint.word, .dim)]
  }

  /// Spells out characters that ASCII does not have.
  ///
  /// They would be replaced by a mark that looks like another key.
  private static func spelledOut(_ key: SafeText) -> SafeText {
    switch key {
    case "↓ ↑": "Down Up"
    case "↑": "Up"
    default: SafeText(String(key.string.map { $0 == "…" ? "-" : $0 }))  // open: SafeText
    }
  }
}

extension Keymap {
  /// Returns the key of a command, as written in help; its id if it has no key.
  func hint(for command: Command) -> SafeText {
    SafeText(sequences(of: command).first?.description ?? command.id)
  }
}
