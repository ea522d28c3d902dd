extension Operation {
  /// Creates the operation that applies a rule to the items that a device has.
  ///
  /// Its undo is ``Mutation/restorePrevious`` with ``Target/setBy(_:)``.
  ///
  /// - Parameters:
  ///   - through: The newest content sequence that the user may have been shown.
  ///   - time: The time of the user's change, by the store's clock.
  public init(
    id: OperationID, applying rule: RuleReference, through: SequenceNumber, at time: Timestamp
  ) {
    self.init(
      id: id, target: .matchingRule(rule, through: through), mutation: .applyRule(at: time),
      occurrences: .through(time))
  }

  /// The rule that the operation applies to items; nil for any other operation.
  public var appliedRule: RuleReference? {
    if case .matchingRule(let rule, _) = target { rule } else { nil }
  }

  /// Applies the rule of the operation to an item that it selects.
  ///
  /// The rule marks, dismisses and snoozes an item with a trigger for the occurrence that the user was
  /// shown, and not at all before the first one.
  func applyRule(
    to item: UserNotification, madeAt made: Timestamp, by author: Author, at time: Timestamp,
    on clock: WallClock
  ) -> OperationOutcome {
    guard let rule = appliedRule else { return .unchanged }
    let occurrence = occurrence(of: item, at: time, on: clock)
    var shown = item
    if let occurrence {
      shown.state.registers = item.state.registers.counting(for: occurrence)
    }
    // A device whose clock is ahead must not make snoozes longer.
    var change = rule.definition.stateChange(
      on: shown, mark: rule.mark, at: min(made, time), on: clockShown(or: clock))
    if occurrence == .beforeFirst { (change.readState, change.userActionState) = (nil, nil) }
    return set(change, for: occurrence, on: item, expecting: nil, by: author, at: time)
  }
}

extension RuleDefinition {
  /// Returns the registers that the rule sets on an item that is already there.
  ///
  /// It is empty if the item's content does not meet the condition, with the steps of one item for this
  /// rule alone. As at a publication, data is only listed in another way, and a snooze past the
  /// expiration is left out. An item that was opened or dismissed stays handled as it is.
  ///
  /// - Parameters:
  ///   - item: The item, with an effect of rules to which that of this one is added.
  ///   - made: The time from which a snooze counts.
  ///   - clock: The user's time zones.
  package func stateChange(
    on item: UserNotification, mark: RuleMark, at made: Timestamp, on clock: WallClock
  ) -> StateChange {
    var change = StateChange()
    guard condition.isMet(by: item.content) else { return change }
    var content = item.content
    // A pinned item does not expire.
    content.expiration = item.expires
    let effect = item.state.applied.value
    var outcome = RuleOutcome(effect: effect)
    outcome.add(self, of: mark, to: content, at: made, on: clock)
    if outcome.effect != effect { change.applied = outcome.effect }
    guard content.visual != nil else { return change }
    if outcome.readRule != nil { change.readState = .read }
    if outcome.pinRule != nil { change.pinned = true }
    switch item.state.userActionState.value {
    case .noInteraction, .snoozed: change.userActionState = outcome.action?.value
    case .activated, .dismissed: break
    }
    return change
  }
}
