internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  func rules(of user: UserID) throws -> [Rule] {
    try all(
      "SELECT \(RuleColumn.list) FROM rule WHERE user = ? AND removed IS NULL", [user.rawValue],
      StoredRule.init(row:)
    ).compactMap(\.rule).inOrder()
  }

  func storedRule(_ id: RuleID, of user: UserID) throws -> StoredRule? {
    try first(
      "SELECT \(RuleColumn.list) FROM rule WHERE user = ? AND id = ?", [user.rawValue, id.blob],
      StoredRule.init(row:))
  }

  func ruleRows(
    of user: UserID, after: SequenceNumber, limit: Int
  ) throws -> [StoredRule] {
    try all(
      """
      SELECT \(RuleColumn.list) FROM rule WHERE user = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """, [user.rawValue, after.rawValue, limit], StoredRule.init(row:))
  }

  func removedRules(before time: Timestamp, limit: Int) throws -> [UserRule] {
    try all(
      "SELECT user, id FROM rule WHERE removed < ? ORDER BY removed LIMIT ?",
      [time.milliseconds, limit]
    ) { row in UserRule(user: UserID(rawValue: row[0]), id: try row.id(1)) }
  }

  func put(_ rule: StoredRule, of user: UserID) throws {
    try run(
      """
      INSERT INTO rule (user, id, sequence, rule, removed) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (user, id) DO UPDATE SET sequence = excluded.sequence, rule = excluded.rule,
        removed = excluded.removed
      """,
      [
        user.rawValue, rule.id.blob, rule.sequence.rawValue,
        try rule.rule.map { try JSONColumn.encode($0) }, rule.removed?.milliseconds,
      ])
  }

  func dropRule(_ id: RuleID, of user: UserID) throws {
    try run(
      "DELETE FROM rule WHERE user = ? AND id = ? AND removed IS NOT NULL",
      [user.rawValue, id.blob])
  }
}

private enum RuleColumn: Int, TableColumn {
  case id, sequence, rule, removed
}

extension StoredRule {
  /// Creates the row; its rule is nil if only a later version can read it.
  fileprivate init(row: Row) throws {
    let row = NamedRow<RuleColumn>(row)
    let text: String? = row[.rule]
    self.init(
      id: try row.id(.id), sequence: SequenceNumber(row[.sequence]),
      rule: text.flatMap { try? JSONColumn.decode(Rule.self, $0) },
      removed: row.optionalTime(.removed))
  }
}
