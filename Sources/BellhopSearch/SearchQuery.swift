/// A parsed search text.
///
/// An item must contain all words, in any order; `"words in quotes"` must follow each other. The
/// last word may be incomplete. Punctuation only separates words. Any input is valid.
package struct SearchQuery: Hashable, Sendable {
  /// A sequence of tokens that must follow each other.
  package struct Phrase: Hashable, Sendable {
    package var tokens: [String]
    /// Whether the last token may be the beginning of a word.
    package var isPrefix: Bool

    package init(tokens: [String], isPrefix: Bool = false) {
      self.tokens = tokens
      self.isPrefix = isPrefix
    }
  }

  /// The maximum number of phrases, more than users type. Each costs a lookup.
  package static let phrasesMax = 16
  /// The number of tokens of a phrase that are searched for. The rest is ignored.
  package static let tokensInPhraseMax = 32

  package let phrases: [Phrase]

  /// Whether the query contains no words.
  package var isEmpty: Bool { phrases.isEmpty }

  /// Parses a search text as the user typed it.
  package init(_ text: String) {
    var phrases: [Phrase] = []
    for word in Self.words(of: text) where phrases.count < Self.phrasesMax {
      if let phrase = Phrase(word) { phrases.append(phrase) }
    }
    self.phrases = phrases
  }

  package init(phrases: [Phrase]) { self.phrases = phrases }

  /// Returns the unquoted words of a text that are one token each, with the tokens' ranges.
  package static func plainWords(
    of text: String
  ) -> [(phrase: Phrase, range: Range<String.Index>)] {
    words(of: text).compactMap { word in
      guard !word.isQuoted, let phrase = Phrase(word), phrase.tokens.count == 1 else { return nil }
      // Without the surrounding punctuation.
      let part = String(word.text)
      guard let token = SearchQuery(phrases: [phrase]).matches(in: part).first else { return nil }
      let offset = part.utf8.distance(from: part.startIndex, to: token.lowerBound)
      let count = part.utf8.distance(from: token.lowerBound, to: token.upperBound)
      let start = text.utf8.index(word.text.startIndex, offsetBy: offset)
      return (phrase, start..<text.utf8.index(start, offsetBy: count))
    }.prefix(phrasesMax).map { $0 }
  }

  /// A query for the same words, each once and in any order.
  ///
  /// It finds at least as much as this query.
  package var singleWords: SearchQuery {
    var words: [Phrase] = []
    for phrase in phrases {
      for (place, token) in phrase.tokens.enumerated() {
        let isLast = place == phrase.tokens.count - 1
        let word = Phrase(tokens: [token], isPrefix: phrase.isPrefix && isLast)
        if !words.contains(word) { words.append(word) }
      }
    }
    return SearchQuery(phrases: words)
  }

  /// The FTS5 `MATCH` expression; nil for an empty query.
  ///
  /// It contains only folded tokens in quotes, so it can't be a syntax error or an operator.
  package var matchExpression: String? { matchExpression(prefixCharactersMax: .max) }

  /// Returns the FTS5 expression with an incomplete word cut to `prefixCharactersMax` scalars.
  ///
  /// It finds at least as much as ``matchExpression``.
  package func matchExpression(prefixCharactersMax: Int) -> String? {
    guard !phrases.isEmpty else { return nil }
    return phrases.map { phrase in
      var tokens = phrase.tokens
      if phrase.isPrefix, let last = tokens.popLast() {
        tokens.append(String(last.unicodeScalars.prefix(prefixCharactersMax)))
      }
      return "\"\(tokens.joined(separator: " "))\"\(phrase.isPrefix ? " *" : "")"
    }.joined(separator: " AND ")
  }

  /// Returns whether the fields of one item match, by the same rules as the index.
  package func matches(_ texts: [String]) -> Bool {
    let fields = texts.map { TokenScanner.tokens(of: $0).map(\.text) }
    return phrases.allSatisfy { phrase in fields.contains { phrase.occurs(in: $0) } }
  }

  /// A word or a quoted phrase as typed.
  fileprivate struct Word {
    var text: Substring
    var isQuoted: Bool
    /// Whether the word may be incomplete: only the last one, unless a quotation mark ends it.
    var mayBeUnfinished = false
  }

  private static func words(of text: String) -> [Word] {
    var words: [Word] = []
    var start = text.startIndex
    var isQuoted = false
    func finish(at end: String.Index) {
      if start < end { words.append(Word(text: text[start..<end], isQuoted: isQuoted)) }
    }
    var endsInQuote = false
    for (index, character) in zip(text.indices, text) {
      endsInQuote = false
      if character == "\"" || character == "“" || character == "”" {
        finish(at: index)
        endsInQuote = isQuoted
        isQuoted.toggle()
        start = text.index(after: index)
      } else if character.isWhitespace && !isQuoted {
        finish(at: index)
        start = text.index(after: index)
      }
    }
    finish(at: text.endIndex)
    if !endsInQuote, !words.isEmpty { words[words.count - 1].mayBeUnfinished = true }
    return words
  }
}

extension SearchQuery.Phrase {
  /// Returns nil for a word without a letter, digit or symbol.
  fileprivate init?(_ word: SearchQuery.Word) {
    let tokens = TokenScanner.tokens(of: String(word.text)).prefix(SearchQuery.tokensInPhraseMax)
    guard let last = tokens.last else { return nil }
    self.init(tokens: tokens.map(\.text), isPrefix: word.mayBeUnfinished && !last.isSingle)
  }

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
