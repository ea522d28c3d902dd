/// A part of a filter or a condition between blanks: a term such as `-app:ci`, or a word.
struct FilterToken: Hashable, Sendable {
  /// The languages whose texts consist of tokens.
  enum Language: Hashable, Sendable {
    /// That of ``FilterPhrase``.
    case filter
    /// That of ``RulePhrase``.
    ///
    /// It also has patterns, such as `title~/failed|error/`. In quotes, a backslash before a quote, a
    /// comma or a backslash takes its meaning away.
    case condition
  }

  /// A regular expression between slashes.
  struct Pattern: Hashable, Sendable {
    /// The pattern as it is written; slashes in it have a backslash.
    var text: String
    /// The number of Unicode scalars before the pattern in the whole text.
    var start: Int
    /// Whether a slash ends the pattern.
    var isClosed: Bool
    /// The characters between that slash and the next blank.
    var rest: String
  }

  /// The name before the colon, or before the tilde of a pattern; nil for a word.
  var field: String?
  /// The value after the colon, or the word, without quotes.
  var value: String
  /// The values separated by commas.
  var values: [String]
  /// The pattern; nil for a word, and for a field with a colon.
  var pattern: Pattern?
  var isNegated: Bool
  var wasQuoted: Bool
  /// The range in characters of the whole text.
  var range: Range<Int>
  var valueRange: Range<Int>

  /// Returns whether the token is the beginning of one of these, such as the name of a field.
  func mayBecome(_ names: [String]) -> Bool {
    field == nil && !wasQuoted && names.contains { $0.hasPrefix(value.lowercased()) }
  }

  /// The token as words of a search; a phrase keeps its quotes.
  var asWords: String {
    let word = (isNegated ? "-" : "") + (field.map { $0 + ":" } ?? "") + value
    return wasQuoted ? "\"\(word)\"" : word
  }

  /// Quotes a value of a filter if necessary.
  static func quoted(_ value: String) -> String {
    value.contains(where: \.isWhitespace) ? "\"\(value)\"" : value
  }

  static func tokens(of text: String, in language: Language = .filter) -> [FilterToken] {
    var reader = FilterTokenReader(text, language)
    var tokens: [FilterToken] = []
    while let next = reader.next() { tokens.append(next) }
    return tokens
  }
}

/// The places of Unicode scalars among the characters of a text.
struct CharacterPlaces: Hashable, Sendable {
  /// The place of each scalar's character.
  private let places: [Int]

  init(_ text: String) {
    places = text.enumerated().flatMap { place, character in
      Array(repeating: place, count: character.unicodeScalars.count)
    }
  }

  /// Returns the range of the characters to which the scalars belong.
  ///
  /// For scalars after the end, it is that of the last character.
  func range(ofScalars scalars: Range<Int>) -> Range<Int> {
    guard let lastPlace = places.indices.last else { return 0..<0 }
    let first = places[min(scalars.lowerBound, lastPlace)]
    guard !scalars.isEmpty else { return first..<first }
    return first..<places[min(scalars.upperBound - 1, lastPlace)] + 1
  }
}

/// A reader of a text, token by token.
///
/// It reads scalars, so that a mark which combines with a quote, a slash or a blank is a part of the
/// value, as it was before the value was quoted.
private struct FilterTokenReader {
  private let scalars: [Unicode.Scalar]
  private let places: CharacterPlaces
  private let language: FilterToken.Language
  private var position = 0

  init(_ text: String, _ language: FilterToken.Language) {
    scalars = Array(text.unicodeScalars)
    places = CharacterPlaces(text)
    self.language = language
  }

  mutating func next() -> FilterToken? {
    while let scalar = peek, Self.isBlank(scalar) { position += 1 }
    return peek.map { token(beginningWith: $0) }
  }

  private mutating func token(beginningWith first: Unicode.Scalar) -> FilterToken {
    let start = position
    let isNegated = (first == "-" || first == "!") && start + 1 < scalars.count
    if isNegated { position += 1 }
    var value = TokenValue()
    var field: String?
    var pattern: FilterToken.Pattern?
    var valueStart = position
    var isQuoted = false
    var wasQuoted = false
    while let scalar = peek, isQuoted || !Self.isBlank(scalar), pattern == nil {
      let mayEndName = field == nil && !wasQuoted && value.isName
      if Self.isQuote(scalar) {
        isQuoted.toggle()
        wasQuoted = true
      } else if isQuoted, language == .condition, let literal = escapedScalar {
        position += 1
        value.append(literal)
      } else if scalar == ":", mayEndName {
        field = value.text
        value = TokenValue()
        valueStart = position + 1
      } else if scalar == "~", mayEndName, language == .condition, peek(1) == "/" {
        field = value.text
        value = TokenValue()
        valueStart = position + 1
        pattern = readPattern()
        continue
      } else if scalar == "," {
        value.appendComma()
      } else {
        value.append(scalar)
      }
      position += 1
    }
    return FilterToken(
      field: field, value: value.text, values: value.parts, pattern: pattern, isNegated: isNegated,
      wasQuoted: wasQuoted, range: places.range(ofScalars: start..<position),
      valueRange: places.range(ofScalars: valueStart..<position))
  }

  /// Reads from the tilde to the blank after the last slash, or to the end of the text.
  private mutating func readPattern() -> FilterToken.Pattern {
    position += 2
    let start = position
    while let scalar = peek, scalar != "/" {
      // The scalar after a backslash never ends the pattern.
      position = min(position + (scalar == "\\" ? 2 : 1), scalars.count)
    }
    let end = position
    let isClosed = peek != nil
    if isClosed { position += 1 }
    let restStart = position
    while let scalar = peek, !Self.isBlank(scalar) { position += 1 }
    return FilterToken.Pattern(
      text: text(start..<end), start: start, isClosed: isClosed, rest: text(restStart..<position))
  }

  /// The scalar after a backslash, if the backslash takes its meaning away.
  private var escapedScalar: Unicode.Scalar? {
    guard peek == "\\", let following = peek(1) else { return nil }
    return Self.isQuote(following) || following == "," || following == "\\" ? following : nil
  }

  private var peek: Unicode.Scalar? { peek(0) }

  private func peek(_ distance: Int) -> Unicode.Scalar? {
    position + distance < scalars.count ? scalars[position + distance] : nil
  }

  private func text(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\"" || scalar == "“" || scalar == "”"
  }
}

/// The value of a token, while it is being read.
private struct TokenValue {
  private(set) var text = ""
  private var done: [String] = []
  private var part = ""

  /// The values separated by commas.
  var parts: [String] { part.isEmpty ? done : done + [part] }

  /// Whether the value so far has only letters of ASCII, and at least one.
  var isName: Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x41...0x5a, 0x61...0x7a: true
        default: false  // open: UInt8
        }
      }
  }

  mutating func append(_ scalar: Unicode.Scalar) {
    text.unicodeScalars.append(scalar)
    part.unicodeScalars.append(scalar)
  }

  /// Appends a comma that ends a value.
  mutating func appendComma() {
    text.unicodeScalars.append(",")
    done = parts
    part = ""
  }
}
