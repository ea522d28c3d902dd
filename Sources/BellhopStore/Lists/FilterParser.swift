internal import BellhopModel

extension ItemFilter {
  /// Parses the value of `$filter`. Operators, functions, fields and enumerated values are
  /// case-insensitive; a boolean field alone means that it is true.
  ///
  /// - Throws: ``ListSyntaxError`` for an invalid filter, and beyond the limits of length, terms
  ///   and depth.
  package init(parsing text: String, limits: StoreLimits) throws(ListSyntaxError) {
    guard text.utf8.count <= limits.filterBytesMax else {
      throw ListSyntaxError(
        option: FilterParser.option, column: 1, found: "\(text.utf8.count) bytes",
        expected: "at most \(limits.filterBytesMax)")
    }
    var parser = FilterParser(
      tokens: try ListLexer.tokens(of: text, option: FilterParser.option), limits: limits)
    self = try parser.whole()
  }
}

/// A recursive-descent parser. `or` binds least, then `and`, then `not`.
private struct FilterParser {
  static let option = "$filter"

  let tokens: [ListToken]
  let limits: StoreLimits
  private var position = 0
  private var terms = 0

  init(tokens: [ListToken], limits: StoreLimits) {
    self.tokens = tokens
    self.limits = limits
  }

  mutating func whole() throws(ListSyntaxError) -> ItemFilter {
    let filter = try disjunction(depth: 0)
    guard current.kind == .end else { throw unexpected("and, or, or the end") }
    return filter
  }

  // MARK: - Grammar

