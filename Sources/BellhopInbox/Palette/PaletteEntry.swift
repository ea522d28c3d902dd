import BellhopModel
import BellhopText

/// An entry of the palette, found by its words.
struct PaletteEntry: Hashable, Sendable {
  enum Target: Hashable, Sendable {
    case command(Command)
    /// Shows one account only, or all.
    case account(AccountName?)
  }

  var target: Target
  var title: String
  var help: String
  /// The keys as the user types them; empty if there are none.
  var keys: [String]
  /// The reason why it would do nothing now; nil if it is available.
  var disabledReason: SafeText?

  /// Returns the quality of the match with the typed text, higher is better; nil without a match.
  ///
  /// Matches the name and its synonyms by letters in order, the help by whole words, and a key
  /// exactly.
  func score(_ typed: String) -> Int? {
    let typed = typed.trimming
    guard !typed.isEmpty else { return 0 }
    if keys.contains(typed) { return 1_000 }
    let wanted = Array(typed.lowercased().filter { !$0.isWhitespace })
    let found = [title, id].compactMap { Self.score(wanted, in: Array($0.lowercased())) }.max()
    if let found { return 100 + found }
    if let found = synonyms.compactMap({ Self.score(wanted, in: Array($0)) }).max() {
      return 50 + found
    }
    let help = help.lowercased()
    let words = typed.lowercased().split(separator: " ")
    return words.allSatisfy { help.contains($0) } ? words.count : nil
  }

  /// The names of similar commands in other programs.
  private var synonyms: [String] {
    if case .command(let command) = target { command.synonyms } else { [] }
  }

  /// The name in the configuration.
  private var id: String { if case .command(let command) = target { command.id } else { "" } }

  private static let gapMax = 40

  /// Scores the best match of letters in order: at the beginning of a word, and adjacent.
  private static func score(_ wanted: [Character], in text: [Character]) -> Int? {
    var best: Int?
    for start in text.indices where text[start] == wanted[0] {
      var sum = 0
      var position = start
      var last = -2
      var isWhole = true
      for letter in wanted {
        guard let index = text[position...].firstIndex(of: letter) else {
          isWhole = false
          break
        }
        let beginsWord = index == 0 || !text[index - 1].isLetter
        sum += index == last + 1 ? 24 : beginsWord ? 20 : 4
        // Letters far apart are an unlikely match.
        if last >= 0 { sum -= min(index - last - 1, gapMax) }
        (last, position) = (index, index + 1)
      }
      guard isWhole else { break }
      // Of two equal matches, prefer the shorter text and the earlier match.
      sum -= start + text.count / 4
      best = max(best ?? sum, sum)
    }
    return best
  }
}

extension String {
  fileprivate var trimming: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
