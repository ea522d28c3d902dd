internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  func rules(of user: UserID) -> [Rule] {
    partition(user).rules.values.filter { $0.removed == nil }.compactMap(\.rule).inOrder()
  }

  func storedRule(_ id: RuleID, of user: UserID) -> StoredRule? { partition(user).rules[id] }

  func ruleRows(of user: UserID, after: SequenceNumber, limit: Int) -> [StoredRule] {
    let later = partition(user).rules.values.filter { $0.sequence > after }
    return Array(later.sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  func removedRules(before time: Timestamp, limit: Int) -> [UserRule] {
    let found = state.partitions.flatMap { user, partition in
      partition.rules.values.compactMap { rule -> (UserRule, Timestamp)? in
        guard let removed = rule.removed, removed < time else { return nil }
        return (UserRule(user: user, id: rule.id), removed)
      }
    }
    return found.sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }.prefix(limit).map(\.0)
  }

  func put(_ rule: StoredRule, of user: UserID) { set(\.rules[rule.id], of: user, to: rule) }

  func dropRule(_ id: RuleID, of user: UserID) {
    guard partition(user).rules[id]?.removed != nil else { return }
    set(\.rules[id], of: user, to: nil)
  }
}
