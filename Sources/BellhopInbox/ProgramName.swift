package import BellhopText

/// The name by which the user runs this program in a shell.
///
/// Hints are written for a program called `bellhop`. If that name does not work because it is not
/// in `PATH`, `written(in:)` replaces it.
package struct ProgramName: Hashable, Sendable {
  /// The command as typed, quoted if a shell needs that.
  package let command: SafeText

  static let usual: SafeText = "bellhop"

  /// The commands after which hints name the program.
  package static let commands: Set<String> = [
    "agent", "accounts", "apps", "attachment", "categories", "choose", "config", "count", "delete",
    "demo", "devices", "dismiss", "dnd", "doctor", "help", "list", "login", "logout", "outbox",
    "place", "publish", "read", "report", "requests", "restore", "rules", "screen", "search",
    "show",
    "snooze", "status", "store", "sync",
    "themes", "token", "undo", "unread", "watch",
  ]

  package init(_ command: SafeText = "bellhop") { self.command = command }

  /// Replaces the program's name in every command in the text.
  ///
  /// `bellhop login` becomes `./bellhop login`, but the word in a sentence stays.
  package func written(in text: SafeText) -> SafeText {
    guard command != Self.usual, text.string.contains("bellhop ") else { return text }
    return SafeText(
      written(in: text.string), lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax)
  }

  /// Replaces the program's name in text that is not safe to draw yet.
  package func written(in text: String) -> String {
    guard command != Self.usual else { return text }
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for (index, next) in zip(words.indices, words.dropFirst())
    where words[index].hasSuffix(Self.usual.string) && Self.beginsCommand(next) {
      let before = words[index].dropLast(Self.usual.string.count)
      guard before.last.map({ !Self.isOfName($0) }) ?? true else { continue }
      words[index] = String(before) + command.string
    }
    return words.joined(separator: " ")
  }

  private static func beginsCommand(_ word: String) -> Bool {
    word.hasPrefix("--") || commands.contains(String(word.prefix { $0.isLetter || $0 == "-" }))
  }

  /// Whether the character before `bellhop` makes it a part of another name, such as a path.
  private static func isOfName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "/._-~".contains(character)
  }
}
