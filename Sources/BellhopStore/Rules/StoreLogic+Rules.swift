package import BellhopModel

extension StoreLogic {
  /// Returns the user's rules in the order in which they act.
  package func rules(of user: UserID, in state: any StoreReading) throws -> [Rule] {
    try state.rules(of: user)
  }

  /// Returns the rules that decide about the user's publications; nil without any.
  ///
  /// They are read and compiled again only after a change.
  func ruleSet(_ ledger: CounterUpdates, in state: any StoreReading) throws -> RuleSet? {
    guard ledger.counters.rules > .zero else { return nil }
    let set = try ruleCache.rules(
      of: ledger.user, at: ledger.counters.rules, in: identity.start.id
    ) { RuleSet(try state.rules(of: ledger.user)) }
    return set.rules.isEmpty ? nil : set
  }

  /// Creates, changes or removes a rule by an operation from a device's outbox (SYNC-18).
  func change(
    _ id: RuleID, by operation: Operation, ledger: inout CounterUpdates, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws -> OperationResult {
    guard case .changeRule(let change) = operation.mutation else { return .gone }
    let effect = try apply(
      change, to: id, by: operation.id, expecting: operation.expect, ledger: &ledger, at: now,
      in: transaction)
    let result: OperationResult =
      switch effect {
      case .changed: .applied
      case .superseded: .superseded
      case .gone: .gone
      case .tooMany: .unacceptable(.tooManyRules)
      case .invalid: .unacceptable(.invalid)
      }
    try transaction.insert(
      OperationRecord(id: operation.id, result: result, at: now), of: ledger.user)
    return result
  }

  /// Creates, changes or removes a rule.
  ///
  /// - Parameter expected: the revision that the rule must still have; nil for any.
  /// - Returns: the rule after the change, with its sequence unchanged if all values are the same. A
  ///   removed rule has the sequence of its removal.
  /// - Throws: ``StoreError/notFound(what:)`` for a rule that was removed, or for a new one without a
  ///   definition; ``StoreError/modified(current:)`` for another revision;
  ///   ``StoreError/invalid(field:expectation:)``, ``StoreError/quotaReached(what:)``.
  package func change(
    _ id: RuleID, _ change: RuleChange, expecting expected: OperationID?, for user: UserID,
    in transaction: any StoreTransaction
  ) throws -> Rule {
    var ledger = try CounterUpdates(user, in: transaction)
    let effect = try apply(
      change, to: id, by: newID(), expecting: expected, ledger: &ledger, at: now, in: transaction)
    try ledger.close(in: transaction)
    switch effect {
    case .changed(let rule): return rule
    case .superseded(let rule): throw StoreError.modified(current: rule.sequence)
    case .gone: throw StoreError.notFound(what: "rule")
    case .tooMany: throw StoreError.quotaReached(what: "\(RuleSet.rulesMax) rules")
    case .invalid(let error): throw error
    }
  }

  /// The effect of a change of a rule. Every refusal precedes the first write.
  private enum RuleEffect {
    /// The rule has the requested values, whether it had them before or not.
    case changed(Rule)
    case superseded(Rule)
    case gone
    case tooMany
    case invalid(StoreError)
  }

  private func apply(
    _ change: RuleChange, to id: RuleID, by operation: OperationID,
    expecting expected: OperationID?, ledger: inout CounterUpdates, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws -> RuleEffect {
    let stored = try transaction.storedRule(id, of: ledger.user)
    let known = stored?.rule
    // A removed rule never returns, and one of a later version is not overwritten.
    if stored != nil, known == nil { return .gone }
    if let expected, !Mutant.ruleEditUnguarded.isOn {
      guard let known else { return .gone }
      guard known.revision == expected else { return .superseded(known) }
    }
    if change.isRemoved {
      guard let known else { return .gone }
      return .changed(try remove(known, ledger: &ledger, at: now, in: transaction))
    }
    let others = known == nil ? try transaction.rules(of: ledger.user) : []
    guard
      var rule = change.applied(to: known, id: id, by: operation, after: others.last?.order)
    else { return .gone }
    if rule == known { return .changed(rule) }
    if others.count >= RuleSet.rulesMax { return .tooMany }
    do {
      try DefinitionRules(now: now, wallClock: environment.wallClock, limits: limits).check(rule)
    } catch let error as StoreError where error.isRefusal {
      return .invalid(error)
    }
    rule.sequence = try nextRuleSequence(&ledger, at: now, in: transaction)
    try transaction.put(StoredRule(rule), of: ledger.user)
    return .changed(rule)
  }

  private func remove(
    _ rule: Rule, ledger: inout CounterUpdates, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws -> Rule {
    var rule = rule
    rule.sequence = try nextRuleSequence(&ledger, at: now, in: transaction)
    let row =
      Mutant.removedRuleActs.isOn
      ? StoredRule(rule) : StoredRule(id: rule.id, sequence: rule.sequence, removed: now)
    try transaction.put(row, of: ledger.user)
    return rule
  }

  private func nextRuleSequence(
    _ ledger: inout CounterUpdates, at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> SequenceNumber {
    let sequence = try ledger.nextSequence(identity.start, at: now, in: transaction)
    ledger.noteRules(sequence)
    return sequence
  }
}
