extension RuleSet {
  /// The part that a further rule, after those of the set, would have in a publication.
  package enum Reach: Hashable, Sendable {
    /// The rule would act.
    case acts
    /// The content meets its condition, but an earlier rule stops.
    case stopped
    /// The content does not meet its condition, or its searches are given up.
    case noMatch
  }

  /// Returns whether a rule with the condition would act on published content after these rules.
  ///
  /// The result is that of ``outcome(for:at:on:)`` for a set with the rule as its last one. Earlier rules
  /// are evaluated only if the content meets the condition with a budget of its own.
  package func reach(of condition: RuleCondition, for content: Content) -> Reach {
    let subject = RuleSubject(content)
    var whole = RegularExpression.StepBudget()
    guard condition.matches(subject, budget: &whole) == .match else { return .noMatch }
    guard !rules.isEmpty else { return .acts }
    var shared = RegularExpression.StepBudget()
    for rule in rules {
      let outcome = rule.definition.condition.matches(subject, budget: &shared)
      if outcome == .match, rule.definition.actions.stops { return .stopped }
    }
    // The searches of the earlier rules may have left too few steps.
    return condition.matches(subject, budget: &shared) == .match ? .acts : .noMatch
  }
}

extension [RuleCondition] {
  /// Returns the indices of the conditions that published content meets.
  ///
  /// Each condition has all steps of an item for itself, as in ``RuleCondition/isMet(by:)``.
  package func indices(metBy content: Content) -> [Int] {
    let subject = RuleSubject(content)
    return indices.filter { index in
      var budget = RegularExpression.StepBudget()
      return self[index].matches(subject, budget: &budget) == .match
    }
  }
}

extension RuleCondition {
  /// The parts of the visual content that the condition searches.
  package var searchedParts: Set<Part> {
    var parts: Set<Part> = []
    for term in terms {
      switch term.test {
      case .app, .group, .tag, .level: continue
      case .pattern(let part, _): parts.insert(part)
      case .phrase: parts.formUnion(Part.allCases)
      }
    }
    return parts
  }
}
