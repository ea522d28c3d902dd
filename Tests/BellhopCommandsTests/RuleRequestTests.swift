import BellhopClient
import BellhopInbox
import BellhopModel
import BellhopText
import Testing

@testable import BellhopCommands

@Suite("Rules from options")
struct RuleRequestTests {
  /// A request that is complete but for the changes.
  private static func request(_ change: (inout RuleRequest) -> Void) -> RuleRequest {
    var request = RuleRequest()
    request.condition = "app:ci"
    change(&request)
    return request
  }

  private static func definition(
    _ name: String = "builds", _ change: (inout RuleRequest) -> Void
  ) throws -> RuleDefinition {
    try request(change).definition(named: name, appNames: [:])
  }

  @Test("each option is an action of the rule")
  func actions() throws {
    let made = try Self.definition {
      $0.condition = "title~/(?i)passed/ app:ci"
      ($0.level, $0.isSilent, $0.marksRead, $0.dismisses) = ("low", true, true, true)
      ($0.snoozeEnd, $0.timeZone, $0.pins) = ("18:00", "Europe/Berlin", true)
      ($0.tags, $0.group, $0.app) = (["a", "b"], "g", "noise")
      ($0.collapse, $0.stops) = ("ignoring-numbers", true)
    }
    #expect(made.name == "builds" && made.timeZone == "Europe/Berlin")
    #expect(made.condition.phrase == "title~/(?i)passed/ app:ci")
    #expect(
      made.actions.phrase
        == "level low, silent, tag a, tag b, group g, move to noise, read, dismiss, until 18:00, "
        + "pin, collapse ignoring numbers, stop")
    #expect(try Self.definition { $0.snoozeSpan = "90m" }.actions.snooze == .for(.seconds(5400)))
  }

  @Test("the name that the user gave an app stands for the app")
  func appNames() throws {
    var request = RuleRequest()
    (request.condition, request.isSilent) = ("app:builds", true)
    let made = try request.definition(named: "x", appNames: ["ci.example.com": "Builds"])
    #expect(made.condition.phrase == "app:builds,ci.example.com")
  }

  @Test("an edit changes the given parts, and takes out those of --without")
  func edits() throws {
    let old = try Self.definition {
      ($0.level, $0.tags, $0.snoozeEnd, $0.timeZone) = ("low", ["a"], "18:00", "Europe/Berlin")
    }
    var request = RuleRequest()
    request.isSilent = true
    request.newName = "night"
    var new = try request.applied(to: old, appNames: [:])
    #expect(new.name == "night" && new.condition == old.condition)
    #expect(new.actions.phrase == "level low, silent, tag a, until 18:00")
    #expect(new.timeZone == "Europe/Berlin")
    request.removedActions = ["level", "snooze", "tags"]
    new = try request.applied(to: old, appNames: [:])
    #expect(new.actions.phrase == "silent" && new.timeZone == nil)
  }

  @Test("every action of a file can be taken out")
  func removedActions() throws {
    let entry = "[[rule]]\nname = \"a\"\nwhen = 'app:ci'\n"
    let error = #expect(throws: ClientError.self) {
      try RuleFile.entries(entry, path: "rules.toml")
    }
    for action in RuleActionName.allCases {
      #expect(error?.what.contains(action.rawValue) == true, "\(action)")
    }
    var actions = try Self.definition {
      ($0.level, $0.isSilent, $0.marksRead, $0.dismisses) = ("low", true, true, true)
      ($0.snoozeSpan, $0.pins, $0.tags, $0.group) = ("2h", true, ["a"], "g")
      ($0.app, $0.collapse, $0.stops) = ("noise", "exact", true)
    }.actions
    for action in RuleActionName.allCases { action.remove(from: &actions) }
    #expect(actions.isEmpty)
  }

  @Test("a mistake is a usage error that names the accepted form")
  func mistakes() {
    let mistakes: [((inout RuleRequest) -> Void, String)] = [
      ({ _ in }, "--level, --silent, --read"),
      ({ $0.level = "loud" }, "Use min, low, normal, high or urgent."),
      ({ $0.snoozeSpan = "soon" }, "such as 15m or 2h"),
      ({ $0.snoozeSpan = "366d" }, "at most 365 days"),
      ({ $0.snoozeEnd = "25:00" }, "such as 18:00"),
      ({ ($0.snoozeEnd, $0.snoozeSpan) = ("18:00", "2h") }, "Nothing was changed."),
      ({ ($0.isSilent, $0.timeZone) = (true, "Europe/Berlin") }, "Nothing was changed."),
      ({ ($0.snoozeEnd, $0.timeZone) = ("18:00", "Mars") }, "such as Europe/Berlin"),
      ({ $0.tags = [""] }, "Nothing was changed."),
      ({ $0.app = "no app" }, "such as noise"),
      ({ $0.group = "" }, "--without group"),
      ({ $0.collapse = "all" }, "Use exact or ignoring-numbers."),
      ({ $0.removedActions = ["sound"] }, "Use level, silent, read"),
      ({ ($0.isSilent, $0.condition) = (true, "is:read") }, "Nothing was changed."),
      ({ ($0.isSilent, $0.condition) = (true, nil) }, "--when 'app:ci"),
    ]
    for (change, form) in mistakes {
      let error = #expect(throws: ClientError.self) { try Self.definition("x", change) }
      #expect(error?.exitCode == .usage)
      #expect(error?.next?.contains(form) == true, "\(String(describing: error))")
    }
  }

  @Test("the name of a rule is one line that is not blank", arguments: ["", " ", "a\nb"])
  func names(_ name: String) {
    let error = #expect(throws: ClientError.self) {
      try Self.definition(name) { $0.isSilent = true }
    }
    #expect(error?.next?.contains("1 to 64 bytes in one line") == true)
  }

  @Test("a condition that is not valid is marked at the problem")
  func marked() {
    let error = #expect(throws: ClientError.self) {
      try Self.definition { $0.condition = "app:ci level:soon" }
    }
    #expect(error?.what.contains("\n  app:ci level:soon\n               ^") == true)
  }
}

