internal import BellhopModel

extension StoreLogic {
  /// Returns a bulk operation as the store carries it out; nil if its rule has changed (SYNC-18).
  ///
  /// An operation that applies a rule names the revision that its user confirmed. While the store has
  /// that revision, the work begins with the store's definition of it. From then on it keeps this
  /// definition, whatever becomes of the rule, so that the rule acts on all items alike. The rule may be
  /// disabled.
  ///
  /// - Parameter work: the work so far; nil before the first chunk.
  func carriedOut(
    _ operation: Operation, after work: BulkWork?, of user: UserID, in state: any StoreReading
  ) throws -> Operation? {
    guard case .matchingRule(let confirmed, let through) = operation.target else {
      return operation
    }
    if let work { return work.operation }
    let rule = try state.storedRule(confirmed.id, of: user)?.rule
    guard rule?.revision == confirmed.revision || Mutant.bulkRuleStale.isOn else { return nil }
    var carried = operation
    carried.target = .matchingRule(rule.map(RuleReference.init) ?? confirmed, through: through)
    return carried
  }

  /// Makes the work go on with the rule as it is now, which ``Mutant/bulkRuleUnpinned`` does.
  func unpin(_ work: inout BulkWork, of user: UserID, in state: any StoreReading) throws {
    guard case .matchingRule(let begun, let through) = work.operation.target,
      let rule = try state.storedRule(begun.id, of: user)?.rule
    else { return }
    work.operation.target = .matchingRule(RuleReference(rule), through: through)
  }
}
