/// The condition of a rule: tests of published content, all of which must hold.
///
/// The tests see the publisher's words, never the effect of another rule. So the result does not depend
/// on the order of the rules, and a device computes the same as the store.
public struct RuleCondition: Hashable, Sendable {
  /// One test, or its negation.
  public struct Term: Hashable, Sendable {
    public var test: Test
    public var isNegated: Bool

    public init(_ test: Test, isNegated: Bool = false) {
      self.test = test
      self.isNegated = isNegated
    }
  }

  /// A part of the visual content in which a pattern is searched.
  public enum Part: String, Hashable, Sendable, Codable, CaseIterable {
    case title, subtitle, body
  }

  /// A test of published content.
  ///
  /// Tests of text, the last two, hold only for visual content. A term with one never matches other
  /// content, negated or not.
  public enum Test: Hashable, Sendable {
    /// The app's name matches one of the patterns.
    case app([ListFilter.NamePattern])
    /// The group's name matches one of the patterns; false for an item without a group.
    case group([ListFilter.NamePattern])
    /// At least one tag matches one of the patterns.
    case tag([ListFilter.NamePattern])
    case level(ListFilter.Comparison, Priority)
    /// The part of the text has a match; false for a part that is missing.
    case pattern(Part, RegularExpression)
    /// Title, subtitle or body contains the phrase.
    case phrase(Phrase)
  }

  /// A word, or several with blanks between them, of which the case does not matter.
  public struct Phrase: Hashable, Sendable {
    /// The phrase as its user wrote it.
    public let text: String
    let expression: RegularExpression

    /// The longest phrase: with a backslash before every character, it is still a valid pattern.
    public static let bytesMax =
      (RegularExpression.bytesMax - PatternParser.caseOption.utf8.count) / 2

    /// Creates a phrase; nil for one of blanks only, and for one that is too long.
    public init?(_ text: String) {
      guard text.utf8.count <= Self.bytesMax, !text.allSatisfy(\.isWhitespace),
        let expression = try? RegularExpression(
          PatternParser.caseOption + RegularExpression.escaped(text))
      else { return nil }
      self.text = text
      self.expression = expression
    }
  }

  /// The tests: 1 to ``termsMax``.
  public var terms: [Term]

  /// The most terms of a condition.
  public static let termsMax = 16
  /// The most alternatives in a term that names apps, groups or tags.
  public static let valuesMax = 16
  /// The longest of these alternatives: the longest name of a group.
  public static let valueBytesMax = 256

  public init(_ terms: [Term]) { self.terms = terms }
}
