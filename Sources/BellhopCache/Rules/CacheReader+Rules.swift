package import BellhopModel

extension CacheReader {
  package func rules() throws(CacheError) -> [Rule] {
    try readList { statement in
      ShownRules(
        base: try SQLiteTransaction.rules(statement).map(\.rule),
        entries: try SQLiteTransaction.entriesChangingRules(statement)
      ).inOrder
    }
  }

  package func rulesWithPendingChanges() throws(CacheError) -> Set<RuleID> {
    try readList { statement in
      let rules = try statement("SELECT rule FROM outbox WHERE rule IS NOT NULL")
        .all { row -> RuleID in try row.id(0) }
      return Set(rules)
    }
  }
}