@Suite("Rules tested with items")
struct RuleVerdictTests {
  private static let content = Content(
    app: "ci", tags: ["build"], visual: VisualContent(title: "build 412 passed"))

  private static func rule(
    _ name: String, when condition: String, _ change: (inout RuleActions) -> Void
  ) throws -> Rule {
    var actions = RuleActions()
    change(&actions)
    return Rule(
      id: RuleID(high: 5, low: UInt64(name.utf8.count)),
      definition: RuleDefinition(
        name: name, condition: try RulePhrase().condition(condition).get(), actions: actions),
      order: try #require(RuleOrder(rawValue: name)), revision: OperationID(high: 1, low: 1))
  }

  private static func lines(_ rules: Rule...) -> [String] {
    RuleText.verdict(of: rules, on: content, at: Timestamp(seconds: 1_800_000_000), clock: .utc)
  }

  @Test("each rule that matches is named with its actions, and all of them together")
  func matches() throws {
    let first = try Self.rule("b", when: "app:ci title~/passed/") { $0.level = .low }
    let second = try Self.rule("bb", when: "tag:build") { ($0.level, $0.dismisses) = (.min, true) }
    let other = try Self.rule("bbb", when: "app:nas") { $0.pins = true }
    #expect(Self.lines(first, other) == ["b: level low"])
    #expect(
      Self.lines(second, first, other) == [
        "b: level low", "bb: level min, dismiss", "together: level min, dismiss",
      ])
    #expect(Self.lines(other) == ["no rule matches"])
  }

  @Test("a condition matches or not")
  func conditions() throws {
    func verdict(_ text: String) throws -> String {
      RuleText.verdict(of: try RulePhrase().condition(text).get(), on: Self.content)
    }
    #expect(try verdict("app:ci passed") == "matches")
    #expect(try verdict("app:ci -passed") == "does not match")
  }

  @Test("a line has name, matches, condition and actions, and says if the rule acts and was sent")
  func listed() throws {
    var rule = try Self.rule("bb", when: "app:ci") { ($0.isSilent, $0.stops) = (true, true) }
    #expect(
      ListedRule(rule: rule, position: 1, matches: 1_240).line(width: nil).string
        == "1   bb                        1,240 in 30d  app:ci → silent, stop")
    rule.isEnabled = false
    let line = ListedRule(rule: rule, position: 12, matches: 0, isWaiting: true)
      .line(width: nil).string
    #expect(line.hasPrefix("12  bb ") && line.hasSuffix(" · disabled · not sent yet"))
    #expect(ListedRule(rule: rule, position: 1, matches: 0).line(width: 20).width <= 20)
  }
}
