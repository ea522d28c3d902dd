/// In which order a list is read: what `$orderby` says.
///
/// Every order is a walk along an index, so that a page costs the same wherever it begins:
/// - `arrivalDateTime`: as a screen lists; ids decide between items of one millisecond.
/// - `createdDateTime`: the order of first publication, which the short numbers keep.
/// - `lastModifiedDateTime`: the order of changes, which the sequences keep; they also tell two
///   changes of one millisecond apart, and stay right when the clock was set back.
/// - `priority`: level by level, the newest arrivals of a level first. There is no index of the
///   levels, because it would cost every publication: a page looks through the arrivals, at most
///   ``StoreLimits/listScanMax`` of them, and may be short or empty and still have a next one.
package struct ListOrder: Hashable, Sendable, CustomStringConvertible {
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

  /// Without an `$orderby`.
  package static let newestFirst = ListOrder(.arrival, isAscending: false)

  package var description: String { "\(key.rawValue) \(isAscending ? "asc" : "desc")" }

  private static let option = "$orderby"
  private static let textBytesMax = 256

  /// Reads the value of `$orderby`: a field, then `asc` (which is meant without a word) or `desc`.
  /// After `priority` may follow what it is ordered by anyway, `arrivalDateTime desc`.
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

  /// One field with its direction; the last token is always the end, which is never passed.
  private static func term(
    _ tokens: [ListToken], _ position: inout Int, expecting expectation: String
  ) throws(ListSyntaxError) -> ListOrder {
    guard case .name(let name) = tokens[position].kind,
      let key = Key.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() })
    else { throw error(at: tokens[position], expectation) }
    position += 1
    guard case .name(let word) = tokens[position].kind else {
      return ListOrder(key, isAscending: true)
    }
    guard ["asc", "desc"].contains(word.lowercased()) else {
      throw error(at: tokens[position], "asc or desc")
    }
    position += 1
    return ListOrder(key, isAscending: word.lowercased() == "asc")
  }

  private static func error(at token: ListToken, _ expectation: String) -> ListSyntaxError {
    ListSyntaxError(
      option: option, column: token.column, found: token.found, expected: expectation)
  }
}
