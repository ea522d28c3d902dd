extension PatternParser {
  /// Reads a class in brackets.
  mutating func characterClass() throws(SyntaxError) -> ScalarSet {
    let start = place
    place += 1
    let isNegated = accept("^")
    if next == "]" {
      throw fault(
        "the class is empty",
        expected: "one or more characters before the bracket, or \\] for the bracket itself")
    }
    var parts: [ScalarSet.Part] = []
    while !accept("]") {
      guard next != nil else {
        throw fault(
          "the class is not closed", at: start,
          expected: "a closing bracket after it, or \\[ for the character")
      }
      parts.append(try classPart(isFirst: parts.isEmpty))
    }
    return ScalarSet(parts, isNegated: isNegated, ignoringCase: ignoresCase)
  }

  /// Reads a character, a range or an escape for a property.
  private mutating func classPart(isFirst: Bool) throws(SyntaxError) -> ScalarSet.Part {
    let start = place
    let isLast = peek(1) == "]" || peek(1) == nil
    let begin = try classScalar(mayBeHyphen: isFirst || isLast)
    guard next == "-", let following = peek(1), following != "]" else {
      return switch begin {
      case .scalar(let scalar): .scalar(scalar)
      case .property(let property, let isNegated): .property(property, isNegated: isNegated)
      }
    }
    place += 1
    let end = try classScalar(mayBeHyphen: false)
    guard case .scalar(let lower) = begin, case .scalar(let upper) = end else {
      throw fault(
        "a range has an end that stands for several characters", at: start,
        expected: "single characters on both sides, or \\- for the hyphen")
    }
    guard lower <= upper else {
      throw fault(
        "the range is in descending order", at: start,
        expected: "the character with the lower code first")
    }
    return .range(lower...upper)
  }

  private mutating func classScalar(mayBeHyphen: Bool) throws(SyntaxError) -> Escape {
    guard let scalar = next else { throw fault("the range has no end", expected: "a character") }
    switch scalar {
    case "\\": return try escape()
    case "[":
      if let kind = peek(1), ":.=".unicodeScalars.contains(kind) {
        throw unsupported(
          "a POSIX class, “[\(kind)”,", instead: "an escape such as \\w, \\d or \\s")
      }
      throw unsupported(
        "a class within a class", instead: "all characters in one class, or \\[ for the bracket")
    case "-" where !mayBeHyphen:
      throw fault(
        "the hyphen has two meanings here",
        expected: "\\- for the hyphen, or a range of two characters such as a-f")
    default:  // open: Unicode.Scalar
      place += 1
      return .scalar(scalar)
    }
  }

  // MARK: - Escapes

  /// The value of an escape.
  enum Escape {
    case scalar(Unicode.Scalar)
    case property(ScalarProperty, isNegated: Bool)
  }

  private static let escapes: [Unicode.Scalar: Escape] = [
    "n": .scalar("\n"), "r": .scalar("\r"), "t": .scalar("\t"),
    "d": .property(.digit, isNegated: false), "D": .property(.digit, isNegated: true),
    "w": .property(.word, isNegated: false), "W": .property(.word, isNegated: true),
    "s": .property(.space, isNegated: false), "S": .property(.space, isNegated: true),
  ]

  /// Reads a backslash with the characters that belong to it.
  mutating func escape() throws(SyntaxError) -> Escape {
    guard let scalar = peek(1) else {
      throw fault(
        "a backslash has no character after it", expected: "\\\\ for the backslash itself")
    }
    if let known = Self.escapes[scalar] {
      place += 2
      return known
    }
    if isNext("\\x{") { return .scalar(try hexadecimal()) }
    if scalar.isASCII, !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar),
      scalar.value >= 0x20, scalar.value != 0x7f
    {
      place += 2
      return .scalar(scalar)
    }
    throw unsupportedEscape(scalar)
  }

  /// Reads `\x{…}`.
  private mutating func hexadecimal() throws(SyntaxError) -> Unicode.Scalar {
    let start = place
    place += 3
    let digits = scalars[place...].prefix { $0 != "}" }
    place += digits.count
    let text = digits.map(String.init).joined()
    // The sign that `UInt32` accepts is not a digit.
    guard accept("}"), text.first?.isHexDigit == true, text.count <= 6,
      let scalar = UInt32(text, radix: 16).flatMap(Unicode.Scalar.init)
    else {
      throw fault(
        "the code of a character is not valid", at: start,
        expected: "up to six hexadecimal digits, such as \\x{e9} or \\x{1f514}")
    }
    return scalar
  }
}
