internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  // MARK: - Devices

  func device(_ id: DeviceID, of user: UserID) throws -> Device? {
    try first(
      "SELECT \(DeviceColumn.list) FROM device WHERE user = ? AND id = ?",
      [user.rawValue, id.rawValue], Device.init(row:))
  }

  func devices(of user: UserID) throws -> [Device] {
    try all(
      "SELECT \(DeviceColumn.list) FROM device WHERE user = ? ORDER BY registered, id",
      [user.rawValue], Device.init(row:))
  }

  func put(_ device: Device, of user: UserID) throws {
    noteAccess(user)
    let registration = device.registration
    try run(
      """
      INSERT INTO device (user, \(DeviceColumn.list)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (user, id) DO UPDATE SET
        name = excluded.name, platform = excluded.platform, channel = excluded.channel,
        registered = excluded.registered, renewed = excluded.renewed, expires = excluded.expires,
        environment = excluded.environment
      """,
      [
        user.rawValue, device.id.rawValue, registration.name, registration.platform,
        registration.channel.rawValue, device.registered.milliseconds,
        device.renewed.milliseconds, device.expires.milliseconds,
        registration.environment.column,
      ])
  }

  func removeDevice(_ id: DeviceID, of user: UserID) throws {
    noteAccess(user)
    try run(
      """
      DELETE FROM outbox_number WHERE user = ?1
        AND outbox IN (SELECT id FROM outbox WHERE user = ?1 AND device = ?2)
      """, [user.rawValue, id.rawValue])
    try run("DELETE FROM outbox WHERE user = ? AND device = ?", [user.rawValue, id.rawValue])
    try run("DELETE FROM device WHERE user = ? AND id = ?", [user.rawValue, id.rawValue])
  }

  // MARK: - Access tokens

  func accessTokens(
    hashedLike hash: [UInt8]
  ) throws -> [(token: AccessToken, hash: [UInt8])] {
    try all(
      "SELECT \(TokenColumn.list), hash FROM access_token WHERE hash_head = ?",
      [Self.head(of: hash)]
    ) { (try AccessToken(row: $0), try $0.bytes(TokenColumn.allCases.count)) }
  }

  func accessToken(_ id: AccessTokenID, of user: UserID) throws -> AccessToken? {
    try first(
      "SELECT \(TokenColumn.list) FROM access_token WHERE user = ? AND id = ?",
      [user.rawValue, id.blob], AccessToken.init(row:))
  }

  func accessTokens(of user: UserID) throws -> [AccessToken] {
    try all(
      "SELECT \(TokenColumn.list) FROM access_token WHERE user = ? ORDER BY id",
      [user.rawValue], AccessToken.init(row:))
  }

  func unrevokedTokens(of user: UserID) throws -> [AccessToken] {
    try all(
      """
      SELECT \(TokenColumn.list) FROM access_token INDEXED BY access_token_unrevoked
      WHERE user = ? AND revoked IS NULL ORDER BY id
      """, [user.rawValue], AccessToken.init(row:))
  }

  func tokenCount(of user: UserID, holdingAt now: Timestamp) throws -> Int {
    try first(
      """
      SELECT count(*) FROM access_token INDEXED BY access_token_unrevoked
      WHERE user = ? AND revoked IS NULL AND (expires IS NULL OR expires > ?)
      """, [user.rawValue, now.milliseconds]
    ) { $0[0] } ?? 0
  }

  func forgottenTokens(of user: UserID) throws -> [AccessTokenID] {
    try all("SELECT id FROM forgotten_token WHERE user = ? ORDER BY id", [user.rawValue]) {
      try $0.id(0)
    }
  }

  func insert(_ token: AccessToken, hash: [UInt8]) throws {
    noteAccess(token.user)
    try run(
      """
      INSERT INTO access_token (\(TokenColumn.list), hash_head, hash)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        token.id.blob, token.user.rawValue, token.name, token.scope.column.kind,
        token.scope.column.value, token.created.milliseconds, token.expires?.milliseconds,
        token.revoked?.milliseconds, token.lastUsed?.milliseconds, token.revokedBy,
        Self.head(of: hash), hash.blob,
      ])
  }

  func update(_ token: AccessToken) throws {
    noteAccess(token.user)
    try run(
      """
      UPDATE access_token SET name = ?, scope = ?, scope_value = ?, expires = ?, revoked = ?,
        last_used = ?, revoked_by = ?
      WHERE user = ? AND id = ?
      """,
      [
        token.name, token.scope.column.kind, token.scope.column.value,
        token.expires?.milliseconds, token.revoked?.milliseconds, token.lastUsed?.milliseconds,
        token.revokedBy, token.user.rawValue, token.id.blob,
      ])
  }

  func removeEndedTokens(before time: Timestamp, limit: Int) throws -> Int {
    let ended: [(user: UserID, id: AccessTokenID)] = try all(
      """
      SELECT user, id FROM access_token AS t INDEXED BY access_token_ends WHERE ends < ?
        AND NOT EXISTS (SELECT 1 FROM sign_in AS s WHERE s.user = t.user AND s.token = t.id)
      ORDER BY ends LIMIT ?
      """, [time.milliseconds, limit]
    ) { (UserID(rawValue: $0[0]), try $0.id(1)) }
    for (user, id) in ended { try forget(id, of: user) }
    return ended.count
  }

  func removeEndedTokens(
    of user: UserID, by now: Timestamp, keeping count: Int, limit: Int
  ) throws {
    let latest: Int64? = try first(
      """
      SELECT ends FROM access_token INDEXED BY access_token_user_ends
      WHERE user = ? AND ends <= ? ORDER BY ends DESC LIMIT 1 OFFSET ?
      """, [user.rawValue, now.milliseconds, count]
    ) { $0[0] }
    guard let latest else { return }
    let ended: [AccessTokenID] = try all(
      """
      SELECT id FROM access_token AS t INDEXED BY access_token_user_ends
      WHERE user = ? AND ends <= ?
        AND NOT EXISTS (SELECT 1 FROM sign_in AS s WHERE s.user = t.user AND s.token = t.id)
      ORDER BY ends LIMIT ?
      """, [user.rawValue, latest, limit]
    ) { try $0.id(0) }
    for id in ended { try forget(id, of: user) }
  }

  /// Removes an ended token. The ids of the newest revoked ones remain.
  private func forget(_ id: AccessTokenID, of user: UserID) throws {
    noteAccess(user)
    try run(
      """
      INSERT INTO forgotten_token (user, id)
      SELECT user, id FROM access_token WHERE user = ? AND id = ? AND revoked IS NOT NULL
      """, [user.rawValue, id.blob])
    try run(
      """
      DELETE FROM forgotten_token WHERE user = ?1 AND id <= (
        SELECT id FROM forgotten_token WHERE user = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, [user.rawValue, AccessToken.forgottenMax])
    try run("DELETE FROM access_token WHERE user = ? AND id = ?", [user.rawValue, id.blob])
  }

  /// Returns the first eight bytes of a hash, which the index contains.
  static func head(of hash: [UInt8]) -> Int64 {
    Int64(bitPattern: hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

private enum DeviceColumn: Int, TableColumn {
  case id, name, platform, channel, registered, renewed, expires, environment
}

extension Device {
  fileprivate init(row: Row) throws {
    let row = NamedRow<DeviceColumn>(row)
    self.init(
      registration: DeviceRegistration(
        id: DeviceID(row[.id] as String), name: row[.name], platform: row[.platform],
        channel: try row.value(.channel), environment: try row.environment(.environment)),
      registered: row.time(.registered), renewed: row.time(.renewed), expires: row.time(.expires))
  }
}

private enum TokenColumn: Int, TableColumn {
  case id, user, name, scope, scopeValue, created, expires, revoked, lastUsed, revokedBy
}

extension AccessToken {
  fileprivate init(row: Row) throws {
    let row = NamedRow<TokenColumn>(row)
    guard let scope = AccessScope(kind: row[.scope], value: row[.scopeValue]) else {
      throw row.damaged()
    }
    self.init(
      id: try row.id(.id), user: UserID(rawValue: row[.user]), name: row[.name], scope: scope,
      created: row.time(.created), expires: row.optionalTime(.expires),
      revoked: row.optionalTime(.revoked), revokedBy: row[.revokedBy],
      lastUsed: row.optionalTime(.lastUsed))
  }
}