  private mutating func disjunction(depth: Int) throws(ListSyntaxError) -> ItemFilter {
    var parts = [try conjunction(depth: depth)]
    while take(name: "or") { parts.append(try conjunction(depth: depth)) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction(depth: Int) throws(ListSyntaxError) -> ItemFilter {
    var parts = [try negation(depth: depth)]
    while take(name: "and") { parts.append(try negation(depth: depth)) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func negation(depth: Int) throws(ListSyntaxError) -> ItemFilter {
    guard depth < limits.filterDepthMax else {
      throw unexpected("at most \(limits.filterDepthMax) nested conditions")
    }
    if take(name: "not") { return .not(try negation(depth: depth + 1)) }
    if take(symbol: "(") {
      let filter = try disjunction(depth: depth + 1)
      try expect(symbol: ")", orAlso: "and, or, ")
      return filter
    }
    return .test(try term())
  }

  private mutating func term() throws(ListSyntaxError) -> ItemTest {
    terms += 1
    guard terms <= limits.filterTermsMax else {
      throw unexpected("at most \(limits.filterTermsMax) conditions")
    }
    guard case .name(let name) = current.kind else { throw unexpected(Self.termExpectation) }
    if let function = FilterFunction(rawValue: name.lowercased()) {
      advance()
      return try call(function)
    }
    if name.lowercased() == "tags/any" {
      advance()
      return try tagTest()
    }
    let field = try field(Self.termExpectation)
    if take(name: "in") { return .isOneOf(field, try list(for: field)) }
    guard case .name(let word) = current.kind,
      let comparison = FilterComparison(rawValue: word.lowercased())
    else {
      if field.kind == .flag { return .compare(field, .equal, .flag(true)) }
      throw unexpected("eq, ne, gt, ge, lt, le or in")
    }
    if comparison.isOrdering, !field.kind.isOrdered {
      throw unexpected("eq, ne or in, because \(field.rawValue) has no order")
    }
    advance()
    return .compare(field, comparison, try value(for: field, mayBeNull: !comparison.isOrdering))
  }

  private mutating func call(
    _ function: FilterFunction
  ) throws(ListSyntaxError) -> ItemTest {
    try expect(symbol: "(")
    let expectation = "one of the text fields \(Self.names { $0.kind == .text })"
    let token = current
    let field = try field(expectation)
    guard field.kind == .text else { throw Self.error(at: token, expectation) }
    try expect(symbol: ",")
    let part = try text("text in single quotes")
    try expect(symbol: ")")
    return .text(function, field, part)
  }

  /// Parses the rest of `tags/any`: `()`, or `(t: t eq '…')` with any variable.
  private mutating func tagTest() throws(ListSyntaxError) -> ItemTest {
    try expect(symbol: "(")
    if take(symbol: ")") { return .hasAnyTag }
    guard case .name(let variable) = current.kind else { throw unexpected("t: t eq 'a tag'") }
    advance()
    try expect(symbol: ":")
    guard take(name: variable.lowercased()) else { throw unexpected("the same variable") }
    guard take(name: FilterComparison.equal.rawValue) else { throw unexpected("eq") }
    let tag = try text("a tag in single quotes")
    try expect(symbol: ")")
    return .hasTag(tag)
  }

  private mutating func list(for field: ItemField) throws(ListSyntaxError) -> [FilterValue] {
    try expect(symbol: "(")
    var values = [try value(for: field, mayBeNull: true)]
    while take(symbol: ",") {
      terms += 1
      guard terms <= limits.filterTermsMax else {
        throw unexpected("at most \(limits.filterTermsMax) conditions")
      }
      values.append(try value(for: field, mayBeNull: true))
    }
    try expect(symbol: ")", orAlso: "a comma or ")
    return values
  }

  // MARK: - Fields and literals

  private mutating func field(_ expectation: String) throws(ListSyntaxError) -> ItemField {
    guard case .name(let name) = current.kind,
      let field = ItemField.filterable.first(where: {
        $0.rawValue.lowercased() == name.lowercased()
      })
    else { throw unexpected(expectation) }
    advance()
    return field
  }

  private mutating func text(_ expectation: String) throws(ListSyntaxError) -> String {
    guard case .text(let text) = current.kind else { throw unexpected(expectation) }
    advance()
    return text
  }

  private mutating func value(
    for field: ItemField, mayBeNull: Bool
  ) throws(ListSyntaxError) -> FilterValue {
    if mayBeNull, case .name(let name) = current.kind, name.lowercased() == "null" {
      advance()
      return .null
    }
    guard let value = field.kind.value(current.kind) else {
      throw unexpected(field.kind.expectation)
    }
    advance()
    return value
  }

  // MARK: - Tokens

  private var current: ListToken { tokens[min(position, tokens.count - 1)] }

  private mutating func advance() { position += 1 }

  private mutating func take(name: String) -> Bool {
    guard case .name(let found) = current.kind, found.lowercased() == name else { return false }
    advance()
    return true
  }

  private mutating func take(symbol: Character) -> Bool {
    guard current.kind == .symbol(symbol) else { return false }
    advance()
    return true
  }

  private mutating func expect(
    symbol: Character, orAlso others: String = ""
  ) throws(ListSyntaxError) {
    guard take(symbol: symbol) else { throw unexpected("\(others)“\(symbol)”") }
  }

  private func unexpected(_ expectation: String) -> ListSyntaxError {
    Self.error(at: current, expectation)
  }

  private static func error(at token: ListToken, _ expectation: String) -> ListSyntaxError {
    ListSyntaxError(
      option: option, column: token.column, found: token.found, expected: expectation)
  }

  private static func names(_ isIncluded: (ItemField) -> Bool) -> String {
    ItemField.filterable.filter(isIncluded).map(\.rawValue).joined(separator: ", ")
  }

  private static let termExpectation =
    "not, “(”, contains, startswith, endswith, tags/any or one of the fields "
    + names { _ in true }
}

extension ItemField.Kind {
  fileprivate var isOrdered: Bool {
    switch self {
    case .word, .flag: false
    case .priority, .text, .time, .number: true
    }
  }

  /// Returns a token's value for a field of this kind; nil if it is not valid.
  fileprivate func value(_ token: ListToken.Kind) -> FilterValue? {
    switch (self, token) {
    case (.word(let words), .text(let text)):
      words.first { $0.lowercased() == text.lowercased() }.map(FilterValue.text)
    case (.priority, .text(let text)): Priority(name: text).map(FilterValue.priority)
    case (.text, .text(let text)): .text(text)
    case (.time, .number(let text)), (.time, .text(let text)):
      Timestamp(text).map(FilterValue.time)
    case (.number, .number(let text)): Int64(text).map(FilterValue.number)
    case (.flag, .name(let name)):
      switch name.lowercased() {
      case "true": .flag(true)
      case "false": .flag(false)
      default: nil  // open: String
      }
    case (.word, _), (.priority, _), (.flag, _), (.text, _), (.time, _), (.number, _): nil
    }
  }

  fileprivate var expectation: String {
    switch self {
    case .word(let words): words.map { "'\($0)'" }.joined(separator: ", ") + " or null"
    case .priority: Priority.allCases.map { "'\($0.name)'" }.joined(separator: ", ")
    case .flag: "true or false"
    case .text: "text in single quotes"
    case .time: "a time such as 2026-11-21T06:12:04Z"
    case .number: "a whole number"
    }
  }
}
