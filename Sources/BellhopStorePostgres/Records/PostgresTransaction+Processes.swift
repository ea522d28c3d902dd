#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// The processes that serve the database, and their leases.
extension PostgresTransaction {
  func processes(seenSince time: Timestamp) throws -> [ServingProcess] {
    try all(
      """
      SELECT id, host, version, started, last_seen FROM process WHERE last_seen >= $1 ORDER BY id
      """, [.time(time)]
    ) { row in
      ServingProcess(
        id: try row.id("id"), host: try row.text("host"), version: try row.text("version"),
        started: try row.time("started"), lastSeen: try row.time("last_seen"))
    }
  }

  /// Locks the lease, in a write, until the transaction ends, so that it decides by the latest one.
  ///
  /// Before the first claim the lease has no row to lock. The scope of the claim then keeps two claims
  /// apart.
  func lease(_ name: LeaseName) throws -> Lease? {
    let lock = context.kind == .snapshot ? "" : " FOR UPDATE"
    return try first(
      "SELECT holder, number, expires FROM lease WHERE name = $1\(lock)", [.text(name.text)]
    ) { row in
      Lease(
        name: name, holder: try row.idIfAny("holder"), number: try row.value("number"),
        expires: try row.time("expires"))
    }
  }

  func put(_ process: ServingProcess) throws {
    try write(
      """
      INSERT INTO process (id, host, version, started, last_seen) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (id) DO UPDATE SET host = excluded.host, version = excluded.version,
        started = excluded.started, last_seen = excluded.last_seen
      """,
      [
        .id(process.id), .text(process.host), .text(process.version), .time(process.started),
        .time(process.lastSeen),
      ])
  }

  func removeProcess(_ id: ProcessID) throws {
    try write("DELETE FROM process WHERE id = $1", [.id(id)])
  }

  func removeProcesses(seenBefore time: Timestamp, limit: Int) throws {
    try write(
      """
      DELETE FROM process WHERE last_seen < $1 AND id = ANY (ARRAY (
        SELECT id FROM process WHERE last_seen < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))
      """, [.time(time), .count(limit)])
  }

  func put(_ lease: Lease) throws {
    try write(
      """
      INSERT INTO lease (name, holder, number, expires) VALUES ($1, $2, $3, $4)
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, number = excluded.number,
        expires = excluded.expires
      """,
      [.text(lease.name.text), .id(lease.holder), .integer(lease.number), .time(lease.expires)])
  }

  /// Locks the leases in the order of their names. One that another process has claimed meanwhile
  /// stays as it is.
  func releaseLeases(of process: ProcessID) throws {
    try write(
      """
      UPDATE lease SET holder = NULL WHERE holder = $1 AND name = ANY (ARRAY (
        SELECT name FROM lease WHERE holder = $1 ORDER BY name FOR UPDATE))
      """, [.id(process)])
  }

  func removeLeases(endedBefore time: Timestamp, limit: Int) throws {
    try write(
      """
      DELETE FROM lease WHERE expires < $1 AND name = ANY (ARRAY (
        SELECT name FROM lease WHERE expires < $1 ORDER BY name LIMIT $2 FOR UPDATE SKIP LOCKED))
      """, [.time(time), .count(limit)])
  }
}
#endif
