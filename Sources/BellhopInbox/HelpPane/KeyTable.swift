/// The tables of keys in the manual and the README.
package enum KeyTable {
  /// The identifiers of the ten most important commands, in the order of the README's table.
  package static let important = [
    "enter", "dismiss", "read", "snooze", "delete", "undo", "open-link", "search", "filter", "help",
  ]

  /// Returns Markdown rows of every command with its standard keys, chapter by chapter.
  package static func markdown(_ keymap: Keymap = .standard) -> String {
    var lines = head
    for chapter in Command.Chapter.allCases {
      lines.append("| **\(chapter.rawValue)** | |")
      lines += Command.all.filter { $0.chapter == chapter }.compactMap { row($0, keymap) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns Markdown rows of the commands with these identifiers, in their order.
  package static func markdown(of ids: [String], _ keymap: Keymap = .standard) -> String {
    let commands = ids.compactMap { id in Command.all.first { $0.id == id } }
    return (head + commands.compactMap { row($0, keymap) }).joined(separator: "\n") + "\n"
  }

  private static let head = ["| key | does |", "| --- | --- |"]

  /// Returns the row of a command; nil if it has no keys.
  private static func row(_ command: Command, _ keymap: Keymap) -> String? {
    let keys = keymap.sequences(of: command)
    guard !keys.isEmpty else { return nil }
    let spelled = keys.map { "`\(escaped($0.description))`" }.joined(separator: " ")
    return "| \(spelled) | \(escaped(command.help)) |"
  }

  private static func escaped(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
