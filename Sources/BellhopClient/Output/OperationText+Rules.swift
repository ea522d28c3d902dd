internal import BellhopCache
internal import BellhopModel

extension OperationText {
  /// Returns the words for a rule: its name, or the first digits of its id if the operation has none.
  ///
  /// - Parameter hidesTexts: Whether to leave out the name.
  static func name(
    of rule: RuleID, in operation: BellhopModel.Operation, hidesTexts: Bool
  ) -> String {
    guard !hidesTexts, let name = operation.ruleDefinition?.name else {
      return String(rule.description.prefix(8))
    }
    return "“\(name)”"
  }

  /// Returns the verb for a change of a rule; nil for another operation.
  static func ruleVerb(_ operation: BellhopModel.Operation) -> String? {
    guard case .changeRule(let change) = operation.mutation else { return nil }
    return change.isRemoved ? "remove rule" : "rule"
  }
}

extension OutcomeText {
  /// Explains why a rule was not changed or not applied to items; nil for another operation.
  static func ruleLine(
    _ outcome: OutcomeRecord, now: Timestamp, hidesTexts: Bool
  ) -> String? {
    let operation = outcome.operation
    guard let rule = operation.rule ?? operation.appliedRule?.id else { return nil }
    let name = OperationText.name(of: rule, in: operation, hidesTexts: hidesTexts)
    let act = operation.appliedRule == nil ? "change" : "application"
    let what = "your \(act) of the rule \(name) of \(MomentText.moment(outcome.madeAt, now: now))"
    switch outcome.result {
    case .superseded where operation.appliedRule != nil:
      return what + " changed nothing: the rule was changed or removed first"
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

extension BellhopModel.Operation {
  /// The definition that the operation gives to a rule, or that it applies to items.
  fileprivate var ruleDefinition: RuleDefinition? {
    if case .changeRule(let change) = mutation { return change.definition }
    return appliedRule?.definition
  }
}
