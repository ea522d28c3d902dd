/// The facts about a database that `bellhopd doctor` judges. It holds no secret.
struct DatabaseReport: Hashable, Sendable {
  /// A standby that is connected to the server.
  struct Standby: Hashable, Sendable {
    var name: String
    /// Such as `streaming`; nil if the role may not see it.
    var state: String?
    /// Such as `sync`, `quorum` or `async`; nil if the role may not see it.
    var syncState: String?
    var lagBytes: Int64?
  }

  /// The rows of a table, as the statistics of the server estimate them.
  struct TableRows: Hashable, Sendable {
    var table: String
    var live: Int64
    var dead: Int64
  }

  /// A program between the store and the server that shares connections.
  enum Pooler: Hashable, Sendable {
    /// No sign of one was seen.
    case unseen
    /// The sessions were kept apart, as far as the test could see.
    case separate
    /// Two open sessions had the same process of the server.
    case shared
  }

  // MARK: The server
  /// The version as PostgreSQL counts it, such as 150018 for 15.18.
  var serverVersion: Int
  var isInRecovery = false
  /// The server's clock minus this machine's, and the most by which that may be wrong.
  var clockOffset = Duration.zero
  var clockUncertainty = Duration.zero
  /// The settings `fsync` and `full_page_writes`, as far as they are off.
  var unsafeSettings: [String] = []
  var pooler = Pooler.unseen

  // MARK: Replication
  var synchronousStandbyNames = ""
  var standbys: [Standby] = []
  /// Whether the role may see the state of other roles' sessions.
  var seesReplication = true

  // MARK: Rights
  var role = ""
  var isSuperuser = false
  var hasSchema = true
  /// Whether the role may create tables in the schema.
  var canCreate = false
  /// The tables and sequences that the role may not read and write.
  var closedTables: [String] = []

  // MARK: Tables
  var tables: [String] = []
  /// The reason for which this program cannot use the tables; nil if it can.
  var tableFault: String?
  /// The place to which the store was moved; nil if it was not.
  var movedTarget: String?
  /// The expected indexes that the schema does not have.
  var missingIndexes: [String] = []
  /// The indexes whose creation failed, so that no read uses them.
  var invalidIndexes: [String] = []
  var rows: [TableRows] = []

  // MARK: Connections
  var connectionsMax = 100
  /// The connections that only superusers can take.
  var connectionsReserved = 3
  var connectionsOpen = 0
  /// The most connections of the role; nil if they are unlimited.
  var roleConnectionsMax: Int?
}

extension DatabaseReport {
  private static let versionMin = 14
  /// The only version that the tests use.
  private static let versionTested = 15
  /// The difference of clocks beyond which items visibly expire at wrong times.
  private static let clockOffsetMax = Duration.seconds(5)
  /// The size from which a table's dead rows are judged. Small ones change quickly.
  private static let deadRowsMin: Int64 = 10_000
  /// A standby that is so far behind delays commits, or loses much in a failover.
  private static let lagBytesMax: Int64 = 64 << 20

  /// Judges the facts.
  ///
  /// - Parameters:
  ///   - schema: The schema of the store.
  ///   - connections: The connections of one process of the store, with those for messages.
  ///   - requireStandby: The setting of this name.
  func findings(schema: String, connections: Int, requireStandby: Bool) -> [Finding] {
    serverFindings + replicationFindings(requireStandby: requireStandby)
      + rightsFindings(schema: schema) + tableFindings(schema: schema)
      + [connectionFinding(connections), poolerFinding]
  }

  private var serverFindings: [Finding] {
    let version = serverVersion / 10_000
    var findings = [Finding(.ok, "The server has PostgreSQL \(version).\(serverVersion % 10_000).")]
    if version < Self.versionMin {
      findings = [
        Finding(
          .problem,
          "The server has PostgreSQL \(version). Version \(Self.versionMin) or later is needed.")
      ]
    } else if version != Self.versionTested {
      findings.append(
        Finding(
          .note,
          "bellhopd is tested with PostgreSQL \(Self.versionTested). Version \(version) is untried."
        ))
    }
    if isInRecovery {
      findings.append(
        Finding(
          .problem,
          "The server is a standby, which accepts no writes. Name all servers in the address, with "
            + "?target_session_attrs=read-write."))
    }
    if !unsafeSettings.isEmpty {
      let names = unsafeSettings.joined(separator: " and ")
      findings.append(
        Finding(
          .problem,
          "On the server, \(names) is off. A crash can damage the database. Set it to on."))
    }
    let offset = clockOffset < .zero ? .zero - clockOffset : clockOffset
    let isFar = offset - clockUncertainty > Self.clockOffsetMax
    let direction = clockOffset < .zero ? "behind" : "ahead of"
    let milliseconds = Int64((offset / .milliseconds(1)).rounded())
    findings.append(
      Finding(
        isFar ? .problem : .ok,
        "The server's clock is \(milliseconds) ms \(direction) this machine's."
          + (isFar ? " Synchronise both clocks, for example with chrony." : "")))
    return findings
  }

