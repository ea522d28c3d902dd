import BellhopModel
import Testing

@Suite("Conditions of rules")
struct RuleConditionTests {
  typealias Term = RuleCondition.Term
  typealias Budget = RegularExpression.StepBudget

  static let content = Content(
    app: "CI.example", group: "Nightly", priority: .high, tags: ["Backup", "nas"],
    visual: VisualContent(title: "Disk 7 is full", body: "on nas.local (sda1)"))
  static let data = Content(app: "ci.example", raw: "full")

  static func matches(_ terms: [RuleCondition.Term], _ content: Content = content) -> Bool {
    var budget = Budget()
    return RuleCondition(terms).matches(content, budget: &budget) == .match
  }

  static func names(_ names: String...) -> [ListFilter.NamePattern] {
    names.map { ListFilter.NamePattern($0) }
  }

  static func pattern(_ part: RuleCondition.Part, _ text: String) throws -> RuleCondition.Test {
    .pattern(part, try RegularExpression(text))
  }

  static func phrase(_ text: String) throws -> RuleCondition.Test {
    .phrase(try #require(RuleCondition.Phrase(text)))
  }

  /// Expects the result of a test, and the opposite one of its negation.
  private func expect(
    _ test: RuleCondition.Test, _ result: Bool, _ content: Content = content,
    _ place: SourceLocation = #_sourceLocation
  ) {
    #expect(Self.matches([Term(test)], content) == result, "\(test)", sourceLocation: place)
    #expect(
      Self.matches([Term(test, isNegated: true)], content) == !result, "\(test)",
      sourceLocation: place)
  }

  @Test("names are compared without regard to case, whole or from their beginning")
  func fields() {
    expect(.app(Self.names("ci.EXAMPLE")), true)
    expect(.app(Self.names("ci")), false)
    expect(.app(Self.names("nas", "ci*")), true)
    expect(.group(Self.names("nightly")), true)
    expect(.group(Self.names("night*")), true)
    expect(.group(Self.names("nigh")), false)
    expect(.group(Self.names("*")), false, Self.data)
    expect(.tag(Self.names("NAS")), true)
    expect(.tag(Self.names("back*", "x")), true)
    expect(.tag(Self.names("na")), false)
    expect(.tag(Self.names("*")), false, Self.data)
  }

  @Test(
    "levels are compared in their order",
    arguments: [
      (ListFilter.Comparison.atLeast, [false, true, true]), (.above, [false, false, true]),
      (.atMost, [true, true, false]), (.below, [true, false, false]),
      (.equal, [false, true, false]),
    ])
  func levels(comparison: ListFilter.Comparison, expected: [Bool]) {
    for (level, result) in zip([Priority.normal, .high, .urgent], expected) {
      expect(.level(comparison, .high), result, Content(app: "a", priority: level))
    }
  }

  @Test("a pattern is searched in one part of the text, and a missing part has no match")
  func patterns() throws {
    expect(try Self.pattern(.title, "^Disk \\d+"), true)
    expect(try Self.pattern(.title, "disk"), false)
    expect(try Self.pattern(.title, "(?i)disk|memory"), true)
    expect(try Self.pattern(.body, "Disk"), false)
    expect(try Self.pattern(.body, "sd[a-z]"), true)
    expect(try Self.pattern(.subtitle, "|a"), false)
  }

  @Test("a phrase is contained in one of the parts, in any case of letters")
  func phrases() throws {
    var content = Self.content
    content.visual?.subtitle = "Größe: 95 %"
    expect(try Self.phrase("DISK"), true, content)
    expect(try Self.phrase("is full"), true, content)
    expect(try Self.phrase("full is"), false, content)
    expect(try Self.phrase("GRÖẞE"), true, content)
    expect(try Self.phrase("nas.LOCAL (sda1)"), true, content)
    expect(try Self.phrase("nasxlocal"), false, content)
    expect(try Self.phrase("n.s"), false, content)
  }

  @Test("every character of a phrase stands for itself")
  func escapes() throws {
    for code in UInt8(0x20)..<0x7f {
      let text = "a\(Unicode.Scalar(code))b"
      let content = Content(app: "a", visual: VisualContent(title: "(\(text))"))
      expect(try Self.phrase(text), true, content)
      expect(try Self.phrase(text + "c"), false, content)
      let expression = try RegularExpression("^" + RegularExpression.escaped(text) + "$")
      var budget = Budget()
      #expect(expression.matches(in: text, budget: &budget) == .match, "\(text)")
    }
  }

  @Test("a phrase has 1 to 126 bytes, not only blanks")
  func phraseLength() {
    for text in ["", " ", "\n\t ", String(repeating: "a", count: 127)] {
      #expect(RuleCondition.Phrase(text) == nil, "\(text)")
    }
    // Each of these gets a backslash in its pattern.
    let longest = String(repeating: "(", count: RuleCondition.Phrase.bytesMax)
    #expect(longest.utf8.count == 126)
    #expect(RuleCondition.Phrase(longest)?.text == longest)
  }

  @Test("all terms must hold, and one that is negated must not")
  func terms() throws {
    let app = RuleCondition.Test.app(Self.names("ci*"))
    let full = try Self.phrase("full")
    let low = RuleCondition.Test.level(.below, .normal)
    #expect(Self.matches([Term(app), Term(full), Term(low, isNegated: true)]))
    #expect(!Self.matches([Term(app), Term(full), Term(low)]))
    #expect(!Self.matches([Term(app), Term(full, isNegated: true)]))
    #expect(!Self.matches([Term(full, isNegated: true), Term(app)]))
  }

  @Test("a term with a text is false for content without text, also if it is negated")
  func withoutText() throws {
    for test in [try Self.phrase("full"), try Self.pattern(.body, "full")] {
      for isNegated in [false, true] {
        let term = Term(test, isNegated: isNegated)
        #expect(!Self.matches([term], Self.data))
        #expect(!Self.matches([Term(.app(Self.names("ci*"))), term], Self.data))
      }
    }
    #expect(Self.matches([Term(.app(Self.names("ci*")))], Self.data))
  }

  @Test("a search that is given up makes the condition false, also if its term is negated")
  func givenUp() throws {
    for isNegated in [false, true] {
      for test in [try Self.phrase("Disk"), try Self.pattern(.title, "x")] {
        let condition = RuleCondition([Term(test, isNegated: isNegated)])
        var budget = Budget(steps: 2)
        #expect(condition.matches(Self.content, budget: &budget) == .givenUp)
        #expect(budget.stepsLeft == 0)
      }
    }
  }

  @Test("tests without a search come first, and the first false term ends the searches")
  func order() throws {
    let absent = Term(try Self.phrase("absent"))
    let present = Term(try Self.phrase("disk"))
    func steps(_ terms: [Term]) -> (RegularExpression.Outcome, Int) {
      var budget = Budget()
      let outcome = RuleCondition(terms).matches(Self.content, budget: &budget)
      return (outcome, Budget.stepsPerItemMax - budget.stepsLeft)
    }
    #expect(steps([present, Term(.app(Self.names("nas")))]) == (.noMatch, 0))
    #expect(steps([Term(.app(Self.names("ci*")))]) == (.match, 0))
    let (_, first) = steps([absent])
    let (_, second) = steps([present])
    #expect(first > second && second > 0)
    #expect(steps([absent, present]) == (.noMatch, first))
    #expect(steps([present, absent]) == (.noMatch, first + second))
  }
}
