/// The order of a list, as specified by `$orderby`.
///
/// Every order is a walk along an index, so that a page costs the same wherever it begins:
/// - `arrivalDateTime`: the order on a screen; ids decide between items of the same millisecond.
/// - `createdDateTime`: the order of first publication, which the short numbers preserve.
/// - `lastModifiedDateTime`: the order of changes, which the sequences preserve. They also
///   distinguish two changes in the same millisecond, and stay correct when the clock is set back.
/// - `priority`: level by level, the newest arrivals of a level first. Levels have no index,
///   because it would slow down every publication. A page examines at most
///   ``StoreLimits/listScanMax`` arrivals, so it may be short or empty and still have a next page.
package struct OrderByClause: Hashable, Sendable, CustomStringConvertible {
  package enum Key: String, Hashable, Sendable, CaseIterable {
    case arrival = "arrivalDateTime"
    case created = "createdDateTime"
    case changed = "lastModifiedDateTime"
    case priority
  }

  package var key: Key
  package var isAscending: Bool

  package init(_ key: Key, isAscending: Bool) {
    self.key = key
    self.isAscending = isAscending
  }

  /// The order without `$orderby`.
  package static let newestFirst = OrderByClause(.arrival, isAscending: false)

  package var description: String { "\(key.rawValue) \(isAscending ? "asc" : "desc")" }

  private static let option = "$orderby"
  private static let textBytesMax = 256

  /// Parses the value of `$orderby`: a field, followed by `asc` (the default) or `desc`. After
  /// `priority`, the implied second order `arrivalDateTime desc` may follow.
  ///
  /// - Throws: ``ListSyntaxError`` for anything else.
  package init(parsing text: String) throws(ListSyntaxError) {
    guard text.utf8.count <= Self.textBytesMax else {
      throw ListSyntaxError(
        option: Self.option, column: 1, found: "\(text.utf8.count) bytes",
        expected: "at most \(Self.textBytesMax)")
    }
    let tokens = try ListLexer.tokens(of: text, option: Self.option)
    var position = 0
    self = try Self.term(
      tokens, &position, expecting: Key.allCases.map(\.rawValue).joined(separator: ", "))
    guard tokens[position].kind != .end else { return }
    guard key == .priority, tokens[position].kind == .symbol(",") else {
      throw Self.error(at: tokens[position], "the end: a list is ordered by one field")
    }
    position += 1
    let second = tokens[position]
    let expectation = "\(Self.newestFirst)"
    guard try Self.term(tokens, &position, expecting: expectation) == .newestFirst else {
      throw Self.error(at: second, expectation)
    }
    guard tokens[position].kind == .end else {
      throw Self.error(at: tokens[position], "the end")
    }
  }

  /// Parses one field with its direction. The last token is always the end, which is never passed.
  private static func term(
    _ tokens: [ListToken], _ position: inout Int, expecting expectation: String
  ) throws(ListSyntaxError) -> OrderByClause {
    guard case .name(let name) = tokens[position].kind,
      let key = Key.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() })
    else { throw error(at: tokens[position], expectation) }
    position += 1
    guard case .name(let word) = tokens[position].kind else {
      return OrderByClause(key, isAscending: true)
    }
    guard ["asc", "desc"].contains(word.lowercased()) else {
      throw error(at: tokens[position], "asc or desc")
    }
    position += 1
    return OrderByClause(key, isAscending: word.lowercased() == "asc")
  }

  private static func error(at token: ListToken, _ expectation: String) -> ListSyntaxError {
    ListSyntaxError(
      option: option, column: token.column, found: token.found, expected: expectation)
  }
}
