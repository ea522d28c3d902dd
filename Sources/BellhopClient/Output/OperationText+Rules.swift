internal import BellhopCache
internal import BellhopModel

extension OperationText {
  /// Returns the words for a rule: its name, or the first digits of its id if the operation has none.
  ///
  /// - Parameter hidesTexts: Whether to leave out the name.
  static func name(
    of rule: RuleID, changedBy operation: BellhopModel.Operation, hidesTexts: Bool
  ) -> String {
    guard !hidesTexts, case .changeRule(let change) = operation.mutation,
      let name = change.definition?.name
    else { return String(rule.description.prefix(8)) }
    return "“\(name)”"
  }

  /// Returns the verb for a change of a rule; nil for another operation.
  static func ruleVerb(_ operation: BellhopModel.Operation) -> String? {
    guard case .changeRule(let change) = operation.mutation else { return nil }
    return change.isRemoved ? "remove rule" : "rule"
  }
}

extension OutcomeText {
  /// Explains why a change of a rule had no effect; nil for another operation.
  static func ruleLine(
    _ outcome: OutcomeRecord, now: Timestamp, hidesTexts: Bool
  ) -> String? {
    guard let rule = outcome.operation.rule else { return nil }
    let name = OperationText.name(
      of: rule, changedBy: outcome.operation, hidesTexts: hidesTexts)
    let what = "your change of the rule \(name) of \(MomentText.moment(outcome.madeAt, now: now))"
    switch outcome.result {
    case .superseded: return what + " did not apply: another device changed the rule first"
    case .gone: return what + " was not needed: the rule was removed"
    case .unacceptable(let fault): return what + " did not apply: " + RejectionText.words(fault)
    case .outcomeUnknown:
      return what
        + " may have been applied or not: the store no longer knows. It will not be sent again"
    case .refused, .notPublished: return what + " did not apply: the store refused it"
    case .applied, .alreadyApplied: return what + " applied"
    }
  }
}
