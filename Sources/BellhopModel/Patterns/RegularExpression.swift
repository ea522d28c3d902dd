/// A regular expression that an automaton matches in linear time, without backtracking.
///
/// A pattern and a text are compared by Unicode scalars, without normalization. The result and the
/// number of steps depend only on the two and on the Unicode version of the standard library, which
/// `\w`, `\d` and `(?i)` use. <doc:RegularExpressions> lists the syntax.
public struct RegularExpression: Sendable {
  /// The text from which the expression was made.
  public let pattern: String
  let automaton: Automaton

  /// The longest pattern: one that fits a line, with a margin.
  public static let bytesMax = 256
  /// The most states of an automaton, which bound the steps for each scalar of a text.
  public static let statesMax = 1_000
  /// The greatest number in `{n,m}`.
  public static let repetitionsMax = 64

  /// Parses a pattern and builds its automaton.
  ///
  /// - Throws: ``SyntaxError`` for an empty or too long pattern, for invalid or unsupported syntax, and
  ///   for one that needs more than ``statesMax`` states.
  public init(_ pattern: String) throws(SyntaxError) {
    let syntax = try PatternParser.syntax(of: pattern)
    self.pattern = pattern
    automaton = Automaton(syntax)
  }

  /// The number of states of its automaton, of which the last one means a match.
  package var stateCount: Int { automaton.states.count }

  /// The reason why a pattern is not valid.
  public struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place of the fault: the number of Unicode scalars of the pattern before it.
    public let offset: Int
    /// A clause that names the fault, such as "a look-ahead, “(?=”, is not supported".
    public let problem: String
    /// The accepted form: completes the sentence "Expected …".
    public let expectation: String

    /// The fault with its place, counted from 1, and the accepted form.
    public var description: String {
      "At character \(offset + 1) of the pattern, \(problem). Expected \(expectation)."
    }
  }
}

// Strings are equal if they are canonically equivalent, but patterns match by scalars.
extension RegularExpression: Hashable {
  public static func == (left: RegularExpression, right: RegularExpression) -> Bool {
    left.pattern.utf8.elementsEqual(right.pattern.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in pattern.utf8 { hasher.combine(byte) }
    hasher.combine(0xff as UInt8)
  }
}

extension RegularExpression: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do throws(SyntaxError) {
      try self.init(text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(pattern)
  }
}
