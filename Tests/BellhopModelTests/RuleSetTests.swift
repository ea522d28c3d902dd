import BellhopModel
import BellhopTestSupport
import Testing

@Suite("Rules of a user")
struct RuleSetTests {
  static let published = Sample.start
  static let content = Content(
    app: "ci", group: "main", tags: ["build"], visual: VisualContent(title: "build 412 passed"))

  /// A user in UTC who also knows Berlin.
  static let clock = WallClock { instant, zone in
    switch zone {
    case nil: 0
    case "Europe/Berlin": BerlinZone.rules.offsetSeconds(instant)
    default: nil  // open: String?
    }
  }

  /// A condition that every item meets.
  static let always = RuleCondition([.init(.app([ListFilter.NamePattern("*")]))])

  static func actions(_ set: (inout RuleActions) -> Void) -> RuleActions {
    var actions = RuleActions()
    set(&actions)
    return actions
  }

  /// A rule whose name is its number.
  static func rule(
    _ number: UInt64, _ condition: RuleCondition = always, order: String = "n",
    zone: String? = nil, isEnabled: Bool = true, _ set: (inout RuleActions) -> Void
  ) throws -> Rule {
    let definition = RuleDefinition(
      name: "\(number)", condition: condition, actions: actions(set), timeZone: zone)
    return Rule(
      id: Sample.id(number), definition: definition,
      order: try #require(RuleOrder(rawValue: order)), isEnabled: isEnabled,
      revision: Sample.id(1000 + number))
  }

  static func outcome(
    _ rules: [Rule], _ content: Content = content, at now: Timestamp = published
  ) -> RuleOutcome {
    RuleSet(rules).outcome(for: content, at: now, on: clock)
  }

  // MARK: Order

  @Test("rules act in their order, and one that stops is the last")
  func order() throws {
    let rules = [
      try Self.rule(4, order: "t") { $0.level = .min },
      try Self.rule(3, order: "h") { $0.level = .low },
      try Self.rule(2, order: "h") { $0.level = .high },
      try Self.rule(1, order: "z") { $0.level = .urgent },
      try Self.rule(5, order: "b", isEnabled: false) { $0.stops = true },
    ]
    let all = Self.outcome(rules)
    #expect(all.matched.map(\.name) == ["2", "3", "4", "1"])
    #expect(all.effect.level == .urgent)
    var stopping = rules
    stopping[1].definition.actions.stops = true
    let stopped = Self.outcome(stopping)
    #expect(stopped.matched.map(\.name) == ["2", "3"])
    #expect(stopped.effect.level == .low)
    // A rule whose condition is false does not stop the others.
    stopping[1].definition.condition = RuleCondition([.init(.app([ListFilter.NamePattern("nas")]))])
    #expect(Self.outcome(stopping).matched.map(\.name) == ["2", "4", "1"])
    #expect(Self.outcome([]) == RuleOutcome())
  }

