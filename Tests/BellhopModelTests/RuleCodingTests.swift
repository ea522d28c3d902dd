import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@Suite("The coded form of rules")
struct RuleCodingTests {
  static let path = "Sources/BellhopModel/Documentation.docc/RulesForPublications.md"

  /// The examples of the article.
  static func examples() throws -> [Data] {
    try SourceTree.text(path).components(separatedBy: "```json\n").dropFirst().map { text in
      Data(text.components(separatedBy: "```")[0].utf8)
    }
  }

  /// JSON in a form that is equal for equal values.
  static func canonical(_ data: Data) throws -> String {
    let value = try JSONSerialization.jsonObject(with: data)
    let sorted = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
    return String(decoding: sorted, as: UTF8.self)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
  }

  /// Expects that a value is encoded as this JSON, and read back unchanged.
  private func expect<Value: Codable & Equatable>(_ value: Value, isCodedAs json: String) throws {
    let data = try JSONEncoder().encode(value)
    #expect(try Self.canonical(data) == Self.canonical(Data(json.utf8)))
    #expect(try JSONDecoder().decode(Value.self, from: data) == value)
  }

  @Test("the coded form of a rule is read back unchanged")
  func example() throws {
    let example = try #require(Self.examples().first)
    let rule = try JSONDecoder().decode(Rule.self, from: example)
    try expect(rule, isCodedAs: String(decoding: example, as: UTF8.self))
    let definition = rule.definition
    #expect(rule.mark.name == "passed builds" && rule.order == .first && !rule.isEnabled)
    #expect(rule.sequence == SequenceNumber(512) && definition.timeZone == "Europe/Berlin")
    let terms: [RuleCondition.Term] = [
      .init(.app([ListFilter.NamePattern("ci"), ListFilter.NamePattern("build*")])),
      .init(.level(.atMost, .normal), isNegated: true),
      .init(.pattern(.title, try RegularExpression("(?i)passed|fixed"))),
      .init(try RuleConditionTests.phrase("nightly build")),
    ]
    #expect(definition.condition == RuleCondition(terms))
    let evening = try #require(LocalTime("18:00"))
    let actions = RuleSetTests.actions {
      $0.level = .low
      ($0.isSilent, $0.marksRead, $0.dismisses, $0.pins, $0.stops) = (true, true, true, true, true)
      $0.snooze = .until(evening)
      $0.tags = ["ci"]
      ($0.group, $0.app, $0.collapse) = ("builds", "noise", .ignoringNumbers)
    }
    #expect(definition.actions == actions)
  }

