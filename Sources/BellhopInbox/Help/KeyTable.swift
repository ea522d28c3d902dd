/// The table of keys in the README.
package enum KeyTable {
  /// Returns Markdown rows of every command with its standard keys, chapter by chapter.
  package static func markdown(_ keymap: Keymap = .standard) -> String {
    var lines = ["| key | does |", "| --- | --- |"]
    for chapter in Command.Chapter.allCases {
      lines.append("| **\(chapter.rawValue)** | |")
      for command in Command.all where command.chapter == chapter {
        let keys = keymap.sequences(of: command)
        guard !keys.isEmpty else { continue }
        let spelled = keys.map { "`\(escaped($0.description))`" }.joined(separator: " ")
        lines.append("| \(spelled) | \(escaped(command.help)) |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
