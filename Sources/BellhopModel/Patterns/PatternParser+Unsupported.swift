/// The constructs of other engines that have no meaning here, each with its name and a substitute.
extension PatternParser {
  /// Names a construct that is not supported, at a place or at the next scalar.
  func unsupported(_ name: String, at offset: Int? = nil, instead: String) -> SyntaxError {
    fault("\(name) is not supported", at: offset, expected: instead)
  }

  private static let lookAround = "a pattern without it; other text may be before and after a match"
  private static let plainGroup = "a plain group, such as (a|b)"

  /// The beginnings of groups. The first one that fits names the construct.
  private static let groups: [(opening: String, name: String, instead: String)] = [
    ("(?=", "a look-ahead", lookAround),
    ("(?!", "a negative look-ahead", lookAround),
    ("(?<=", "a look-behind", lookAround),
    ("(?<!", "a negative look-behind", lookAround),
    ("(?>", "an atomic group", plainGroup),
    ("(?P=", "a back-reference", "the text or the class again"),
    ("(?P>", "a recursion", plainGroup),
    ("(?P<", "a named group", plainGroup),
    ("(?<", "a named group", plainGroup),
    ("(?'", "a named group", plainGroup),
    ("(?&", "a recursion", plainGroup),
    ("(?R", "a recursion", plainGroup),
    ("(?(", "a condition", plainGroup),
    ("(?|", "a branch reset", plainGroup),
    ("(?#", "a comment", "a pattern without it"),
  ]

  /// Throws for a group with a question mark, except for `(?:`.
  func refuseUnsupportedGroup() throws(SyntaxError) {
    guard isNext("(?"), !isNext("(?:") else { return }
    for group in Self.groups where isNext(group.opening) {
      throw unsupported("\(group.name), “\(group.opening)”,", instead: group.instead)
    }
    if isNext(Self.caseOption) {
      throw fault(
        "the option \(Self.caseOption) is not at the start", expected: "it as the first characters")
    }
    throw unsupported(
      "an option, “(?”,",
      instead: "\(Self.caseOption) at the start of the pattern, or a plain group")
  }

  /// The letters and digits after a backslash.
  private static let escapes: [(letters: String, name: String, instead: String)] = [
    ("123456789gk", "a back-reference", "the text or the class again"),
    ("b", "a word boundary", "(^|\\W) before a word, or (\\W|$) after it"),
    ("B", "a word boundary", "\\w on the side where the word continues"),
    ("A", "an anchor of this form", "^ for the start of the text"),
    ("zZ", "an anchor of this form", "$ for the end of the text"),
    ("GK", "a setting of the match's start", "a pattern without it"),
    ("pP", "a Unicode property", "\\w, \\d, \\s or a range of characters"),
    ("hHvVRN", "a class of this form", "\\s, \\S, \\n or a class in brackets"),
    ("X", "a grapheme", "a dot, which matches one Unicode scalar"),
    ("QE", "quoting", "a backslash before each character with a meaning"),
    ("0acefoux", "a code of this form", "\\n, \\r, \\t, or \\x{e9} with hexadecimal digits"),
  ]

  /// The error for a backslash before a letter, a digit or a character that is not ASCII.
  func unsupportedEscape(_ scalar: Unicode.Scalar) -> SyntaxError {
    for escape in Self.escapes where escape.letters.unicodeScalars.contains(scalar) {
      return unsupported("\(escape.name), “\\\(scalar)”,", instead: escape.instead)
    }
    return fault(
      "a backslash is before a character that needs none", expected: "the character alone")
  }

  /// Throws for a second quantifier after the one that was read.
  func refuseSecondQuantifier() throws(SyntaxError) {
    switch next {
    case "?":
      throw unsupported("a lazy quantifier", instead: "one quantifier, which finds the same texts")
    case "+": throw unsupported("a possessive quantifier", instead: "one quantifier")
    case "*", "{":
      throw unsupported(
        "a quantifier after another one", instead: "a group between them, such as (a+){3}")
    default: return  // open: Unicode.Scalar?
    }
  }
}
