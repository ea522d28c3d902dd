internal import BellhopModel

/// A syntax error in a query option of a list: its position, the found and the expected text.
package struct ListSyntaxError: ExplainedError, Hashable, Sendable {
  /// The query option: `$filter`, `$orderby`, ….
  package var option: String
  /// The position in characters (Unicode scalars) of the decoded value, from 1.
  package var column: Int
  /// The text at this position: at most 64 characters, without control characters.
  package var found: String
  /// The text that was expected.
  package var expected: String

  /// The maximum length of input that an error repeats.
  static let foundCharactersMax = 64

  init(option: String, column: Int, found: String, expected: String) {
    self.option = option
    self.column = column
    self.found = found
    self.expected = expected
  }

  package var description: String {
    "\(option) has a syntax error at column \(column): found \(found), expected \(expected)."
  }
}

/// A token of a query option.
struct ListToken: Hashable {
  enum Kind: Hashable {
    /// A field, an operator, a function, `null`, `true` or `false`, including slashes and dots.
    case name(String)
    /// A text in quotes, `'…'`, with inner quotes doubled; an enumeration's name may precede it.
    case text(String)
    /// A number or a time; it begins with a digit or a minus.
    case number(String)
    /// A parenthesis, comma or colon.
    case symbol(Character)
    case end
  }

  var kind: Kind
  /// The position, from 1.
  var column: Int
  /// The source text for errors, shortened.
  var found: String
}

/// A lexer that splits the value of a query option into tokens.
struct ListLexer {
  private let option: String
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String, option: String) {
    self.option = option
    scalars = Array(text.unicodeScalars)
  }

  /// Returns all tokens; the last one is the end.
  static func tokens(
    of text: String, option: String
  ) throws(ListSyntaxError) -> [ListToken] {
    var lexer = ListLexer(text, option: option)
    var tokens: [ListToken] = []
    repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
    return tokens
  }

  private mutating func next() throws(ListSyntaxError) -> ListToken {
    while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
    let start = position
    guard position < scalars.count else { return token(.end, from: start) }
    let scalar = scalars[position]
    if "(),:".unicodeScalars.contains(scalar) {
      position += 1
      return token(.symbol(Character(scalar)), from: start)
    }
    if scalar == "'" {
      let text = try quoted(from: start)
      return token(.text(text), from: start)
    }
    if scalar.isDigit || scalar == "-" {
      let text = run { $0.isDigit || $0.isLetter || "-+:.".unicodeScalars.contains($0) }
      return token(.number(text), from: start)
    }
    guard scalar.isLetter else {
      position += 1
      throw ListSyntaxError(
        option: option, column: start + 1, found: token(.end, from: start).found,
        expected: "a name, a number, a parenthesis or text in single quotes")
    }
    let name = run { $0.isLetter || $0.isDigit || "_./".unicodeScalars.contains($0) }
    // The name of an enumeration may precede its value.
    if position < scalars.count, scalars[position] == "'" {
      let text = try quoted(from: start)
      return token(.text(text), from: start)
    }
    return token(.name(name), from: start)
  }

  private mutating func run(while belongs: (Unicode.Scalar) -> Bool) -> String {
    var text = String.UnicodeScalarView()
    while position < scalars.count, belongs(scalars[position]) {
      text.append(scalars[position])
      position += 1
    }
    return String(text)
  }

  /// Reads a quoted text from its first quote.
  private mutating func quoted(from start: Int) throws(ListSyntaxError) -> String {
    var text = String.UnicodeScalarView()
    position += 1
    while position < scalars.count {
      let scalar = scalars[position]
      guard scalar != "\0" else {
        throw ListSyntaxError(
          option: option, column: position + 1, found: "the character U+0000",
          expected: "any other character")
      }
      position += 1
      guard scalar == "'" else {
        text.append(scalar)
        continue
      }
      guard position < scalars.count, scalars[position] == "'" else { return String(text) }
      text.append(scalar)
      position += 1
    }
    throw ListSyntaxError(
      option: option, column: start + 1, found: token(.end, from: start).found,
      expected: "a closing quote; write a quote inside the text twice")
  }

  private func token(_ kind: ListToken.Kind, from start: Int) -> ListToken {
    var found = "the end"
    if start < position {
      var shown = String.UnicodeScalarView()
      for scalar in scalars[start..<position].prefix(ListSyntaxError.foundCharactersMax) {
        shown.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
      }
      found = "\u{201C}\(String(shown))\u{201D}"
    }
    return ListToken(kind: kind, column: start + 1, found: found)
  }
}

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
  fileprivate var isLetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}