  @Test("an effect is read back unchanged, without the parts of a later version")
  func effect() throws {
    let examples = try Self.examples()
    #expect(examples.count == 2)
    let json = String(decoding: try #require(examples.last), as: UTF8.self)
    let effect = try decode(AppliedEffect.self, json)
    try expect(effect, isCodedAs: json)
    #expect(effect.level == .low && effect.isSilent && effect.tags == ["ci"])
    #expect(effect.rules.first?.parts == [.priority, .tags, .silent])
    #expect(effect.exhausted.first?.name == "long texts")
    let later = try decode(
      AppliedEffect.self, json.replacing("[\"priority\",", with: "[\"colour\", \"priority\","))
    #expect(later == effect)
    try expect(AppliedEffect.empty, isCodedAs: "{}")
  }

  @Test("every test, alone and negated, and every action is read back unchanged")
  func parts() throws {
    let names = ["a", "b*", "*"].map { ListFilter.NamePattern($0) }
    var tests: [RuleCondition.Test] = [
      .app(names), .group(names), .tag(names), try RuleConditionTests.phrase("\"a\" (b)"),
    ]
    for part in RuleCondition.Part.allCases {
      tests.append(.pattern(part, try RegularExpression("^\\d+/\"x\"")))
    }
    for comparison in ListFilter.Comparison.allCases {
      tests += Priority.allCases.map { .level(comparison, $0) }
    }
    let terms = tests.flatMap { [RuleCondition.Term($0), .init($0, isNegated: true)] }
    for term in terms {
      let data = try JSONEncoder().encode(RuleCondition([term]))
      #expect(try JSONDecoder().decode(RuleCondition.self, from: data).terms == [term])
    }
    let changes: [(inout RuleActions) -> Void] = [
      { $0.level = .urgent }, { $0.isSilent = true }, { $0.marksRead = true },
      { $0.dismisses = true }, { $0.snooze = .for(.seconds(90)) }, { $0.pins = true },
      { $0.tags = ["a", "b"] }, { $0.group = "g" }, { $0.app = "a" }, { $0.collapse = .exact },
      { $0.stops = true },
    ]
    for change in changes {
      let actions = RuleSetTests.actions(change)
      let data = try JSONEncoder().encode(actions)
      #expect(try JSONDecoder().decode(RuleActions.self, from: data) == actions)
      let members = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      #expect(members?.count == 1)
    }
  }

  // MARK: Refusals

  /// A definition with these terms and actions, and a name of this length.
  private static func definition(
    terms: String = #"[{"field":"app","values":["ci"]}]"#, actions: String = #"{"stop":true}"#,
    name: Int = 4
  ) -> String {
    #"{"name":"\#(String(repeating: "n", count: name))","terms":\#(terms),"actions":\#(actions)}"#
  }

  private func expectRefusal(
    _ json: String, naming path: [String], saying text: String,
    _ place: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: DecodingError.self, "\(json)", sourceLocation: place) {
      try decode(RuleDefinition.self, json)
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(json): \(String(describing: error))", sourceLocation: place)
      return
    }
    let found = context.codingPath.filter { $0.intValue == nil }.map(\.stringValue)
    #expect(found == path, "\(json)", sourceLocation: place)
    #expect(
      context.debugDescription.contains(text), "\(json): \(context.debugDescription)",
      sourceLocation: place)
  }

  @Test(
    "a term that is not valid is refused, with its member and the accepted form",
    arguments: [
      (#"{"field":"colour","values":["red"]}"#, "field", "app, group, tag, level"),
      (#"{"field":"app","values":["ci"],"exact":true}"#, "exact", "those of this object"),
      (#"{"field":"app","pattern":"ci"}"#, "pattern", "field, values, not"),
      (#"{"field":"title","values":["a"],"pattern":"a"}"#, "values", "field, pattern, not"),
      (#"{"field":"words","comparison":"=","values":["a"]}"#, "comparison", "field, values, not"),
      (#"{"field":"app","values":[]}"#, "values", "1 to 16 names"),
      (#"{"field":"tag","values":[""]}"#, "values", "1 to 256 bytes"),
      (#"{"field":"level","comparison":"!=","values":["low"]}"#, "comparison", ">=, <=, >, <, ="),
      (#"{"field":"level","comparison":"=","values":["loud"]}"#, "values", "min, low, normal"),
      (#"{"field":"level","comparison":"=","values":["low","min"]}"#, "values", "one of min"),
      (#"{"field":"title","pattern":"a(b"}"#, "pattern", "At character 2 of the pattern"),
      (#"{"field":"body","pattern":""}"#, "pattern", "the pattern is empty"),
      (#"{"field":"words","values":[" "]}"#, "values", "one word or phrase"),
      (#"{"field":"words","values":["a","b"]}"#, "values", "one word or phrase"),
    ])
  func terms(term: String, member: String, text: String) {
    expectRefusal(
      Self.definition(terms: "[\(term)]"), naming: ["terms", member], saying: text)
  }

  @Test(
    "an action that is not valid is refused, with its member and the accepted form",
    arguments: [
      (#"{"delete":true}"#, ["delete"], "those of this object are priority, silent"),
      (#"{}"#, [], "one or more actions"),
      (#"{"silent":false,"tags":[]}"#, [], "one or more actions"),
      (#"{"priority":"loud"}"#, ["priority"], "min, low, normal"),
      (#"{"readState":"unread"}"#, ["readState"], "expected read"),
      (#"{"snooze":{}}"#, ["snooze", "seconds"], "either seconds or until"),
      (#"{"snooze":{"seconds":1,"until":"18:00"}}"#, ["snooze", "seconds"], "either"),
      (#"{"snooze":{"seconds":0}}"#, ["snooze", "seconds"], "from 1 to 31536000"),
      (#"{"snooze":{"seconds":31536001}}"#, ["snooze", "seconds"], "from 1 to 31536000"),
      (#"{"snooze":{"until":"25:00"}}"#, ["snooze", "until"], "a time of day"),
      (#"{"tags":[""]}"#, ["tags"], "1 to 64 bytes"),
      (#"{"tags":["1","2","3","4","5","6","7","8","9"]}"#, ["tags"], "at most 8 tags"),
    ] as [(String, [String], String)])
  func actions(actions: String, path: [String], text: String) {
    expectRefusal(
      Self.definition(actions: actions), naming: ["actions"] + path, saying: text)
  }

  @Test("a definition has 1 to 16 terms and a name of 1 to 64 bytes")
  func limits() throws {
    func list(_ count: Int) -> String {
      let term = #"{"field":"app","values":["ci"]}"#
      return "[" + Array(repeating: term, count: count).joined(separator: ",") + "]"
    }
    for (terms, name) in [(1, 1), (16, 64)] {
      let json = Self.definition(terms: list(terms), name: name)
      let definition = try decode(RuleDefinition.self, json)
      #expect(definition.condition.terms.count == terms && definition.name.utf8.count == name)
    }
    expectRefusal(Self.definition(terms: "[]"), naming: ["terms"], saying: "one or more terms")
    expectRefusal(Self.definition(terms: list(17)), naming: ["terms"], saying: "at most 16 terms")
    for name in [0, 65] {
      expectRefusal(Self.definition(name: name), naming: ["name"], saying: "1 to 64 bytes")
    }
  }

  @Test("a rule is read without members that a later version has added")
  func later() throws {
    let example = String(decoding: try #require(Self.examples().first), as: UTF8.self)
    let rule = try decode(Rule.self, example)
    let later = example.replacing("\"sequence\"", with: "\"colour\": \"red\",\n\"sequence\"")
    #expect(try decode(Rule.self, later) == rule)
  }

  @Test("the limits of the article are those of the code")
  func article() throws {
    let rows = try SourceTree.text(Self.path).split(separator: "\n").filter { $0.hasPrefix("| ") }
    func expectRow(_ name: String, _ value: String) {
      #expect(rows.contains("| \(name) | \(value) |"), "\(name): \(value)")
    }
    expectRow("Rules of a user", "\(RuleSet.rulesMax)")
    expectRow("Name of a rule", "\(RuleDefinition.nameBytesMax) bytes")
    expectRow("Terms of a condition", "\(RuleCondition.termsMax)")
    expectRow(
      "Names in a term",
      "\(RuleCondition.valuesMax), of \(RuleCondition.valueBytesMax) bytes each")
    expectRow("Word or phrase", "\(RuleCondition.Phrase.bytesMax) bytes")
    expectRow("Regular expression", "\(RegularExpression.bytesMax) bytes")
    expectRow(
      "Tags that a rule adds", "\(RuleActions.tagsMax), of \(RuleActions.tagBytesMax) bytes each")
    expectRow("Tags that all rules add to an item", "\(AppliedEffect.tagsMax)")
  }
}
