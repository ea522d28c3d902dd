internal import BellhopText

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
