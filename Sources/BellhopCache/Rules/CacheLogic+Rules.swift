import BellhopModel

/// The rules of a user in base.
extension CacheLogic {
  /// Stores a rule, unless base already has this row or a later one in this generation.
  func applyRule(_ rule: Rule, _ state: SyncState, _ outcome: inout ApplyOutcome) throws {
    if let known = try transaction.rule(rule.id), known.generation == state.generation,
      rule.sequence <= known.rule.sequence
    {
      return
    }
    try transaction.put(rule, generation: state.generation)
    outcome.changedRules = true
  }

  /// Removes the rules that the ended rebuild did not bring again.
  func removeOldRules(_ state: SyncState, _ outcome: inout ApplyOutcome) throws {
    if try transaction.rules().contains(where: { $0.generation < state.generation }) {
      outcome.changedRules = true
    }
    try transaction.removeRules(olderThan: state.generation)
  }
}
