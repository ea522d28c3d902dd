/// A parser of regular expressions by recursive descent.
///
/// The length of a pattern bounds the depth of its groups, and so that of the stack.
struct PatternParser {
  typealias SyntaxError = RegularExpression.SyntaxError

  let scalars: [Unicode.Scalar]
  /// The number of scalars that were read.
  var place = 0
  let ignoresCase: Bool
  private var sets: [ScalarSet] = []
  /// The place and the states of the repeat that needs the most states.
  private var largestRepeat = (offset: 0, states: 0)

  /// The option at the start of a pattern that ignores case.
  static let caseOption = "(?i)"

  /// Returns the tree of a pattern, with at most ``RegularExpression/statesMax`` states.
  static func syntax(of pattern: String) throws(SyntaxError) -> PatternSyntax {
    var parser = try PatternParser(pattern)
    let root = try parser.alternatives()
    if parser.next == ")" {
      throw parser.fault(
        "a closing parenthesis has no opening one", expected: "\\) for the character")
    }
    // One more for the state of a match.
    guard root.states < RegularExpression.statesMax else {
      throw parser.tooManyStates(at: parser.largestRepeat.offset)
    }
    return PatternSyntax(root: root, sets: parser.sets, ignoresCase: parser.ignoresCase)
  }

  private init(_ pattern: String) throws(SyntaxError) {
    scalars = Array(pattern.unicodeScalars)
    let bytesMax = RegularExpression.bytesMax
    guard pattern.utf8.count <= bytesMax else {
      var bytes = 0
      let fitting = scalars.prefix { scalar in
        bytes += UTF8.width(scalar)
        return bytes <= bytesMax
      }
      throw SyntaxError(
        offset: fitting.count, problem: "the pattern is too long",
        expectation: "\(bytesMax) bytes at most")
    }
    let option = Array(Self.caseOption.unicodeScalars)
    ignoresCase = scalars.starts(with: option)
    if ignoresCase { place = option.count }
    if place == scalars.count {
      throw fault("the pattern is empty", expected: "one or more characters, such as error")
    }
  }

  // MARK: - Alternatives, sequences and repeats

  private mutating func alternatives() throws(SyntaxError) -> PatternNode {
    var nodes = [try sequence()]
    while accept("|") { nodes.append(try sequence()) }
    return .alternatives(nodes)
  }

  private mutating func sequence() throws(SyntaxError) -> PatternNode {
    var nodes: [PatternNode] = []
    while let next, next != "|", next != ")" { nodes.append(try piece()) }
    return .sequence(nodes)
  }

  /// Reads a character, a class or a group, with its quantifier.
  private mutating func piece() throws(SyntaxError) -> PatternNode {
    let start = place
    let isAnchor = next == "^" || next == "$"
    let node = try atom()
    let offset = place
    guard let range = try quantifier() else { return node }
    if isAnchor {
      throw fault(
        "an anchor is repeated", at: offset,
        expected: "no quantifier here, or \\\(scalars[start]) for the character")
    }
    try refuseSecondQuantifier()
    let repeated = PatternNode.repeated(node, minimum: range.minimum, maximum: range.maximum)
    guard repeated.states < RegularExpression.statesMax else { throw tooManyStates(at: offset) }
    if repeated.states > largestRepeat.states { largestRepeat = (offset, repeated.states) }
    return repeated
  }

  private mutating func atom() throws(SyntaxError) -> PatternNode {
    guard let scalar = next else { return .empty }
    switch scalar {
    case "(": return try group()
    case "[": return set(try characterClass())
    case "\\":
      switch try escape() {
      case .scalar(let scalar): return literal(scalar)
      case .property(let property, let isNegated):
        return set(
          ScalarSet([.property(property, isNegated: isNegated)], ignoringCase: ignoresCase))
      }
    case "*", "+", "?", "{":
      throw fault(
        "the quantifier “\(scalar)” has nothing to repeat",
        expected: "a character, a class or a group before it, or \\\(scalar) for the character")
    default:  // open: Unicode.Scalar
      place += 1
      return switch scalar {
      case ".": set(ScalarSet([.scalar("\n")], isNegated: true, ignoringCase: ignoresCase))
      case "^": .textStart
      case "$": .textEnd
      default: literal(scalar)  // open: Unicode.Scalar
      }
    }
  }

