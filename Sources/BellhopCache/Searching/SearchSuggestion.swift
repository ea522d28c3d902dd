import BellhopModel
import BellhopSearch

/// A search that finds something, in place of one that finds nothing.
package struct SearchSuggestion: Hashable, Sendable {
  /// The text with some words replaced and the others as typed.
  package var text: String
  /// The number of items that it finds, counted up to ``matchesMax``.
  package var matches: Int

  /// The maximum of ``matches``, enough to compare the suggestions of several accounts.
  package static let matchesMax = 50

  package init(text: String, matches: Int) {
    self.text = text
    self.matches = matches
  }

  /// Creates a suggestion by replacing the words of a text that no item contains.
  ///
  /// Returns nil if the suggestion finds nothing.
  ///
  /// - Parameters:
  ///   - count: Returns the number of items that a query finds, up to a limit.
  ///   - nearest: Returns the nearest word to a token. The second argument is the number of tokens
  ///     to replace.
  init?(
    for text: String, count: (_ query: SearchQuery, _ limit: Int) throws -> Int,
    nearest: (_ token: String, _ tokenCount: Int) throws -> String?
  ) rethrows {
    let unknown = try SearchQuery.plainWords(of: text).filter { word in
      try count(SearchQuery(phrases: [word.phrase]), 1) == 0
    }
    guard !unknown.isEmpty else { return nil }
    var suggested = ""
    var end = text.startIndex
    for word in unknown {
      guard let near = try nearest(word.phrase.tokens[0], unknown.count) else { return nil }
      suggested += text[end..<word.range.lowerBound] + near
      end = word.range.upperBound
    }
    suggested += text[end...]
    let matches = try count(SearchQuery(suggested), Self.matchesMax)
    guard matches > 0 else { return nil }
    self.init(text: suggested, matches: matches)
  }
}

/// A word of the index that is near another word.
struct NearWord: Comparable {
  var term: String
  var edits: Int
  /// The number of items that contain it, counted up to ``itemsMax``.
  var items: Int

  static let itemsMax = 500

  /// Orders the better word first.
  static func < (left: Self, right: Self) -> Bool {
    (left.edits, right.items, left.term) < (right.edits, left.items, right.term)
  }
}

/// The search for near words in the index of a cache.
///
/// Reading all words of one letter takes 100 ms in an index of a million items, because the
/// vocabulary of FTS5 reads every occurrence of a word to get to the next. A jump to the first word
/// after a text takes 0.05 to 0.1 ms. The search therefore jumps, the likely beginnings first, up
/// to a limit that keeps it near 10 ms.
struct NearWordSearch {
  /// The maximum number of jumps for words with one edit, for all words of a search together.
  static let nearJumpsMax = 100
  /// The maximum number of jumps in total, if there are no words with one edit.
  static let jumpsMax = 150
  /// The maximum number of jumps among words that begin with the same two or more letters.
  static let beginningJumpsMax = 60
  /// The maximum number of near words whose items are counted.
  static let countedMax = 16

  let statement: Statements

  /// - Parameter tokenCount: The number of tokens that share the limits.
  func nearest(_ token: String, _ tokenCount: Int) throws -> String? {
    var jumps = 0
    for (edits, jumpsMax) in [(1, Self.nearJumpsMax), (2, Self.jumpsMax)] {
      guard let near = NearWords(token, editsMax: edits), near.editsMax == edits else { return nil }
      let terms = try terms(near, &jumps, max: jumpsMax / tokenCount)
      guard terms.isEmpty else {
        return try terms.prefix(Self.countedMax).map { term in
          NearWord(term: term, edits: near.edits(to: term) ?? edits, items: try items(with: term))
        }.min()?.term
      }
    }
    return nil
  }

  /// Returns the near words, those with likely beginnings first.
  private func terms(_ near: NearWords, _ jumps: inout Int, max jumpsMax: Int) throws -> [String] {
    let next = try statement("SELECT term FROM temp.index_term WHERE term >= ? LIMIT 1")
    var terms: [String] = []
    for beginning in near.beginnings {
      var place: String? = beginning
      var jumpsHere = 0
      while let text = place, text.utf8.starts(with: beginning.utf8), jumps < jumpsMax,
        beginning.unicodeScalars.count < 2 || jumpsHere < Self.beginningJumpsMax
      {
        jumps += 1
        jumpsHere += 1
        guard let term = try next.bind(text).first({ $0.text(0) }),
          term.utf8.starts(with: beginning.utf8)
        else { break }
        if NearWords.isWord(term), near.edits(to: term) ?? 0 > 0, !terms.contains(term) {
          terms.append(term)
        }
        place = near.next(after: term)
      }
    }
    return terms
  }

  private func items(with term: String) throws -> Int {
    let query = SearchQuery(phrases: [SearchQuery.Phrase(tokens: [term])])
    return try statement(
      """
      SELECT count(*) FROM (SELECT 1 FROM item_index WHERE item_index MATCH ?
        LIMIT \(NearWord.itemsMax))
      """
    ).bind(query.matchExpression).first { $0.count(0) } ?? 0
  }
}

extension CacheReader {
  package func suggestion(for text: String) throws(CacheError) -> SearchSuggestion? {
    try searchConnection().read { statement in
      try SearchSuggestion(
        for: text,
        count: { query, limit in
          try CacheSearch(query, statement).rows(.first, limit: limit).count
        },
        nearest: NearWordSearch(statement: statement).nearest)
    }
  }
}

extension MemoryCache {
  package func suggestion(for text: String) throws(CacheError) -> SearchSuggestion? {
    let terms = contents.records.map { record in
      Set(
        SearchText(record.searchable).fields.flatMap { TokenScanner.tokens(of: $0).map(\.text) })
    }
    let items = terms.joined().reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    return SearchSuggestion(
      for: text,
      count: { query, limit in min(limit, found(query).count) },
      nearest: { token, _ in
        guard let near = NearWords(token) else { return nil }
        var words: [NearWord] = []
        for (term, count) in items where NearWords.isWord(term) {
          guard let edits = near.edits(to: term), edits > 0 else { continue }
          words.append(NearWord(term: term, edits: edits, items: min(count, NearWord.itemsMax)))
        }
        return words.min()?.term
      })
  }
}
