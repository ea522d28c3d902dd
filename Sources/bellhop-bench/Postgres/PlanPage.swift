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
      text += "\n```sql\n\(statement.sql)\n```\n\n```text\n\(plan.joined(separator: "\n"))\n```\n"
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
    made for all values, as for a prepared statement that has run some times. The settings of the server
    are \(BenchCluster.settings.map { "`\($0)`" }.joined(separator: ", ")).

    No time may grow with the number of items. So no plan reads a whole table, and each condition on many
    rows is an `Index Cond`, not a `Filter`.

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
      let rows = try connection.run(
        "EXPLAIN (\(options)) EXECUTE \(name)\(values.isEmpty ? "" : " (\(values))")")
      return try rows.map { row -> String in try row.value("QUERY PLAN") }
    }
  }
}
#endif
