#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopStorePostgres

extension DatabasePlace {
  func findings(_ settings: StoreSettings) async throws -> [Finding] {
    let report: DatabaseReport
    do {
      report = try await Self.blocking { [postgres, schema = database.schema] in
        let connection = try PostgresConnection.open(postgres)
        defer { connection.close() }
        var report = try connection.report(on: schema)
        if report.hasSchema, !report.tables.isEmpty, report.closedTables.isEmpty {
          let fault = try PostgresBackend.fault(ofTablesOn: connection)
          report.tableFault = fault?.description.sentence
          if fault == nil { report.movedTarget = try PostgresBackend.movedTarget(on: connection) }
        }
        report.pooler = try connection.pooler(settings: postgres)
        return report
      }
    } catch let error as PostgresError {
      return [Finding(.problem, error.log)]
    }
    return [
      Finding(
        .ok,
        "The database \(postgres) can be reached. Its password file, if any, is private.")
    ]
      + report.findings(
        schema: database.schema, connections: database.connections + Self.otherConnections,
        requireStandby: database.requireStandby)
  }

  func movedFinding() async throws -> Finding? {
    let target: String? = try await Self.blocking { [postgres] in
      let connection = try PostgresConnection.open(postgres)
      defer { connection.close() }
      return try PostgresBackend.movedTarget(on: connection)
    }
    return target.map { DatabaseReport.moved(to: $0) }
  }
}

extension PostgresConnection {
  /// Collects the facts about a database, without changing anything.
  fileprivate func report(on schema: String) throws(PostgresError) -> DatabaseReport {
    let facts = try facts(now: { SystemTime.now })
    var report = DatabaseReport(serverVersion: facts.serverVersion)
    report.isInRecovery = facts.isInRecovery
    report.clockOffset = facts.clockOffset
    report.clockUncertainty = facts.clockUncertainty
    report.synchronousStandbyNames = facts.synchronousStandbyNames
    try addRole(to: &report, schema)
    try addTables(to: &report, schema)
    try addStandbys(to: &report)
    return report
  }

  private func addRole(
    to report: inout DatabaseReport, _ schema: String
  ) throws(PostgresError) {
    let row = try run(
      """
      SELECT role.rolname::text AS role, role.rolsuper AS is_superuser,
        role.rolconnlimit::int8 AS role_max,
        pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees,
        coalesce(has_schema_privilege(space.oid, 'USAGE'), false) AS may_use,
        coalesce(has_schema_privilege(space.oid, 'CREATE'), false) AS may_create,
        current_setting('max_connections')::int8 AS connections_max,
        current_setting('superuser_reserved_connections')::int8 AS reserved,
        current_setting('fsync') AS fsync, current_setting('full_page_writes') AS page_writes,
        (SELECT coalesce(sum(numbackends), 0)::int8 FROM pg_stat_database) AS connections_open
      FROM pg_roles AS role LEFT JOIN pg_namespace AS space ON space.nspname = $1
      WHERE role.rolname = current_user
      """, .text(schema)
    ).first()
    report.role = try row.value("role")
    report.isSuperuser = try row.value("is_superuser")
    let roleMax: Int = try row.value("role_max")
    report.roleConnectionsMax = roleMax < 0 ? nil : roleMax
    report.seesReplication = try row.value("sees")
    report.hasSchema = try row.value("may_use")
    report.canCreate = try row.value("may_create")
    report.connectionsMax = try row.value("connections_max")
    report.connectionsReserved = try row.value("reserved")
    report.connectionsOpen = try row.value("connections_open")
    for (name, column) in [("fsync", "fsync"), ("full_page_writes", "page_writes")] {
      let value: String = try row.value(column)
      if value == "off" { report.unsafeSettings.append(name) }
    }
  }

