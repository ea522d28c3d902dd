internal import BellhopModel

extension StoreLogic {
  /// Returns what the rules of the user do with a publication (SYNC-18). Reads only.
  ///
  /// - Parameter content: the content with the expiration with which it is stored.
  func ruleOutcome(
    for content: Content, ledger: CounterUpdates, at now: Timestamp, in state: any StoreReading
  ) throws -> RuleOutcome {
    guard let rules = try ruleSet(ledger, in: state) else { return RuleOutcome() }
    let clock =
      rules.namesTimes ? try wallClock(of: ledger.user, in: state) : environment.wallClock
    return rules.outcome(for: content, at: now, on: clock)
  }

  /// Sets the registers of an item that was just published as the rules decided.
  ///
  /// The effect on how the item is listed is set again with each content, unless a user changed it:
  /// then it stays until rules act in full again. Rules neither pin nor handle an item without visual
  /// content, which its user never sees. They do not mark, dismiss or snooze an item with a trigger:
  /// these states count for one occurrence, and there was none yet.
  ///
  /// - Parameters:
  ///   - item: the item with its new content sequence.
  ///   - runsAll: whether rules also pin, mark, dismiss and snooze. They do not if the publication
  ///     leaves the item in its place.
  func applyRules(
    _ outcome: RuleOutcome, to item: inout UserNotification, runsAll: Bool, at now: Timestamp
  ) {
    let runsAll = runsAll || Mutant.quietRunsAll.isOn
    let isOfDevice = item.state.applied.change?.by.kind == .device
    if runsAll || !isOfDevice || Mutant.effectOverridesUser.isOn {
      item.set(StateChange(applied: outcome.effect), by: outcome.effectRule, at: now)
    }
    if Mutant.ruleRewritesContent.isOn {
      item.content.priority = item.effectivePriority
      item.content.group = item.effectiveGroup
      item.content.tags = item.effectiveTags
    }
    guard runsAll, item.content.visual != nil else { return }
    if let rule = outcome.pinRule { item.set(StateChange(pinned: true), by: rule, at: now) }
    guard item.content.trigger == nil else { return }
    if let rule = outcome.readRule { item.set(StateChange(readState: .read), by: rule, at: now) }
    if let action = outcome.action {
      item.set(StateChange(userActionState: action.value), by: action.rule, at: now)
    }
  }
}

extension UserNotification {
  /// Sets registers for a rule, or for the publisher if its new content ends the effect of all rules.
  fileprivate mutating func set(_ change: StateChange, by rule: RuleMark?, at now: Timestamp) {
    var provenance = RegisterChange(
      at: now, by: Author(kind: .publisher, id: content.app, name: content.app), operation: nil)
    if let rule {
      provenance.by = Author(rule: rule)
      provenance.operation = OperationID(of: rule, on: id, content: state.contentSequence)
    }
    for register in ItemRegister.all where register.isSet(change) {
      _ = register.set(change, provenance, &state.registers)
    }
  }
}