  private func replicationFindings(requireStandby: Bool) -> [Finding] {
    guard !isInRecovery else { return [] }
    guard !synchronousStandbyNames.isEmpty else {
      let advice =
        "The setting synchronous_standby_names is empty, so commits wait for no standby. A failover "
        + "can lose what was confirmed."
      return [
        requireStandby
          ? Finding(
            .problem,
            advice
              + " The store refuses to start. Set it, or set database.require-standby to false."
          )
          : Finding(.warning, advice + " database.require-standby is false.")
      ]
    }
    guard seesReplication else {
      return [
        Finding(.ok, "Commits wait for standbys: \(synchronousStandbyNames)."),
        Finding(
          .note,
          "The role may not see the state of the standbys. To let it: GRANT pg_monitor TO \(role);"),
      ]
    }
    let synchronous = standbys.filter { $0.syncState == "sync" || $0.syncState == "quorum" }
    var findings = [
      synchronous.isEmpty
        ? Finding(
          .problem,
          "Commits wait for \(synchronousStandbyNames), and no such standby is connected. Writes "
            + "do not end. Start a standby.")
        : Finding(
          .ok,
          "Commits wait for standbys: " + synchronous.map(\.name).joined(separator: ", ") + ".")
    ]
    for standby in standbys {
      if let state = standby.state, state != "streaming" {
        findings.append(
          Finding(.warning, "The standby \(standby.name) has the state \(state), not streaming."))
      } else if let lag = standby.lagBytes, lag > Self.lagBytesMax {
        findings.append(
          Finding(.warning, "The standby \(standby.name) is \(lag >> 20) MiB of log behind."))
      }
    }
    return findings
  }

  private func rightsFindings(schema: String) -> [Finding] {
    guard hasSchema else {
      return [
        Finding(
          .problem,
          "The database has no schema \(schema), or the role \(role) may not use it. Run bellhopd "
            + "migrate-schema with the role of the owner, and the grants that it prints.")
      ]
    }
    var findings: [Finding] = []
    if !closedTables.isEmpty {
      findings.append(
        Finding(
          .problem,
          "The role \(role) may not read and write \(closedTables.joined(separator: ", ")). Run the "
            + "grants that bellhopd migrate-schema prints."))
    }
    if isSuperuser {
      findings.append(
        Finding(
          .warning,
          "The role \(role) is a superuser. Serve with a role that may only read and write rows."))
    } else if canCreate {
      findings.append(
        Finding(
          .warning,
          "The role \(role) may create tables. Only bellhopd migrate-schema needs that: serve with "
            + "a role of its own."))
    }
    if findings.isEmpty {
      findings.append(
        Finding(.ok, "The role \(role) may read and write rows, and change no tables."))
    }
    return findings
  }

  private func tableFindings(schema: String) -> [Finding] {
    guard hasSchema else { return [] }
    guard !tables.isEmpty else {
      return [
        Finding(
          .problem,
          "The schema \(schema) has no tables. Run: bellhopd migrate-schema --database ADDRESS")
      ]
    }
    if let tableFault { return [Finding(.problem, tableFault)] }
    var findings: [Finding] = []
    if !missingIndexes.isEmpty {
      findings.append(
        Finding(
          .problem,
          "Indexes are missing: \(missingIndexes.joined(separator: ", ")). Reads become slow. "
            + "Restore them from a backup of the schema."))
    }
    for index in invalidIndexes {
      findings.append(
        Finding(
          .problem, "The index \(index) is not valid. Run: REINDEX INDEX \(schema).\(index);"))
    }
    if findings.isEmpty { findings.append(Finding(.ok, "All indexes exist and are valid.")) }
    if let movedTarget { findings.append(Self.moved(to: movedTarget)) }
    let bloated = rows.filter { $0.dead >= Self.deadRowsMin && $0.dead > $0.live }
    for rows in bloated {
      let share = rows.dead * 100 / (rows.live + rows.dead)
      findings.append(
        Finding(
          .warning,
          "\(share) % of the rows of \(rows.table) are dead. Check that autovacuum runs and that no "
            + "old transaction is open. Run: VACUUM (ANALYZE) \(schema).\(rows.table);"))
    }
    if bloated.isEmpty { findings.append(Finding(.ok, "No table has many dead rows.")) }
    return findings
  }

  /// Creates the finding that the store in a database was moved.
  static func moved(to target: String) -> Finding { .moved(to: target, from: "ADDRESS") }

  private func connectionFinding(_ connections: Int) -> Finding {
    let free = connectionsMax - connectionsReserved - connectionsOpen
    let text =
      "The server has \(free) free connections of \(connectionsMax). A process of the store takes "
      + "\(connections)."
    if let roleMax = roleConnectionsMax, roleMax < connections {
      return Finding(
        .problem,
        "The role \(role) may have \(roleMax) connections, and a process of the store takes "
          + "\(connections). Raise CONNECTION LIMIT, or lower database.connections.")
    }
    guard free >= connections else {
      return Finding(
        .warning,
        text + " Another process could not start. Raise max_connections, or lower "
          + "database.connections.")
    }
    return Finding(.ok, text)
  }

  private var poolerFinding: Finding {
    switch pooler {
    case .unseen: Finding(.ok, "The connection reaches the server without a pooler.")
    case .separate:
      Finding(
        .warning,
        "A pooler such as PgBouncer is in between. The test saw no transaction mode, but cannot "
          + "exclude it, and the store does not work with it. Use pool_mode=session, or connect to "
          + "the server itself.")
    case .shared:
      Finding(
        .problem,
        "A pooler in transaction mode is in between: it gave two open sessions the same process of "
          + "the server, so LISTEN and prepared statements do not last. Connect to the server "
          + "itself, or use pool_mode=session.")
    }
  }
}
