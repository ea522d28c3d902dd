package import BellhopText

/// A value that a shell offers, with a description for the shells that show one.
package struct Completion: Hashable, Sendable {
  package let value: String
  package let description: SafeText

  /// The largest width of a description, in cells.
  private static let descriptionCellsMax = 60

  package init(_ value: String, _ description: SafeText = .empty) {
    self.value = value
    self.description = description
  }

  /// The shells whose scripts the argument parser generates.
  package enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
  }

  /// The line that the shell's script expects; nil if the shell cannot take the value safely.
  ///
  /// Values come from publishers, too. The script for bash passes them to `compgen -W`, which
  /// expands `$(…)` and the like (bash(1), "Programmable Completion").
  package func line(for shell: Shell) -> String? {
    guard !value.isEmpty, value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { return nil }
    let text = SafeText(
      description.string.split(whereSeparator: \.isNewline).joined(separator: " ")
    )
    .truncated(to: Self.descriptionCellsMax).string
    switch shell {
    case .bash:
      return value.allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || "._-/@+".contains($0))
      }
        ? value : nil
    case .zsh:
      // A colon ends the value (zshcompsys(1), "_describe").
      let escaped = value.map { $0 == ":" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
      return text.isEmpty ? escaped : "\(escaped):\(text)"
    case .fish:
      return text.isEmpty ? value : "\(value)\t\(text)"
    }
  }
}

/// The command line up to the cursor, as a shell passes it for completion.
package struct CompletedLine: Hashable, Sendable {
  /// The words that are complete, with the program's name first.
  let words: [String]

  /// - Parameters:
  ///   - words: All words of the line.
  ///   - index: The index of the word to complete.
  package init(words: [String], index: Int) {
    self.words = Array(words.prefix(max(0, index)))
  }

  /// The name of the command; nil if there is none yet.
  var command: String? { words.dropFirst().first { !$0.hasPrefix("-") } }

  /// The account of the option `--account`; nil for the default one.
  var account: String? {
    let option = "--account"
    // bash passes an equals sign as a word.
    let words = words.filter { $0 != "=" }
    for (index, word) in words.enumerated() {
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
      if word == option, index + 1 < words.count { return words[index + 1] }
    }
    return nil
  }

  /// The lists whose items the command changes or shows, the most likely one first.
  var lists: [CompletedList] {
    switch command {
    case "dismiss", "snooze": [.tray]
    case "restore": [.handled, .later]
    default: [.tray, .handled]  // open: String
    }
  }

  /// Returns the completions without the values that the line already contains.
  func new(_ completions: [Completion]) -> [Completion] {
    completions.filter { !words.contains($0.value) && !words.contains("#" + $0.value) }
  }
}

/// A list of items that completion offers.
enum CompletedList: Hashable, Sendable {
  case tray, handled, later
}
