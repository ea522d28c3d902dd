#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore
internal import FoundationEssentials

extension PostgresTransaction {
  func rules(of user: UserID) throws -> [Rule] {
    try all(
      "SELECT id, sequence, rule, removed FROM rule WHERE user_id = $1 AND removed IS NULL",
      [.user(user)], StoredRule.init(row:)
    ).compactMap(\.rule).inOrder()
  }

  func storedRule(_ id: RuleID, of user: UserID) throws -> StoredRule? {
    try first(
      "SELECT id, sequence, rule, removed FROM rule WHERE user_id = $1 AND id = $2",
      [.user(user), .id(id)], StoredRule.init(row:))
  }

  func ruleRows(
    of user: UserID, after: SequenceNumber, limit: Int
  ) throws -> [StoredRule] {
    try all(
      """
      SELECT id, sequence, rule, removed FROM rule
      WHERE user_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
      """, [.user(user), .sequence(after), .count(limit)], StoredRule.init(row:))
  }

  func removedRules(before time: Timestamp, limit: Int) throws -> [UserRule] {
    try all(
      "SELECT user_id, id FROM rule WHERE removed < $1 ORDER BY removed LIMIT $2",
      [.time(time), .count(limit)]
    ) { row in UserRule(user: try row.user("user_id"), id: try row.id("id")) }
  }

  func put(_ rule: StoredRule, of user: UserID) throws {
    try write(
      """
      INSERT INTO rule (user_id, id, sequence, rule, removed) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (user_id, id) DO UPDATE SET sequence = excluded.sequence, rule = excluded.rule,
        removed = excluded.removed
      """,
      [
        .user(user), .id(rule.id), .sequence(rule.sequence), try .json(rule.rule),
        .time(rule.removed),
      ])
  }

  func dropRule(_ id: RuleID, of user: UserID) throws {
    try write(
      "DELETE FROM rule WHERE user_id = $1 AND id = $2 AND removed IS NOT NULL",
      [.user(user), .id(id)])
  }
}

extension StoredRule {
  /// Creates the row; its rule is nil if only a later version can read it.
  fileprivate init(row: PostgresRow) throws {
    let text = try row.textIfAny("rule")
    self.init(
      id: try row.id("id"), sequence: try row.sequence("sequence"),
      rule: text.flatMap { try? JSONDecoder().decode(Rule.self, from: Data($0.utf8)) },
      removed: try row.timeIfAny("removed"))
  }
}
#endif
