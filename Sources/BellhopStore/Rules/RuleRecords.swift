package import BellhopModel

/// The row that a store holds for a rule.
package struct StoredRule: Hashable, Sendable, Identifiable {
  package let id: RuleID
  /// The sequence of the rule's last change.
  package var sequence: SequenceNumber
  /// The rule; nil for a removed one, and for one that only a later version can read.
  package var rule: Rule?
  /// The time at which the rule was removed; nil for a rule that is there.
  package var removed: Timestamp?

  package init(_ rule: Rule) {
    self.init(id: rule.id, sequence: rule.sequence, rule: rule)
  }

  package init(
    id: RuleID, sequence: SequenceNumber, rule: Rule? = nil, removed: Timestamp? = nil
  ) {
    self.id = id
    self.sequence = sequence
    self.rule = rule
    self.removed = removed
  }

  /// The row of a delta; nil for a rule that only a later version can read.
  var change: Change? {
    if removed != nil { return .ruleRemoved(id, sequence: sequence) }
    return rule.map(Change.rule)
  }
}

/// The key of a rule among the rules of all users.
package struct UserRule: Hashable, Sendable {
  package var user: UserID
  package var id: RuleID

  package init(user: UserID, id: RuleID) {
    self.user = user
    self.id = id
  }
}

/// Read access to the rules of users. Part of ``StoreReading``.
package protocol RuleReading: AnyObject {
  /// Returns the rules that were not removed, in the order in which they act.
  ///
  /// A rule that only a later version can read is left out.
  func rules(of user: UserID) throws -> [Rule]
  /// Returns the row of a rule, removed or not.
  func storedRule(_ id: RuleID, of user: UserID) throws -> StoredRule?
  /// Returns rows with a higher sequence than `after`, in sequence order.
  func ruleRows(of user: UserID, after: SequenceNumber, limit: Int) throws -> [StoredRule]
  /// Returns rules that were removed before `time`, of any user.
  func removedRules(before time: Timestamp, limit: Int) throws -> [UserRule]
}

/// Write access to the rules of users. Part of ``StoreTransaction``.
package protocol RuleRecords: RuleReading {
  /// Stores the row of a rule, replacing the previous one.
  func put(_ rule: StoredRule, of user: UserID) throws
  /// Forgets a removed rule.
  func dropRule(_ id: RuleID, of user: UserID) throws
}
