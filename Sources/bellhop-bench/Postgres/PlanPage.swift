#if BELLHOP_POSTGRES
import BellhopStorePostgres

/// The documentation page with the plans of the hot statements.
struct PlanPage {
  let cluster: BenchCluster
  /// The number of items of the user.
  let items: Int

  /// Explains the statements, and writes the page.
  func write(to path: String) async throws {
    let statements = try await HotCalls(cluster: cluster, items: items).statements()
    guard !statements.isEmpty else { throw BenchError("no statements were recorded") }
    var text = introduction(version: try cluster.withConnection { $0.serverVersion })
    var call = ""
    for (place, statement) in statements.enumerated() {
      if statement.call != call {
        call = statement.call
        text += "\n### \(call)\n"
      }
      let plan = try explain(statement, name: "hot\(place)")
      let settings = statement.settings.map { $0 + ";\n" }.joined()
      text += "\n```sql\n\(settings)\(statement.sql)\n```\n"
      text += "\n```text\n\(plan.joined(separator: "\n"))\n```\n"
    }
    try Files.write(text, to: path)
  }

  private func introduction(version: Int) -> String {
    """
    # Query plans

    The plans of the store's frequent statements, for a user with \(shortCount(items)) items.

    ## Overview

    `bellhop-bench --only postgres --explain FILE` writes this page. It makes the items in a throw-away
    server, calls the store, and records the statements that the store sends. So the page needs no list
    of statements. A statement that several calls send stands under the first of them.

    Each plan is that of `EXPLAIN (ANALYZE, BUFFERS)` on PostgreSQL \(version / 10_000), with the values
    of the call, in a transaction that is undone. `plan_cache_mode` is `force_generic_plan`: the plan is
    made for all values, as for a prepared statement that has run some times. The sessions are those of the
    store, with the settings of ``PostgresSettings``. The settings of the server are \(BenchCluster.serverSettings.map { "`\($0)`" }.joined(separator: ", ")).

    A plan that reads all items of the user gets slower with every item: only counts and the statistics of a
    user may have one.

    """
  }

  /// Returns the lines of a statement's plan.
  private func explain(_ statement: SentStatement, name: String) throws -> [String] {
    do {
      return try explain(statement, name: name, options: "ANALYZE, BUFFERS")
    } catch PostgresError.refused("23505", _, _) {
      // The call has inserted the same row already.
      return try explain(statement, name: name, options: "COSTS")
        + ["(Not run: the call has inserted this row already.)"]
    }
  }

  /// Explains in a transaction of a connection of its own, which is closed without `COMMIT`.
  private func explain(
    _ statement: SentStatement, name: String, options: String
  ) throws -> [String] {
    let types = statement.values.map(\.typeName).joined(separator: ", ")
    let values = statement.values.map(\.literal).joined(separator: ", ")
    return try cluster.withConnection { connection in
      try connection.run("SET plan_cache_mode = force_generic_plan")
      try connection.runScript(
        "PREPARE \(name)\(types.isEmpty ? "" : " (\(types))") AS \(statement.sql)")
      try connection.begin()
      defer { connection.rollback() }
      for setting in statement.settings { try connection.run(setting) }
      let rows = try connection.run(
        "EXPLAIN (\(options)) EXECUTE \(name)\(values.isEmpty ? "" : " (\(values))")")
      return try rows.map { row -> String in try row.value("QUERY PLAN") }
    }
  }
}
#endif
