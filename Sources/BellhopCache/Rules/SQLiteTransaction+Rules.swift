import BellhopModel

extension SQLiteTransaction {
  func rules() throws -> [(rule: Rule, generation: Int64)] { try Self.rules(statement) }

  static func rules(_ statement: Statements) throws -> [(rule: Rule, generation: Int64)] {
    try statement("SELECT rule, generation FROM rule").all(Self.row).compactMap { $0 }
  }

  func rule(_ id: RuleID) throws -> (rule: Rule, generation: Int64)? {
    try statement("SELECT rule, generation FROM rule WHERE id = ?").bind(id).first(Self.row)
      .flatMap { $0 }
  }

  /// Returns the row, or nil if only a later version can read it.
  ///
  /// Versions share the file for as long as it has the same tables. The row stays as it is.
  private static func row(_ row: SQLStatement) -> (rule: Rule, generation: Int64)? {
    guard let rule = try? JSON.decode(row.text(0)) as Rule else { return nil }
    return (rule, row.integer(1))
  }

  func put(_ rule: Rule, generation: Int64) throws {
    try statement("INSERT OR REPLACE INTO rule (id, generation, rule) VALUES (?, ?, ?)")
      .bind(rule.id).bind(generation).bind(try JSON.encode(rule)).run()
  }

  func removeRule(_ id: RuleID) throws {
    try statement("DELETE FROM rule WHERE id = ?").bind(id).run()
  }

  func removeRules(olderThan generation: Int64) throws {
    try statement("DELETE FROM rule WHERE generation < ?").bind(generation).run()
  }

  func entriesChangingRules() throws -> [OutboxEntry] {
    try Self.entriesChangingRules(statement)
  }

  static func entriesChangingRules(_ statement: Statements) throws -> [OutboxEntry] {
    try statement.outbox("WHERE rule IS NOT NULL ORDER BY position").all(Self.entry)
  }
}
