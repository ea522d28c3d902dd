import BellhopModel

/// Returns an effect of rules on an item, which may equal what is published.
func makeEffect(using numbers: inout SeededNumbers) -> AppliedEffect {
  var effect = AppliedEffect()
  effect.app = [nil, "ci", "shop"].randomElement(using: &numbers) ?? nil
  effect.group = [nil, nil, "b", "none"].randomElement(using: &numbers) ?? nil
  effect.level = [nil, .normal, .urgent].randomElement(using: &numbers) ?? nil
  effect.tags = Bool.random(using: &numbers) ? [] : ["one", "rule\nx"]
  effect.isSilent = Bool.random(using: &numbers)
  return effect
}

/// Lets a rule act on one of three items.
func makeEffect(_ item: inout UserNotification, using numbers: inout SeededNumbers) {
  guard Int.random(in: 0..<3, using: &numbers) == 0 else { return }
  item.state.applied = item.state.applied.setting(
    makeEffect(using: &numbers), change: makeRuleChange(at: item.arrival))
}

/// Returns a change of a register by a rule.
func makeRuleChange(at time: Timestamp) -> RegisterChange {
  let rule = RuleMark(
    id: RuleID(high: 7, low: 1), revision: operationID(7001), name: "passed builds")
  return RegisterChange(at: time, by: Author(rule: rule), operation: operationID(7002))
}
