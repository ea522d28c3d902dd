/// The rules of a user that are enabled, which decide about a publication together.
///
/// Store, preview and tests of rules call the same function, and so have the same result.
package struct RuleSet: Sendable {
  /// The rules in the order in which they act.
  package let rules: [Rule]
  /// Whether a rule names a time of day, which may be one in the zone of its user.
  package let namesTimes: Bool

  /// The most rules of a user.
  package static let rulesMax = 200

  /// Creates a set of rules, of which those that are disabled are left out.
  package init(_ rules: some Sequence<Rule>) {
    let ordered =
      Mutant.ruleOrderIgnored.isOn ? rules.sorted { $0.id < $1.id } : rules.inOrder()
    let enabled = ordered.filter(\.isEnabled)
    self.rules = enabled
    namesTimes = enabled.contains(where: \.definition.actions.namesTime)
  }

  /// Returns what the rules do with content that is published at `now`.
  ///
  /// All searches share one budget. A rule whose search is given up does not act, and is named in the
  /// effect; rules after it that need no search still do.
  ///
  /// - Parameter clock: The user's time zones.
  package func outcome(
    for content: Content, at now: Timestamp, on clock: WallClock
  ) -> RuleOutcome {
    var outcome = RuleOutcome()
    var budget = RegularExpression.StepBudget()
    let subject = RuleSubject(content)
    for rule in rules {
      switch rule.definition.condition.matches(subject, budget: &budget) {
      case .match:
        outcome.add(rule.definition, of: rule.mark, to: content, at: now, on: clock)
        if rule.definition.actions.stops, !Mutant.stopIgnored.isOn { return outcome }
      case .noMatch: break
      case .givenUp: outcome.effect.noteExhausted(rule.mark)
      }
    }
    return outcome
  }
}

/// The result of rules for one publication: what they set, and which rule sets it.
///
/// The last of several rules that set the same value counts.
package struct RuleOutcome: Hashable, Sendable {
  /// A state of the user's handling, with the rule that sets it.
  package struct Action: Hashable, Sendable {
    package var value: UserActionState
    package var rule: RuleMark
  }

  package var effect: AppliedEffect
  /// The rule that marks the item as read; nil for none.
  package var readRule: RuleMark?
  /// The dismissal or the snooze; nil for none.
  package var action: Action?
  /// The rule that pins the item; nil for none.
  package var pinRule: RuleMark?
  /// The way in which the publication joins an equal item; nil if no rule says so.
  package var collapse: RepeatKey?
  /// The rules that act, in their order.
  package var matched: [RuleMark] = []

  /// Creates the result of no rule, for an item on which rules had an effect before.
  package init(effect: AppliedEffect = .empty) { self.effect = effect }

  /// The rule that contributed last to ``effect``, or that was given up first; nil for none.
  package var effectRule: RuleMark? { effect.rules.last?.rule ?? effect.exhausted.first }

  /// Adds what a rule does with content that meets its condition.
  ///
  /// A snooze that would end after the item expires is left out, unless a rule so far pins the item. The
  /// other parameters are those of ``RuleSet/outcome(for:at:on:)``.
  package mutating func add(
    _ definition: RuleDefinition, of rule: RuleMark, to content: Content, at now: Timestamp,
    on clock: WallClock
  ) {
    let actions = definition.actions
    matched.append(rule)
    effect.add(actions, of: rule, to: content)
    if actions.marksRead { readRule = rule }
    if actions.pins { pinRule = rule }
    if let key = actions.collapse { collapse = key }
    if actions.dismisses {
      action = Action(value: .dismissed, rule: rule)
    } else if let snooze = actions.snooze {
      let end = snooze.end(after: now, in: definition.timeZone, on: clock)
      let expires = pinRule == nil ? content.expiration : nil
      if expires.map({ end <= $0 }) ?? true {
        action = Action(value: .snoozed(until: end), rule: rule)
      }
    }
  }
}
