import BellhopCache
import BellhopModel
import Testing

extension TwinTests {
  /// Conditions of each kind of term on what ``RandomHistory`` publishes.
  static var conditions: [RuleCondition] {
    get throws {
      func names(_ patterns: String...) -> [ListFilter.NamePattern] {
        patterns.map { ListFilter.NamePattern($0) }
      }
      let tests: [RuleCondition.Test] = [
        .app(names("CI", "s*")), .group(names("A", "none")), .group(names("*")),
        .tag(names("One")), .tag(names("two\nl*", "rule*")), .tag(names("")),
        .level(.atLeast, .high), .level(.below, .normal), .level(.equal, .urgent),
        .pattern(.title, try RegularExpression("(?i)^ITEM$|搜索")),
        .pattern(.subtitle, try RegularExpression("x")),
        .pattern(.body, try RegularExpression("x")),
        .phrase(try #require(RuleCondition.Phrase("WORDS"))),
      ]
      let terms = tests.flatMap { test in
        [RuleCondition.Term(test), RuleCondition.Term(test, isNegated: true)]
      }
      let pairs = zip(terms, terms.dropFirst(5)).map { RuleCondition([$0, $1]) }
      return terms.map { RuleCondition([$0]) } + pairs
    }
  }

  /// Rules before a condition: one acts, one stops, and one that would stop is disabled.
  static var earlier: [Rule] {
    func rule(_ number: Int64, _ app: String, stops: Bool, isEnabled: Bool = true) -> Rule {
      var definition = makeDefinition("rule \(number)", app: app)
      definition.actions.stops = stops
      return Rule(
        id: ruleID(number), definition: definition, order: .first, isEnabled: isEnabled,
        revision: operationID(number))
    }
    return [
      rule(1, "ci", stops: false), rule(2, "nas", stops: true),
      rule(3, "*", stops: true, isEnabled: false),
    ]
  }

  /// The previews and the report on noise, as text lines.
  func publicationView(_ reader: any CacheReading) throws -> [String] {
    let later = CacheFixture.start.advanced(by: .seconds(1))
    var lines: [String] = []
    for (index, condition) in try Self.conditions.enumerated() {
      let preview = try reader.preview(
        condition, after: index.isMultiple(of: 3) ? Self.earlier : [],
        since: index.isMultiple(of: 4) ? later : .distantPast, samples: 2)
      #expect(preview.isComplete)
      lines.append("preview \(index): \(preview)")
    }
    for since in [Timestamp.distantPast, later] {
      lines.append("\(try reader.matches(of: Self.conditions, since: since))")
      lines.append("\(try reader.noise(since: since, limit: 3))")
      lines += try reader.noise(since: since, limit: .max).lines.map { "\($0)" }
    }
    return lines
  }
}
