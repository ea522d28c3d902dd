import BellhopModel
import Foundation
import Testing

@Suite("The coded form of operations")
struct OperationCodingTests {
  static let coded: [(BellhopModel.Operation, String)] = [
    (
      Sample.operation(.snooze(until: Sample.time(600)), seen: 5),
      """
      {"id":"\(Sample.id(100) as OperationID)","notificationId":"\(Sample.id(1) as NotificationID)",\
      "seen":5,"set":{"snoozedUntilDateTime":"2026-11-21T06:10:00.000Z",\
      "userActionState":"snoozed"}}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(7), target: .items([Sample.id(1), Sample.id(2)]), mutation: .delete),
      """
      {"delete":true,"id":"\(Sample.id(7) as OperationID)","notificationIds":\
      ["\(Sample.id(1) as NotificationID)","\(Sample.id(2) as NotificationID)"]}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(7),
        onShown: [
          (Sample.id(2), ShownVersion(content: SequenceNumber(12))),
          (Sample.id(1), ShownVersion(content: SequenceNumber(9))),
        ],
        mutation: .delete),
      """
      {"delete":true,"id":"\(Sample.id(7) as OperationID)","notificationIds":\
      ["\(Sample.id(2) as NotificationID)","\(Sample.id(1) as NotificationID)"],\
      "seen":12,"seenEach":[12,9]}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(7), onShown: Sample.id(1),
        ShownVersion(
          content: SequenceNumber(9), occurrence: Occurrence.Label("2026-11-30T09:00")),
        mutation: .delete),
      """
      {"delete":true,"id":"\(Sample.id(7) as OperationID)","notificationId":\
      "\(Sample.id(1) as NotificationID)","seen":9,"seenOccurrence":"2026-11-30T09:00"}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(7),
        onShown: [
          (Sample.id(2), ShownVersion(content: SequenceNumber(12))),
          (Sample.id(1), ShownVersion(content: SequenceNumber(9), occurrence: .number(3))),
        ],
        mutation: .delete),
      """
      {"delete":true,"id":"\(Sample.id(7) as OperationID)","notificationIds":\
      ["\(Sample.id(2) as NotificationID)","\(Sample.id(1) as NotificationID)"],\
      "seen":12,"seenEach":[12,9],"seenOccurrences":[null,"3"]}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(7), target: .matching(Predicate(), through: SequenceNumber(5)),
        mutation: .delete, occurrences: .through(Sample.time(0))),
      """
      {"delete":true,"id":"\(Sample.id(7) as OperationID)","matching":{"predicate":{},\
      "throughSequence":5,"throughTime":"\(Sample.time(0))"}}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(7), target: .matching(Predicate(), through: SequenceNumber(5)),
        mutation: .delete, occurrences: .through(Sample.time(0), utcOffset: -18_000)),
      """
      {"delete":true,"id":"\(Sample.id(7) as OperationID)","matching":{"predicate":{},\
      "throughSequence":5,"throughTime":"\(Sample.time(0))","throughTimeOffset":-18000}}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(8), target: .setBy(Sample.id(7)), mutation: .restorePrevious),
      """
      {"id":"\(Sample.id(8) as OperationID)","matching":{"setBy":"\(Sample.id(7) as OperationID)"},\
      "restore":true}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(9), target: .app("nas.home"), mutation: .configure(Sample.change)),
      """
      {"configure":{"displayName":null,"mute":"until","mutedUntilDateTime":\
      "2026-11-21T06:10:00.000Z"},"id":"\(Sample.id(9) as OperationID)","targetHostName":"nas.home"}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(10), target: .rule(Sample.id(1)),
        mutation: .changeRule(
          RuleChange(definition: definition, order: .first, isEnabled: false)),
        expect: Sample.id(7)),
      """
      {"changeRule":{"definition":{"actions":{"silent":true},"name":"builds",\
      "terms":[{"field":"app","values":["ci"]}]},"isEnabled":false,"order":"n"},\
      "expect":{"setBy":"\(Sample.id(7) as OperationID)"},\
      "id":"\(Sample.id(10) as OperationID)","ruleId":"\(Sample.id(1) as RuleID)"}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(11), target: .rule(Sample.id(1)), mutation: .changeRule(.removal)),
      """
      {"changeRule":{"remove":true},"id":"\(Sample.id(11) as OperationID)",\
      "ruleId":"\(Sample.id(1) as RuleID)"}
      """
    ),
    (
      BellhopModel.Operation(
        id: Sample.id(12), target: .matchingRule(reference, through: SequenceNumber(900)),
        mutation: .applyRule(at: Sample.time(60)),
        occurrences: .through(Sample.time(0), utcOffset: 7200)),
      """
      {"applyRule":{"dateTime":"\(Sample.time(60))"},"id":"\(Sample.id(12) as OperationID)",\
      "matching":{"definition":{"actions":{"silent":true},"name":"builds",\
      "terms":[{"field":"app","values":["ci"]}]},"revision":"\(Sample.id(7) as OperationID)",\
      "rule":"\(Sample.id(1) as RuleID)","throughSequence":900,\
      "throughTime":"\(Sample.time(0))","throughTimeOffset":7200}}
      """
    ),
  ]

  private static let definition = RuleDefinition(
    name: "builds", condition: RuleCondition([.init(.app([ListFilter.NamePattern("ci")]))]),
    actions: RuleSetTests.actions { $0.isSilent = true })
  private static let reference = RuleReference(
    id: Sample.id(1), revision: Sample.id(7), definition: definition)

  @Test("an operation's JSON is that of the operations endpoint", arguments: coded)
  func coding(operation: BellhopModel.Operation, json: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    #expect(String(decoding: try encoder.encode(operation), as: UTF8.self) == json)
    let decoded = try JSONDecoder().decode(BellhopModel.Operation.self, from: Data(json.utf8))
    #expect(decoded == operation)
  }

  @Test(
    "an operation without a change, with two or with half of one is refused",
    arguments: [
      "{}", #""set":{}"#, #""set":{"userActionState":"snoozed"}"#,
      #""set":{"readState":"read"},"delete":true"#, #""set":{"readState":"toggle"}"#,
      #""configure":{"mute":"off"}"#, #""targetHostName":"nas","configure":{"mute":"off"}"#,
      #""changeRule":{"isEnabled":true}"#,
      #""delete":true,"seenEach":[5]"#, #""delete":true,"seenOccurrences":["3"]"#,
      #""delete":true,"seenOccurrence":"yesterday""#,
    ])
  func badCoding(_ rest: String) {
    let json = """
      {"id":"\(Sample.id(1) as OperationID)","notificationId":"\(Sample.id(1) as NotificationID)",\
      \(rest)}
      """
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(BellhopModel.Operation.self, from: Data(json.utf8))
    }
  }

  @Test(
    "an offset from UTC belongs to a time, and is at most 16 hours",
    arguments: [
      (#""throughTime":"2026-11-21T06:10:00.000Z","throughTimeOffset":50400"#, true),
      (#""throughTime":"2026-11-21T06:10:00.000Z","throughTimeOffset":172800"#, false),
      (
        #""throughTime":"2026-11-21T06:10:00.000Z","throughTimeOffset":-9223372036854775808"#, false
      ),
      (#""throughTimeOffset":60"#, false),
    ])
  func offsets(rest: String, isRight: Bool) {
    let json = """
      {"id":"\(Sample.id(1) as OperationID)","delete":true,\
      "matching":{"predicate":{},"throughSequence":5,\(rest)}}
      """
    let operation = try? JSONDecoder().decode(
      BellhopModel.Operation.self, from: Data(json.utf8))
    #expect((operation != nil) == isRight)
  }

  @Test(
    "a change of settings names an app and something to set, and nothing else",
    arguments: [
      #""configure":{}"#, #""delete":true"#, #""set":{"readState":"read"}"#,
      #""configure":{"mute":"off"},"seen":3"#, #""configure":{"mute":"loud"}"#,
    ])
  func badSettings(_ rest: String) {
    let json = """
      {"id":"\(Sample.id(1) as OperationID)","targetHostName":"nas",\(rest)}
      """
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(BellhopModel.Operation.self, from: Data(json.utf8))
    }
  }

  @Test(
    "a change of a rule names the rule and something to change, and nothing else but a revision",
    arguments: [
      #""changeRule":{}"#, #""delete":true"#, #""changeRule":{"remove":true,"isEnabled":true}"#,
      #""changeRule":{"isEnabled":true},"seen":3"#,
      #""changeRule":{"isEnabled":true},"delete":true"#,
      #""changeRule":{"isEnabled":true},"targetHostName":"nas""#, #""changeRule":{"order":"a"}"#,
    ])
  func badRuleChange(_ rest: String) {
    let json = """
      {"id":"\(Sample.id(1) as OperationID)","ruleId":"\(Sample.id(1) as RuleID)",\(rest)}
      """
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(BellhopModel.Operation.self, from: Data(json.utf8))
    }
  }

  @Test(
    "a rule is applied to all that it matches, with its revision and definition, and nothing else",
    arguments: [
      (#""applyRule":{"dateTime":"2026-11-21T06:10:00Z"}"#, rule, true),
      (#""applyRule":{}"#, rule, false), (#""delete":true"#, rule, false),
      (#""set":{"readState":"read"}"#, rule, false),
      (#""applyRule":{"dateTime":"2026-11-21T06:10:00Z"},"delete":true"#, rule, false),
      (#""applyRule":{"dateTime":"2026-11-21T06:10:00Z"},"seen":3"#, rule, false),
      (
        #""applyRule":{"dateTime":"2026-11-21T06:10:00Z"},"changeRule":{"isEnabled":true}"#, rule,
        false
      ),
      (#""applyRule":{"dateTime":"2026-11-21T06:10:00Z"}"#, #""predicate":{}"#, false),
      (#""applyRule":{"dateTime":"2026-11-21T06:10:00Z"}"#, rule + #","predicate":{}"#, false),
      (
        #""applyRule":{"dateTime":"2026-11-21T06:10:00Z"}"#,
        #""rule":"\#(Sample.id(1) as RuleID)","revision":"\#(Sample.id(7) as OperationID)""#, false
      ),
    ])
  func ruleApplication(rest: String, matching: String, isRight: Bool) {
    let json = """
      {"id":"\(Sample.id(1) as OperationID)",\
      "matching":{\(matching),"throughSequence":5},\(rest)}
      """
    let operation = try? JSONDecoder().decode(
      BellhopModel.Operation.self, from: Data(json.utf8))
    #expect((operation != nil) == isRight)
  }

  /// The members of `matching` for a rule.
  private static let rule = #"""
    "rule":"\#(Sample.id(1) as RuleID)","revision":"\#(Sample.id(7) as OperationID)",\#
    "definition":{"name":"builds","terms":[{"field":"app","values":["ci"]}],\#
    "actions":{"silent":true}}
    """#
}
