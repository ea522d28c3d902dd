#if BELLHOP_POSTGRES
package import BellhopModel

/// The facts about a server that a store checks when it connects, and from time to time.
package struct PostgresFacts: Hashable, Sendable {
  /// The oldest version with pipeline mode and the settings that a session needs.
  package static let versionMin = 140_000

  /// The version as PostgreSQL counts it, such as 150018 for 15.18.
  package let serverVersion: Int
  /// The identifier that `initdb` made, which standbys share.
  package let systemIdentifier: Int64
  package let isInRecovery: Bool
  /// The timeline to which the server writes; nil in recovery.
  ///
  /// It is read from the position of the log: the control file names the old timeline for a while
  /// after a promotion.
  package let timeline: UInt32?
  /// The setting `synchronous_standby_names`; empty if commits wait for no standby.
  package let synchronousStandbyNames: String
  /// The server's clock minus this machine's.
  package let clockOffset: Duration
  /// The most by which ``clockOffset`` may be wrong: half of the time that the question took.
  package let clockUncertainty: Duration
}

extension PostgresConnection {
  /// Asks the server for its facts, in one round trip.
  ///
  /// - Parameter now: This machine's wall-clock time.
  package func facts(now: () -> Timestamp) throws(PostgresError) -> PostgresFacts {
    let start = ContinuousClock.now
    let row = try run(
      """
      SELECT system.system_identifier, pg_is_in_recovery() AS in_recovery,
        CASE WHEN NOT pg_is_in_recovery()
          THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline,
        current_setting('synchronous_standby_names') AS standbys,
        floor(extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now
      FROM pg_control_system() AS system
      """
    ).first()
    let half = start.duration(to: .now) / 2
    let server = Timestamp(milliseconds: try row.value("now"))
    let timeline: String? = try row.optional("timeline")
    return PostgresFacts(
      serverVersion: serverVersion, systemIdentifier: try row.value("system_identifier"),
      isInRecovery: try row.value("in_recovery"),
      timeline: timeline.flatMap { UInt32($0, radix: 16) },
      synchronousStandbyNames: try row.value("standbys"),
      clockOffset: server.duration(since: now()) + half,
      clockUncertainty: half + .milliseconds(1))
  }
}
#endif
