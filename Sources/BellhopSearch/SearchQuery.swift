/// What a person typed into a search, understood.
///
/// All words must occur, each anywhere; `"words in quotes"` must follow each other. The last word
/// may be unfinished. Punctuation only separates. Any input is valid.
public struct SearchQuery: Hashable, Sendable {
  /// Tokens that must follow each other.
  public struct Phrase: Hashable, Sendable {
    public var tokens: [String]
    /// Whether the last token may be the beginning of a word.
    public var isPrefix: Bool
  }

  /// More than a person types; each costs a lookup.
  public static let phrasesMax = 16
  /// The length of a phrase that is looked for; the rest is left out.
  public static let tokensInPhraseMax = 32

  public let phrases: [Phrase]

  /// Whether there is nothing to look for.
  public var isEmpty: Bool { phrases.isEmpty }

  /// Reads what was typed.
  public init(_ text: String) {
    var phrases: [Phrase] = []
    for (word, mayBeUnfinished) in Self.words(of: text) where phrases.count < Self.phrasesMax {
      let tokens = TokenScanner.tokens(of: word).prefix(Self.tokensInPhraseMax)
      guard let last = tokens.last else { continue }
      phrases.append(
        Phrase(tokens: tokens.map(\.text), isPrefix: mayBeUnfinished && !last.isSingle))
    }
    self.phrases = phrases
  }

  /// The FTS5 `MATCH` expression; nil when there is nothing to look for.
  ///
  /// It is made of folded tokens in quotes only, so it can't be a syntax error or an operator.
  public var matchExpression: String? { matchExpression(prefixCharactersMax: .max) }

  /// The expression with an unfinished word cut to so many characters: it finds at least as much.
  public func matchExpression(prefixCharactersMax: Int) -> String? {
    guard !phrases.isEmpty else { return nil }
    return phrases.map { phrase in
      var tokens = phrase.tokens
      if phrase.isPrefix, let last = tokens.popLast() {
        tokens.append(String(last.unicodeScalars.prefix(prefixCharactersMax)))
      }
      return "\"\(tokens.joined(separator: " "))\"\(phrase.isPrefix ? " *" : "")"
    }.joined(separator: " AND ")
  }

  /// Whether texts that belong together match, by the same rules as the index.
  public func matches(_ texts: [String]) -> Bool {
    let fields = texts.map { TokenScanner.tokens(of: $0).map(\.text) }
    return phrases.allSatisfy { phrase in fields.contains { phrase.occurs(in: $0) } }
  }

  /// The words and quoted phrases; only the last unquoted one may be unfinished.
  private static func words(of text: String) -> [(word: String, mayBeUnfinished: Bool)] {
    var words: [(String, Bool)] = []
    var word = ""
    var isQuoted = false
    func finish() {
      if !word.isEmpty { words.append((word, false)) }
      word = ""
    }
    var endsInQuote = false
    for character in text {
      endsInQuote = false
      if character == "\"" || character == "“" || character == "”" {
        finish()
        endsInQuote = isQuoted
        isQuoted.toggle()
      } else if character.isWhitespace && !isQuoted {
        finish()
      } else {
        word.append(character)
      }
    }
    finish()
    if !endsInQuote, !words.isEmpty { words[words.count - 1].1 = true }
    return words
  }
}

extension SearchQuery.Phrase {
  fileprivate func occurs(in field: [String]) -> Bool {
    guard field.count >= tokens.count else { return false }
    return (0...field.count - tokens.count).contains { start in
      for (offset, token) in tokens.enumerated() {
        let candidate = field[start + offset]
        let isLast = offset == tokens.count - 1
        guard candidate == token || isLast && isPrefix && candidate.hasPrefix(token) else {
          return false
        }
      }
      return true
    }
  }
}
