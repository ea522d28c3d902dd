internal import BellhopModel
internal import BellhopStore
internal import GRDB

/// Device grants, and the attempts that are counted with them.
extension SQLiteTransaction {
  func deviceGrant(deviceCodeHash hash: [UInt8]) throws -> DeviceGrant? {
    try first(
      "SELECT \(DeviceGrantColumn.list) FROM device_grant WHERE device_code_hash = ?",
      [hash.blob], DeviceGrant.init(row:))
  }

  func deviceGrant(userCodeHash hash: [UInt8]) throws -> DeviceGrant? {
    try first(
      "SELECT \(DeviceGrantColumn.list) FROM device_grant WHERE user_code_hash = ?", [hash.blob],
      DeviceGrant.init(row:))
  }

  func deviceGrantCount() throws -> Int {
    try first("SELECT count(*) FROM device_grant", []) { $0[0] } ?? 0
  }

  func pendingDeviceGrants(ofSite site: String, at now: Timestamp) throws -> [DeviceGrant] {
    try all(
      """
      SELECT \(DeviceGrantColumn.list) FROM device_grant
      WHERE site = ? AND state = 'pending' AND expires > ? ORDER BY id
      """, [site, now.milliseconds], DeviceGrant.init(row:))
  }

  func replaceableDeviceGrant() throws -> DeviceGrantID? {
    try first(
      """
      WITH crowd AS (SELECT site, count(*) AS number FROM device_grant GROUP BY site)
      SELECT id FROM device_grant
      WHERE site IN (SELECT site FROM crowd WHERE number = (SELECT max(number) FROM crowd))
      ORDER BY state = 'approved', id LIMIT 1
      """, []
    ) { try $0.id(0) }
  }

  func insert(_ grant: DeviceGrant) throws {
    let request = grant.request
    let registration = request.registration
    try run(
      """
      INSERT INTO device_grant (\(DeviceGrantColumn.list))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        grant.id.blob, grant.deviceCodeHash.blob, grant.userCodeHash.blob, request.client,
        request.address, request.network, request.site, registration?.id.rawValue,
        registration?.name, registration?.platform, registration?.channel.rawValue,
        registration?.environment.column, grant.requested.milliseconds,
        grant.expires.milliseconds, grant.forgotten.milliseconds, grant.interval.milliseconds,
        grant.state.rawValue, grant.decider?.rawValue,
      ])
  }

  func changeDeviceGrant(
    _ id: DeviceGrantID, from expected: DeviceGrant.State, to state: DeviceGrant.State,
    by user: UserID
  ) throws -> Bool {
    try count(
      """
      UPDATE device_grant SET state = ?, user = ?
      WHERE id = ? AND state = ? AND (user IS NULL OR user = ?)
      """,
      [state.rawValue, user.rawValue, id.blob, expected.rawValue, user.rawValue]) > 0
  }

  func raiseInterval(ofDeviceGrant id: DeviceGrantID, to interval: Duration) throws {
    try run(
      "UPDATE device_grant SET poll_interval = ?1 WHERE id = ?2 AND poll_interval < ?1",
      [interval.milliseconds, id.blob])
  }

  func removeDeviceGrant(_ id: DeviceGrantID) throws {
    try run("DELETE FROM device_grant WHERE id = ?", [id.blob])
  }

  func removeDeviceGrants(forgottenBy now: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM device_grant WHERE id IN (
        SELECT id FROM device_grant WHERE forgotten <= ? ORDER BY forgotten, id LIMIT ?)
      """, [now.milliseconds, limit])
  }

  // MARK: - Attempts

  func attempts(_ kind: AttemptKind, by key: String) throws -> Attempts? {
    try first(
      "SELECT forgotten FROM attempt WHERE kind = ? AND key = ?", [kind.rawValue, key]
    ) { Attempts(kind: kind, key: key, forgotten: $0.time(0)) }
  }

  func put(_ attempts: Attempts, keeping count: Int) throws {
    try run(
      """
      DELETE FROM attempt WHERE (kind, key) IN (
        SELECT kind, key FROM attempt WHERE kind = ? AND key <> ?
        ORDER BY forgotten DESC, key DESC LIMIT -1 OFFSET ?)
      """, [attempts.kind.rawValue, attempts.key, max(0, count - 1)])
    try run(
      """
      INSERT INTO attempt (kind, key, forgotten) VALUES (?, ?, ?)
      ON CONFLICT (kind, key) DO UPDATE SET forgotten = excluded.forgotten
      """, [attempts.kind.rawValue, attempts.key, attempts.forgotten.milliseconds])
  }

  func removeAttempts(_ kind: AttemptKind, forgottenBy now: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM attempt WHERE (kind, key) IN (
        SELECT kind, key FROM attempt WHERE kind = ? AND forgotten <= ?
        ORDER BY forgotten, key LIMIT ?)
      """, [kind.rawValue, now.milliseconds, limit])
  }
}

private enum DeviceGrantColumn: Int, TableColumn {
  case id, deviceCodeHash, userCodeHash, client, address, network, site, device, name, platform
  case channel, environment, requested, expires, forgotten, pollInterval, state, user
}

extension DeviceGrant {
  fileprivate init(row: Row) throws {
    let row = NamedRow<DeviceGrantColumn>(row)
    var registration: DeviceRegistration?
    if let device = row[.device] as String? {
      registration = DeviceRegistration(
        id: DeviceID(device), name: row[.name], platform: row[.platform],
        channel: try row.value(.channel), environment: try row.environment(.environment))
    }
    self.init(
      id: try row.id(.id), deviceCodeHash: try row.bytes(.deviceCodeHash),
      userCodeHash: try row.bytes(.userCodeHash),
      request: DeviceGrantRequest(
        client: row[.client], registration: registration, address: row[.address],
        network: row[.network], site: row[.site]),
      requested: row.time(.requested), expires: row.time(.expires),
      forgotten: row.time(.forgotten), interval: .milliseconds(row[.pollInterval] as Int64),
      state: try row.value(.state), decider: (row[.user] as Int64?).map(UserID.init(rawValue:)))
  }
}

extension Schema {
  /// Devices that wait to be signed in, and the attempts that are limited.
  static let deviceGrants = """
    CREATE TABLE device_grant (
      id BLOB NOT NULL PRIMARY KEY,
      device_code_hash BLOB NOT NULL UNIQUE,
      user_code_hash BLOB NOT NULL UNIQUE,
      client TEXT NOT NULL,
      address TEXT NOT NULL,
      network TEXT NOT NULL,
      site TEXT NOT NULL,
      device TEXT,              -- NULL, like the next three: the device registers later
      name TEXT,
      platform TEXT,
      channel TEXT,
      environment TEXT,
      requested INTEGER NOT NULL,
      expires INTEGER NOT NULL,
      forgotten INTEGER NOT NULL,
      poll_interval INTEGER NOT NULL,
      state TEXT NOT NULL,
      user INTEGER REFERENCES user(id) -- NULL: pending
    ) WITHOUT ROWID;
    CREATE INDEX device_grant_site ON device_grant (site, state, expires);
    CREATE INDEX device_grant_forgotten ON device_grant (forgotten);

    CREATE TABLE attempt (
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      forgotten INTEGER NOT NULL,
      PRIMARY KEY (kind, key)
    ) WITHOUT ROWID;
    CREATE INDEX attempt_forgotten ON attempt (kind, forgotten);
    """
}
