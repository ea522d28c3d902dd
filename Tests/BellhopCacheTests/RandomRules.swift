import BellhopModel

/// Returns an operation that applies a rule of one or two terms, with some actions.
func makeApplication(
  _ number: Int64, through: Int64, at now: Timestamp, using numbers: inout SeededNumbers
) -> BellhopModel.Operation {
  let terms = (0...Int.random(in: 0...1, using: &numbers)).map { _ in
    RuleCondition.Term(
      makeTest(using: &numbers), isNegated: Int.random(in: 0..<3, using: &numbers) == 0)
  }
  let rule = RuleReference(
    id: ruleID(1), revision: operationID(7003),
    definition: RuleDefinition(
      name: "applied \(number)", condition: RuleCondition(terms),
      actions: makeActions(using: &numbers)))
  return BellhopModel.Operation(
    id: operationID(number), applying: rule, through: SequenceNumber(through), at: now)
}

private func makeTest(using numbers: inout SeededNumbers) -> RuleCondition.Test {
  func names(_ patterns: String...) -> [ListFilter.NamePattern] {
    patterns.map { ListFilter.NamePattern($0) }
  }
  var tests: [RuleCondition.Test] = [
    .app(names("CI", "s*")), .app(names("*")), .group(names("A")), .group(names("*")),
    .level(.atLeast, .normal), .level(.below, .high), .tag(names("One")), .tag(names("two\nl*")),
  ]
  if let phrase = RuleCondition.Phrase("ITEM") { tests.append(.phrase(phrase)) }
  if let expression = try? RegularExpression("^w|备份") {
    tests.append(.pattern(.title, expression))
  }
  return tests.randomElement(using: &numbers) ?? tests[0]
}

private func makeActions(using numbers: inout SeededNumbers) -> RuleActions {
  var actions = RuleActions()
  actions.level = [nil, .low, .urgent].randomElement(using: &numbers) ?? nil
  actions.app = [nil, "shop", "moved"].randomElement(using: &numbers) ?? nil
  actions.group = [nil, nil, "b"].randomElement(using: &numbers) ?? nil
  actions.tags = Bool.random(using: &numbers) ? [] : ["one", "rule"]
  actions.marksRead = Bool.random(using: &numbers)
  actions.pins = Int.random(in: 0..<4, using: &numbers) == 0
  actions.dismisses = Int.random(in: 0..<3, using: &numbers) == 0
  let snoozes: [RuleSnooze?] = [
    nil, .for(.seconds(1000)), LocalTime("18:00").map { RuleSnooze.until($0) },
  ]
  actions.snooze = snoozes.randomElement(using: &numbers) ?? nil
  // A rule without an action has no coded form.
  actions.isSilent = actions.isEmpty || Bool.random(using: &numbers)
  return actions
}