  @Test("a later rule replaces what an earlier one set, and tags add up")
  func effect() throws {
    let first = try Self.rule(1) {
      $0.level = .low
      $0.group = "builds"
      $0.tags = ["build", "old"]
    }
    let second = try Self.rule(2) {
      $0.level = .min
      $0.app = "noise"
      $0.isSilent = true
      $0.tags = ["old", "new", "new"]
    }
    let third = try Self.rule(3) { $0.app = "quiet" }
    let outcome = Self.outcome([first, second, third])
    let effect = outcome.effect
    #expect(effect.level == .min)
    #expect(effect.group == "builds")
    #expect(effect.app == "quiet")
    #expect(effect.tags == ["old", "new"])
    #expect(effect.isSilent)
    #expect(
      effect.rules == [
        .init(rule: first.mark, parts: [.groupName, .tags]),
        .init(rule: second.mark, parts: [.priority, .tags, .silent]),
        .init(rule: third.mark, parts: [.targetHostName]),
      ])
    #expect(outcome.effectRule == third.mark)
    // A rule with no part left is not named.
    let replaced = Self.outcome([third, try Self.rule(4) { $0.app = "last" }])
    #expect(replaced.effect.rules.map(\.rule.name) == ["4"])
    #expect(replaced.matched.count == 2)
  }

  @Test("a rule that acts again on an item keeps its earlier parts, and is named once")
  func again() throws {
    var rule = try Self.rule(1) {
      $0.level = .low
      $0.tags = ["old"]
    }
    var outcome = RuleOutcome(effect: Self.outcome([rule]).effect)
    outcome.add(
      rule.definition, of: rule.mark, to: Self.content, at: Self.published, on: Self.clock)
    #expect(outcome.effect == Self.outcome([rule]).effect)
    let old = rule.mark
    rule.revision = Sample.id(7)
    outcome.add(
      rule.definition, of: rule.mark, to: Self.content, at: Self.published, on: Self.clock)
    #expect(
      outcome.effect.rules == [
        .init(rule: old, parts: [.tags]), .init(rule: rule.mark, parts: [.priority]),
      ])
  }

  @Test("rules add 16 tags to an item, and the effect names at most 20 rules")
  func limits() throws {
    let tagging = try (1...30).map { number in
      try Self.rule(number) { $0.tags = ["tag \(number)"] }
    }
    let others = [
      try Self.rule(31) { $0.level = .low }, try Self.rule(32) { $0.group = "g" },
      try Self.rule(33) { $0.app = "a" }, try Self.rule(34) { $0.isSilent = true },
    ]
    let outcome = Self.outcome(tagging + others)
    #expect(outcome.effect.tags.count == AppliedEffect.tagsMax)
    #expect(outcome.effect.tags.last == "tag 16")
    #expect(outcome.effect.rules.count == AppliedEffect.rulesMax)
    #expect(AppliedEffect.tagsMax == 16 && AppliedEffect.rulesMax == 20)
    #expect(outcome.matched.count == 34)
  }

  @Test("conditions see what the publisher wrote, not what a rule made of it")
  func published() throws {
    let made = try Self.rule(1) {
      $0.app = "noise"
      $0.level = .min
      $0.group = "builds"
      $0.tags = ["seen"]
    }
    let tests: [RuleCondition.Test] = [
      .app([ListFilter.NamePattern("noise")]), .group([ListFilter.NamePattern("builds")]),
      .tag([ListFilter.NamePattern("seen")]), .level(.atMost, .min),
    ]
    for test in tests {
      let late = try Self.rule(2, RuleCondition([.init(test)])) { $0.isSilent = true }
      #expect(Self.outcome([made, late]).matched == [made.mark])
    }
    let asWritten = RuleCondition([
      .init(.app([ListFilter.NamePattern("ci")])), .init(.group([ListFilter.NamePattern("main")])),
      .init(.tag([ListFilter.NamePattern("build")])), .init(.level(.equal, .normal)),
    ])
    let late = try Self.rule(2, asWritten) { $0.isSilent = true }
    #expect(Self.outcome([made, late]).matched.count == 2)
  }

  // MARK: Registers

  @Test("each state is set by the last rule with its action")
  func states() throws {
    let first = try Self.rule(1) {
      $0.marksRead = true
      $0.pins = true
      $0.dismisses = true
      $0.collapse = .exact
    }
    let second = try Self.rule(2) {
      $0.snooze = .for(.seconds(60))
      $0.collapse = .ignoringNumbers
    }
    let outcome = Self.outcome([first, second])
    #expect(outcome.readRule == first.mark)
    #expect(outcome.pinRule == first.mark)
    #expect(outcome.action?.value == .snoozed(until: Sample.time(60)))
    #expect(outcome.action?.rule == second.mark)
    #expect(outcome.collapse == .ignoringNumbers)
    #expect(outcome.effect == .empty)
    #expect(outcome.effectRule == nil)
    let both = try Self.rule(3) {
      $0.snooze = .for(.seconds(60))
      $0.dismisses = true
    }
    #expect(Self.outcome([second, both]).action?.value == .dismissed)
    #expect(Self.outcome([second, both]).action?.rule == both.mark)
  }

  @Test("a snooze past the expiration is left out, unless a rule so far pins the item")
  func expiration() throws {
    var content = Self.content
    content.expiration = Sample.time(60)
    let short = try Self.rule(1) { $0.snooze = .for(.seconds(60)) }
    let long = try Self.rule(2) { $0.snooze = .for(.seconds(61)) }
    #expect(Self.outcome([short], content).action?.value == .snoozed(until: Sample.time(60)))
    #expect(Self.outcome([long], content).action == nil)
    #expect(Self.outcome([short, long], content).action?.rule == short.mark)
    let pin = try Self.rule(0) { $0.pins = true }
    #expect(Self.outcome([pin, long], content).action?.rule == long.mark)
    let late = try Self.rule(3) { $0.pins = true }
    #expect(Self.outcome([long, late], content).action == nil)
    let itself = try Self.rule(4) {
      $0.pins = true
      $0.snooze = .for(.seconds(61))
    }
    #expect(Self.outcome([itself], content).action?.rule == itself.mark)
  }

  @Test(
    "18:00 is that of the rule's zone, also on the day the clocks change",
    arguments: [
      ("18:00", "Europe/Berlin", "2026-11-21T06:00:00Z", "2026-11-21T17:00:00Z"),
      ("18:00", "Europe/Berlin", "2026-11-21T16:59:59Z", "2026-11-21T17:00:00Z"),
      ("18:00", "Europe/Berlin", "2026-11-21T17:00:00Z", "2026-11-22T17:00:00Z"),
      ("18:00", "Europe/Berlin", "2026-03-28T17:30:00Z", "2026-03-29T16:00:00Z"),
      ("18:00", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T17:00:00Z"),
      ("00:30", "Europe/Berlin", "2026-11-21T22:30:00Z", "2026-11-21T23:30:00Z"),
      // A time that does not exist, and one that comes twice.
      ("02:30", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z"),
      ("02:30", "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"),
      ("02:30", "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z"),
      ("02:30", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"),
      ("02:30", "Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"),
      // The user's own zone, without a zone and for one that is not known.
      ("18:00", nil, "2026-11-21T06:00:00Z", "2026-11-21T18:00:00Z"),
      ("18:00", "Mars/Olympus", "2026-11-21T06:00:00Z", "2026-11-21T18:00:00Z"),
    ] as [(String, String?, String, String)])
  func wallClock(time: String, zone: String?, now: String, end: String) throws {
    let until = try #require(LocalTime(time))
    let rule = try Self.rule(1, zone: zone) { $0.snooze = .until(until) }
    let outcome = Self.outcome([rule], at: try #require(Timestamp(now)))
    #expect(outcome.action?.value == .snoozed(until: try #require(Timestamp(end))))
  }

  // MARK: Steps

  @Test("beyond the limit of steps a rule does not match, and is named")
  func exhausted() throws {
    var content = Self.content
    content.visual?.body = String(repeating: "a", count: 100_000)
    func searching(_ number: UInt64, _ terms: [RuleCondition.Term] = []) throws -> Rule {
      let term = RuleCondition.Term(
        .pattern(.body, try RegularExpression("b")), isNegated: number.isMultiple(of: 2))
      return try Self.rule(number, RuleCondition([term] + terms)) { $0.level = .low }
    }
    let other = RuleCondition.Term(.app([ListFilter.NamePattern("nas")]))
    let rules = [
      try Self.rule(1) { $0.group = "before" }, try searching(2), try searching(3),
      try searching(4, [other]), try Self.rule(5) { $0.tags = ["after"] },
    ]
    let outcome = Self.outcome(rules, content)
    #expect(outcome.matched.map(\.name) == ["1", "5"])
    #expect(outcome.effect.exhausted == [rules[1].mark, rules[2].mark])
    #expect(outcome.effect.level == nil)
    #expect(outcome.effectRule == rules[4].mark)
    let many = try (1...20).map { try searching($0) }
    let limited = Self.outcome(many, content)
    #expect(limited.effect.exhausted.map(\.name) == (1...8).map(String.init))
    #expect(AppliedEffect.exhaustedMax == 8)
    #expect(limited.effectRule == many[0].mark)
    // A rule that acts later on such an item is not named any more.
    var later = RuleOutcome(effect: limited.effect)
    later.add(many[2].definition, of: many[2].mark, to: content, at: Self.published, on: Self.clock)
    #expect(later.effect.exhausted.map(\.name) == ["1", "2", "4", "5", "6", "7", "8"])
  }

  // MARK: Ids

  @Test("the id of a rule's change is the same again, and another for other content")
  func operations() throws {
    let rule = try #require(RuleID("0198c0de-0000-7000-8000-000000000001"))
    let revision = try #require(OperationID("0198c0de-0000-7000-8000-00000000000a"))
    let item = try #require(NotificationID("0198c0de-0000-7000-8000-0000000000aa"))
    let mark = RuleMark(id: rule, revision: revision, name: "passed builds")
    let id = OperationID(of: mark, on: item, content: SequenceNumber(40))
    // Computed by another program. It is stored, so a later version must find the same.
    #expect(id.description == "b13226aa-7b97-8005-8f11-1d275eb4cf3c")
    let renamed = RuleMark(id: rule, revision: revision, name: "x")
    #expect(OperationID(of: renamed, on: item, content: SequenceNumber(40)) == id)
    let otherRule = RuleMark(id: RuleID(sameAs: revision), revision: revision, name: "")
    let otherRevision = RuleMark(id: rule, revision: OperationID(sameAs: rule), name: "")
    let others = [
      OperationID(of: mark, on: item, content: SequenceNumber(41)),
      OperationID(of: mark, on: NotificationID(sameAs: rule), content: SequenceNumber(40)),
      OperationID(of: otherRule, on: item, content: SequenceNumber(40)),
      OperationID(of: otherRevision, on: item, content: SequenceNumber(40)),
    ]
    #expect(Set(others + [id]).count == 5)
    for id in others {
      #expect(id.high >> 12 & 0xf == 8)
      #expect(id.low >> 62 == 2)
    }
  }
}
