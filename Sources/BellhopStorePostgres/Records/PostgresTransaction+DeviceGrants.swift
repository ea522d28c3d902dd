#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// Device grants, and the attempts that are counted with them.
///
/// They belong to no user. Several transactions may change them at the same time, so each statement
/// checks its condition on the row that it changes.
extension PostgresTransaction {
  func deviceGrant(deviceCodeHash hash: [UInt8]) throws -> DeviceGrant? {
    try first(
      "SELECT \(DeviceGrant.columns) FROM device_grant WHERE device_code_hash = $1",
      [.bytes(hash)], DeviceGrant.init(row:))
  }

  func deviceGrant(userCodeHash hash: [UInt8]) throws -> DeviceGrant? {
    try first(
      "SELECT \(DeviceGrant.columns) FROM device_grant WHERE user_code_hash = $1",
      [.bytes(hash)], DeviceGrant.init(row:))
  }

  func deviceGrantCount() throws -> Int {
    let count: Int? = try first("SELECT count(*) AS count FROM device_grant") {
      try $0.value("count")
    }
    return count ?? 0
  }

  func pendingDeviceGrants(ofSite site: String, at now: Timestamp) throws -> [DeviceGrant] {
    try all(
      """
      SELECT \(DeviceGrant.columns) FROM device_grant
      WHERE site = $1 AND state = 'pending' AND expires > $2 ORDER BY id
      """, [.text(site), .time(now)], DeviceGrant.init(row:))
  }

  func replaceableDeviceGrant() throws -> DeviceGrantID? {
    try first(
      """
      SELECT id FROM device_grant WHERE site IN (
        SELECT site FROM device_grant GROUP BY site ORDER BY count(*) DESC
        FETCH FIRST ROW WITH TIES)
      ORDER BY state = 'approved', id LIMIT 1
      """
    ) { try $0.id("id") }
  }

  func insert(_ grant: DeviceGrant) throws {
    let request = grant.request
    let registration = request.registration
    try write(
      """
      INSERT INTO device_grant (\(DeviceGrant.columns))
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
      """,
      [
        .id(grant.id), .bytes(grant.deviceCodeHash), .bytes(grant.userCodeHash),
        .text(request.client), .text(request.address), .text(request.network),
        .text(request.site), .text(registration?.id.rawValue), .text(registration?.name),
        .text(registration?.platform), .text(registration?.channel.rawValue),
        .text(registration?.environment.column), .time(grant.requested), .time(grant.expires),
        .time(grant.forgotten), .integer(grant.interval.milliseconds),
        .text(grant.state.rawValue), .integer(grant.decider?.rawValue),
      ])
  }

  /// Waits for another transaction that changes the grant, and then checks the condition on its new
  /// state.
  func changeDeviceGrant(
    _ id: DeviceGrantID, from expected: DeviceGrant.State, to state: DeviceGrant.State,
    by user: UserID
  ) throws -> Bool {
    try count(
      """
      UPDATE device_grant SET state = $3, user_id = $4
      WHERE id = $1 AND state = $2 AND (user_id IS NULL OR user_id = $4)
      """,
      [.id(id), .text(expected.rawValue), .text(state.rawValue), .user(user)]) > 0
  }

  func raiseInterval(ofDeviceGrant id: DeviceGrantID, to interval: Duration) throws {
    try write(
      "UPDATE device_grant SET poll_interval = $2 WHERE id = $1 AND poll_interval < $2",
      [.id(id), .integer(interval.milliseconds)])
  }

  func removeDeviceGrant(_ id: DeviceGrantID) throws {
    try write("DELETE FROM device_grant WHERE id = $1", [.id(id)])
  }

  /// Waits for transactions that change these grants, so that none is left because it is in use.
  func removeDeviceGrants(forgottenBy now: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM device_grant WHERE forgotten <= $1 AND id = ANY (ARRAY (
        SELECT id FROM device_grant WHERE forgotten <= $1
        ORDER BY forgotten, id LIMIT $2 FOR UPDATE))
      """, [.time(now), .count(limit)])
  }

  // MARK: - Attempts

  func attempts(_ kind: AttemptKind, by key: String) throws -> Attempts? {
    try first(
      "SELECT forgotten FROM attempt WHERE kind = $1 AND key = $2",
      [.text(kind.rawValue), .text(key)]
    ) { row in Attempts(kind: kind, key: key, forgotten: try row.time("forgotten")) }
  }

  /// Rows that another transaction is changing stay, because its attempts are recent.
  func put(_ attempts: Attempts, keeping count: Int) throws {
    try write(
      """
      DELETE FROM attempt WHERE kind = $1 AND key = ANY (ARRAY (
        SELECT o.key FROM attempt AS o
        WHERE o.kind = $1 AND o.key <> $2 AND (o.forgotten, o.key) <= (
          SELECT p.forgotten, p.key FROM attempt AS p WHERE p.kind = $1 AND p.key <> $2
          ORDER BY p.forgotten DESC, p.key DESC LIMIT 1 OFFSET $3)
        FOR UPDATE OF o SKIP LOCKED))
      """, [.text(attempts.kind.rawValue), .text(attempts.key), .count(max(0, count - 1))])
    try write(
      """
      INSERT INTO attempt (kind, key, forgotten) VALUES ($1, $2, $3)
      ON CONFLICT (kind, key) DO UPDATE SET forgotten = excluded.forgotten
      """, [.text(attempts.kind.rawValue), .text(attempts.key), .time(attempts.forgotten)])
  }

  func removeAttempts(_ kind: AttemptKind, forgottenBy now: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM attempt WHERE kind = $1 AND forgotten <= $2 AND key = ANY (ARRAY (
        SELECT key FROM attempt WHERE kind = $1 AND forgotten <= $2
        ORDER BY forgotten, key LIMIT $3 FOR UPDATE SKIP LOCKED))
      """, [.text(kind.rawValue), .time(now), .count(limit)])
  }
}

extension DeviceGrant {
  fileprivate static let columns = """
    id, device_code_hash, user_code_hash, client, address, network, site, device, name, platform,
      channel, environment, requested, expires, forgotten, poll_interval, state, user_id
    """

  fileprivate init(row: PostgresRow) throws {
    var registration: DeviceRegistration?
    if let device = try row.textIfAny("device") {
      registration = DeviceRegistration(
        id: DeviceID(device), name: try row.text("name"), platform: try row.text("platform"),
        channel: try row.name("channel"), environment: try row.environment("environment"))
    }
    let interval: Int64 = try row.value("poll_interval")
    let decider: Int64? = try row.optional("user_id")
    self.init(
      id: try row.id("id"), deviceCodeHash: try row.bytes("device_code_hash"),
      userCodeHash: try row.bytes("user_code_hash"),
      request: DeviceGrantRequest(
        client: try row.text("client"), registration: registration,
        address: try row.text("address"), network: try row.text("network"),
        site: try row.text("site")),
      requested: try row.time("requested"), expires: try row.time("expires"),
      forgotten: try row.time("forgotten"), interval: .milliseconds(interval),
      state: try row.name("state"), decider: decider.map { UserID(rawValue: $0) })
  }
}
#endif
