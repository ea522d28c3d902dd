import BellhopModel

/// The rules as shown: base with the pending operations applied (SYNC-13).
struct ShownRules {
  private var rules: [RuleID: Rule] = [:]
  /// The rules that pending operations remove. A removed rule never returns.
  private var removed: Set<RuleID> = []

  /// - Parameter entries: The operations that change rules, in the order made.
  init(base: [Rule], entries: [OutboxEntry]) {
    for rule in base { rules[rule.id] = rule }
    let known = rules
    for entry in entries {
      guard let id = entry.operation.rule else { continue }
      // Base already contains it. Later changes from another device must not be hidden again.
      if let answered = entry.answered, let base = known[id], base.sequence >= answered {
        continue
      }
      apply(entry.operation)
    }
  }

  /// The rules in the order in which they act.
  var inOrder: [Rule] { rules.values.inOrder() }

  /// Returns whether an operation finds the rule that it changes, or creates one (SYNC-18).
  ///
  /// An operation that names a revision finds only that one, and never creates a rule.
  func accepts(_ operation: Operation) -> Bool {
    guard let id = operation.rule, case .changeRule(let change) = operation.mutation,
      !removed.contains(id)
    else { return false }
    if let expected = operation.expect { return rules[id]?.revision == expected }
    return rules[id] != nil || change.definition != nil
  }

  /// Returns whether the operation's rule still has every value that the operation set.
  func isAsSet(by operation: Operation) -> Bool {
    guard let id = operation.rule, case .changeRule(let change) = operation.mutation,
      let rule = rules[id]
    else { return false }
    return change.applied(to: rule, id: id, by: operation.id, after: nil) == rule
  }

  /// Applies an operation as the store does; one that the store refuses changes nothing.
  private mutating func apply(_ operation: Operation) {
    guard accepts(operation), let id = operation.rule,
      case .changeRule(let change) = operation.mutation
    else { return }
    if change.isRemoved {
      rules[id] = nil
      removed.insert(id)
      return
    }
    let known = rules[id]
    if known == nil, rules.count >= RuleSet.rulesMax { return }
    let last = known == nil ? rules.values.map(\.order).max() : nil
    rules[id] = change.applied(to: known, id: id, by: operation.id, after: last)
  }
}

extension CacheLogic {
  /// Returns the rules as shown.
  func shownRules() throws -> ShownRules {
    ShownRules(
      base: try transaction.rules().map(\.rule), entries: try transaction.entriesChangingRules())
  }
}
