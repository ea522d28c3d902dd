extension CacheReader {
  /// How SQLite looks for what this reader was asked so far, by statement, a text for each step of
  /// `EXPLAIN QUERY PLAN`: nothing that a screen shows may look at every item.
  package func queryPlans() throws(CacheError) -> [String: [String]] {
    let listed = try readList { try $0.plans() }
    let searched = try searchConnection().read { try $0.plans() }
    return listed.merging(searched) { plan, _ in plan }
  }
}
