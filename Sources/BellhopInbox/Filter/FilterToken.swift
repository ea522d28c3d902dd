/// A part of a filter between blanks: a term such as `-app:ci`, or a word.
struct FilterToken: Hashable, Sendable {
  /// The name before the colon; nil for a word.
  var field: String?
  /// The value after the colon, or the word, without quotes.
  var value: String
  var isNegated: Bool
  var wasQuoted: Bool
  /// The range in characters of the whole text.
  var range: Range<Int>
  var valueRange: Range<Int>

  /// The values separated by commas.
  var values: [String] {
    value.split(separator: ",").map(String.init)
  }

  /// Whether the token is the beginning of a field's name.
  var mayBecomeField: Bool {
    field == nil && !wasQuoted
      && FilterPhrase.Field.allCases.contains { $0.rawValue.hasPrefix(value.lowercased()) }
  }

  /// The token as words of a search; a phrase keeps its quotes.
  var asWords: String {
    let word = (isNegated ? "-" : "") + (field.map { $0 + ":" } ?? "") + value
    return wasQuoted ? "\"\(word)\"" : word
  }

  /// Quotes a value if necessary.
  static func quoted(_ value: String) -> String {
    value.contains(where: \.isWhitespace) ? "\"\(value)\"" : value
  }

  static func tokens(of text: String) -> [FilterToken] {
    var tokens: [FilterToken] = []
    let characters = Array(text)
    var position = 0
    while position < characters.count {
      guard !characters[position].isWhitespace else {
        position += 1
        continue
      }
      tokens.append(token(characters, &position))
    }
    return tokens
  }

  private static func token(_ characters: [Character], _ position: inout Int) -> FilterToken {
    let start = position
    let isNegated = isSign(characters[start]) && start + 1 < characters.count
    if isNegated { position += 1 }
    var field: String?
    var value = ""
    var valueStart = position
    var isQuoted = false
    var wasQuoted = false
    while position < characters.count {
      let character = characters[position]
      if isQuote(character) {
        isQuoted.toggle()
        wasQuoted = true
      } else if character.isWhitespace, !isQuoted {
        break
      } else if character == ":", !wasQuoted, field == nil, isName(value) {
        field = value
        value = ""
        valueStart = position + 1
      } else {
        value.append(character)
      }
      position += 1
    }
    return FilterToken(
      field: field, value: value, isNegated: isNegated, wasQuoted: wasQuoted,
      range: start..<position, valueRange: valueStart..<position)
  }

  private static func isSign(_ character: Character) -> Bool {
    character == "-" || character == "!"
  }

  private static func isQuote(_ character: Character) -> Bool {
    character == "\"" || character == "“" || character == "”"
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isLetter }
  }
}