  private func addTables(
    to report: inout DatabaseReport, _ schema: String
  ) throws(PostgresError) {
    let tables = try run(
      """
      SELECT class.relname::text AS name,
        has_table_privilege(class.oid, 'SELECT') AND has_table_privilege(class.oid, 'INSERT')
          AND has_table_privilege(class.oid, 'UPDATE')
          AND has_table_privilege(class.oid, 'DELETE') AS is_open,
        coalesce(stat.n_live_tup, 0) AS live, coalesce(stat.n_dead_tup, 0) AS dead
      FROM pg_class AS class
        JOIN pg_namespace AS space ON space.oid = class.relnamespace
        LEFT JOIN pg_stat_user_tables AS stat ON stat.relid = class.oid
      WHERE space.nspname = $1 AND class.relkind IN ('r', 'p')
      ORDER BY class.relname
      """, .text(schema))
    for row in tables {
      let name: String = try row.value("name")
      report.tables.append(name)
      let isOpen: Bool = try row.value("is_open")
      if !isOpen { report.closedTables.append(name) }
      report.rows.append(
        DatabaseReport.TableRows(
          table: name, live: try row.value("live"), dead: try row.value("dead")))
    }
    let closedSequences = try run(
      """
      SELECT class.relname::text AS name
      FROM pg_sequence AS counter
        JOIN pg_class AS class ON class.oid = counter.seqrelid
        JOIN pg_namespace AS space ON space.oid = class.relnamespace
      WHERE space.nspname = $1
        AND NOT (has_sequence_privilege(counter.seqrelid, 'USAGE')
          AND has_sequence_privilege(counter.seqrelid, 'UPDATE'))
      ORDER BY class.relname
      """, .text(schema))
    for row in closedSequences {
      let name: String = try row.value("name")
      report.closedTables.append(name)
    }
    let indexes = try run(
      """
      SELECT class.relname::text AS name, index.indisvalid AS is_valid
      FROM pg_index AS index
        JOIN pg_class AS class ON class.oid = index.indexrelid
        JOIN pg_namespace AS space ON space.oid = class.relnamespace
      WHERE space.nspname = $1
      ORDER BY class.relname
      """, .text(schema))
    var found: Set<String> = []
    for row in indexes {
      let name: String = try row.value("name")
      found.insert(name)
      let isValid: Bool = try row.value("is_valid")
      if !isValid { report.invalidIndexes.append(name) }
    }
    report.missingIndexes = PostgresBackend.indexNames.filter { !found.contains($0) }
  }

  private func addStandbys(to report: inout DatabaseReport) throws(PostgresError) {
    let standbys = try run(
      """
      SELECT application_name AS name, state, sync_state,
        pg_wal_lsn_diff(sent_lsn, replay_lsn)::int8 AS lag
      FROM pg_stat_replication
      ORDER BY application_name
      """)
    for row in standbys {
      let name: String? = try row.optional("name")
      report.standbys.append(
        DatabaseReport.Standby(
          name: name ?? "unnamed", state: try row.optional("state"),
          syncState: try row.optional("sync_state"), lagBytes: try row.optional("lag")))
    }
  }

  /// Tests whether a pooler hands out the server's processes for each transaction.
  ///
  /// A pooler gives each client a number of its own instead of that of the server's process. In
  /// transaction mode, it gives a second session the process that the first one has just released.
  fileprivate func pooler(
    settings: PostgresSettings
  ) throws(PostgresError) -> DatabaseReport.Pooler {
    let roundsMax = 3
    guard try serverProcess() != processID else { return .unseen }
    for _ in 0..<roundsMax {
      let own = try serverProcess()
      let other = try PostgresConnection.open(settings)
      defer { other.close() }
      if try other.serverProcess() == own { return .shared }
    }
    return .separate
  }

  private func serverProcess() throws(PostgresError) -> Int32 {
    let process: Int = try run("SELECT pg_backend_pid() AS process").first().value("process")
    return Int32(truncatingIfNeeded: process)
  }
}
#endif
