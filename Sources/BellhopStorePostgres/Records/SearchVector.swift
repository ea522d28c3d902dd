#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopSearch

/// The words of an item as the text of a `tsvector`, split by the tokenizer of all searches.
///
/// PostgreSQL's own parser and dictionaries are never used.
struct SearchVector {
  /// The last position that a `tsvector` can tell from later ones.
  private static let positionMax = 16_382
  /// The number of positions that a `tsvector` keeps of one word.
  private static let positionsOfWordMax = 255

  let text: String
  /// Whether some positions are missing. Then a phrase must be looked for in the texts themselves.
  let isCut: Bool

  init(_ content: Content) {
    var positions: [String: [Int]] = [:]
    var isCut = false
    var position = 0
    for field in SearchText(content).fields {
      // A gap, so that no phrase spans two fields.
      position += 1
      for (token, _) in TokenScanner.tokens(of: field) {
        position += 1
        if position <= Self.positionMax, positions[token]?.count ?? 0 < Self.positionsOfWordMax {
          positions[token, default: []].append(position)
        } else {
          positions[token] = positions[token] ?? []
          isCut = true
        }
      }
    }
    text = positions.map { token, positions in
      let list = positions.map { String($0) }.joined(separator: ",")
      return Self.quoted(token) + (list.isEmpty ? "" : ":" + list)
    }.joined(separator: " ")
    self.isCut = isCut
  }

  /// Returns a word in quotes, in which nothing is an operator.
  static func quoted(_ token: String) -> String {
    var text = "'"
    for scalar in token.unicodeScalars {
      if scalar == "'" || scalar == "\\" { text.unicodeScalars.append(scalar) }
      text.unicodeScalars.append(scalar)
    }
    return text + "'"
  }
}

extension SearchQuery {
  /// Whether the order of words matters.
  var hasPhrases: Bool { phrases.contains { $0.tokens.count > 1 } }

  /// The condition for rows of the table `item i` that the search may find.
  ///
  /// Without phrases it is exact. With them, it also holds for texts with missing positions that
  /// contain all words.
  var postgres: PostgresCondition {
    var condition = PostgresCondition("i.words @@ ?::tsquery", .text(wordsExpression))
    if hasPhrases {
      condition.add(" AND (i.has_cut_words OR i.words @@ ?::tsquery)", .text(expression))
    }
    return condition
  }

  /// The query for items that contain all words, in any order, as the text of a `tsquery`.
  private var wordsExpression: String { singleWords.expression }

  /// The query as the text of a `tsquery`. It contains only quoted tokens and operators of ours.
  private var expression: String {
    phrases.map { phrase in
      let last = phrase.tokens.count - 1
      let words = phrase.tokens.enumerated().map { place, token in
        SearchVector.quoted(token) + (phrase.isPrefix && place == last ? ":*" : "")
      }
      return "(" + words.joined(separator: " <-> ") + ")"
    }.joined(separator: " & ")
  }
}
#endif
