import BellhopScreen
import BellhopText

/// Keys and words as hints write them: `d dismiss`.
struct KeyHints: Sendable {
  let keymap: Keymap
  /// Whether the terminal draws ASCII alone.
  let isASCII: Bool

  /// The key to press for a command, as help writes it; the command's id where it has none.
  func key(_ command: Command) -> SafeText { keymap.hint(for: command) }

  /// A command that has a key, with a word; none where it has no key.
  func hint(_ command: Command, _ word: SafeText) -> [Span] {
    guard !keymap.sequences(of: command).isEmpty else { return [] }
    return [Span(key(command), .accent, command), Span(" " + word, .dim, command)]
  }

  func hint(_ hint: MenuHint) -> [Span] {
    [Span(isASCII ? Self.spelledOut(hint.key) : hint.key, .accent), Span(" " + hint.word, .dim)]
  }

  /// A character of a key's name that ASCII does not have would be drawn as a mark that is another
  /// key.
  private static func spelledOut(_ key: SafeText) -> SafeText {
    switch key {
    case "↓ ↑": "Down Up"
    case "↑": "Up"
    default: SafeText(String(key.string.map { $0 == "…" ? "-" : $0 }))  // open: SafeText
    }
  }
}

extension Keymap {
  /// The key to press for a command, as help writes it; the command's id where it has none.
  func hint(for command: Command) -> SafeText {
    SafeText(sequences(of: command).first?.description ?? command.id)
  }
}