  private mutating func group() throws(SyntaxError) -> PatternNode {
    let start = place
    try refuseUnsupportedGroup()
    place += 1
    if accept("?") { _ = accept(":") }
    let node = try alternatives()
    guard accept(")") else {
      throw fault(
        "the group is not closed", at: start,
        expected: "a closing parenthesis after it, or \\( for the character")
    }
    return node
  }

  private func literal(_ scalar: Unicode.Scalar) -> PatternNode {
    .scalar(ignoresCase ? scalar.folded : scalar)
  }

  private mutating func set(_ set: ScalarSet) -> PatternNode {
    sets.append(set)
    return .set(sets.count - 1)
  }

  // MARK: - Quantifiers

  /// Reads a quantifier if one is next. The maximum is nil for an open range.
  private mutating func quantifier() throws(SyntaxError) -> (minimum: Int, maximum: Int?)? {
    if accept("*") { return (0, nil) }
    if accept("+") { return (1, nil) }
    if accept("?") { return (0, 1) }
    let start = place
    guard accept("{") else { return nil }
    guard let minimum = try number() else { throw invalidRepeat(at: start) }
    var maximum: Int? = minimum
    if accept(",") { maximum = try number() }
    guard accept("}") else { throw invalidRepeat(at: start) }
    if let maximum, maximum < minimum {
      throw fault(
        "the repeat has a maximum below its minimum", at: start,
        expected: "the smaller number first, such as {\(maximum),\(minimum)}")
    }
    return (minimum, maximum)
  }

  /// Reads a number of repeats; nil if no digit is next.
  private mutating func number() throws(SyntaxError) -> Int? {
    let start = place
    var value: Int?
    while let next, ("0"..."9").contains(next) {
      // One more than the maximum is as wrong as any greater number.
      value = min((value ?? 0) * 10 + Int(next.value - 48), RegularExpression.repetitionsMax + 1)
      place += 1
    }
    if let value, value > RegularExpression.repetitionsMax {
      throw fault(
        "the number of repeats is too large", at: start,
        expected: "\(RegularExpression.repetitionsMax) at most, or * or + for any number")
    }
    return value
  }

  private func invalidRepeat(at offset: Int) -> SyntaxError {
    fault(
      "the repeat is not valid", at: offset,
      expected: "{3}, {3,} or {3,5} with such numbers, or \\{ for the character")
  }

  private func tooManyStates(at offset: Int) -> SyntaxError {
    fault(
      "the pattern becomes too large by this repeat", at: offset,
      expected:
        "fewer or smaller repeats, for \(RegularExpression.statesMax) states at most")
  }

  // MARK: - Scalars

  /// The scalar that is not read yet; nil at the end.
  var next: Unicode.Scalar? { peek(0) }

  /// Returns the scalar this many places after the next one.
  func peek(_ distance: Int) -> Unicode.Scalar? {
    place + distance < scalars.count ? scalars[place + distance] : nil
  }

  /// Reads the scalar if it is next, and returns whether it was.
  mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    place += 1
    return true
  }

  /// Whether the text is next.
  func isNext(_ text: String) -> Bool {
    scalars[place...].starts(with: text.unicodeScalars)
  }

  /// An error at a place, or at the next scalar.
  func fault(_ problem: String, at offset: Int? = nil, expected expectation: String)
    -> SyntaxError
  {
    SyntaxError(offset: offset ?? place, problem: problem, expectation: expectation)
  }
}
