internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  private static let deviceColumns = "id, name, platform, channel, registered, renewed, expires"
  private static let tokenColumns =
    "id, user, name, scope, scope_value, created, expires, revoked, last_used, revoked_by"

  // MARK: - Devices

  func device(_ id: DeviceID, of user: UserID) throws -> Device? {
    try first(
      "SELECT \(Self.deviceColumns) FROM device WHERE user = ? AND id = ?",
      [user.rawValue, id.rawValue], Device.init(row:))
  }

  func devices(of user: UserID) throws -> [Device] {
    try all(
      "SELECT \(Self.deviceColumns) FROM device WHERE user = ? ORDER BY registered, id",
      [user.rawValue], Device.init(row:))
  }

  func put(_ device: Device, of user: UserID) throws {
    noteAccess(user)
    let registration = device.registration
    try run(
      """
      INSERT INTO device (user, \(Self.deviceColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (user, id) DO UPDATE SET
        name = excluded.name, platform = excluded.platform, channel = excluded.channel,
        registered = excluded.registered, renewed = excluded.renewed, expires = excluded.expires
      """,
      [
        user.rawValue, device.id.rawValue, registration.name, registration.platform,
        registration.channel.rawValue, device.registered.milliseconds,
        device.renewed.milliseconds, device.expires.milliseconds,
      ])
  }

  func removeDevice(_ id: DeviceID, of user: UserID) throws {
    noteAccess(user)
    for table in ["outbox_number", "outbox"] {
      try run(
        "DELETE FROM \(table) WHERE user = ? AND device = ?", [user.rawValue, id.rawValue])
    }
    try run("DELETE FROM device WHERE user = ? AND id = ?", [user.rawValue, id.rawValue])
  }

  // MARK: - Access tokens

  func accessTokens(
    hashedLike hash: [UInt8]
  ) throws -> [(token: AccessToken, hash: [UInt8])] {
    try all(
      "SELECT \(Self.tokenColumns), hash FROM access_token WHERE hash_head = ?",
      [Self.head(of: hash)]
    ) { (try AccessToken(row: $0), try $0.bytes(10)) }
  }

  func accessToken(_ id: AccessTokenID, of user: UserID) throws -> AccessToken? {
    try first(
      "SELECT \(Self.tokenColumns) FROM access_token WHERE user = ? AND id = ?",
      [user.rawValue, id.blob], AccessToken.init(row:))
  }

  func accessTokens(of user: UserID) throws -> [AccessToken] {
    try all(
      "SELECT \(Self.tokenColumns) FROM access_token WHERE user = ? ORDER BY id",
      [user.rawValue], AccessToken.init(row:))
  }

  func insert(_ token: AccessToken, hash: [UInt8]) throws {
    noteAccess(token.user)
    try run(
      """
      INSERT INTO access_token (\(Self.tokenColumns), hash_head, hash)
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

  /// The first eight bytes of a hash: what the index knows of it.
  private static func head(of hash: [UInt8]) -> Int64 {
    Int64(bitPattern: hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

extension Device {
  fileprivate init(row: Row) throws {
    self.init(
      registration: DeviceRegistration(
        id: DeviceID(row[0] as String), name: row[1], platform: row[2],
        channel: try row.value(3)),
      registered: row.time(4), renewed: row.time(5), expires: row.time(6))
  }
}

extension AccessToken {
  fileprivate init(row: Row) throws {
    guard let scope = AccessScope(kind: row[3], value: row[4]) else { throw row.damaged() }
    self.init(
      id: try row.id(0), user: UserID(rawValue: row[1]), name: row[2], scope: scope,
      created: row.time(5), expires: row.optionalTime(6), revoked: row.optionalTime(7),
      revokedBy: row[9], lastUsed: row.optionalTime(8))
  }
}

extension AccessScope {
  fileprivate var column: (kind: String, value: String?) {
    switch self {
    case .device(let id): ("device", id?.rawValue)
    case .publish(let pattern): ("publish", pattern.text)
    case .app(let app): ("app", app)
    case .enrol: ("enrol", nil)
    }
  }

  fileprivate init?(kind: String, value: String?) {
    switch kind {
    case "device": self = .device(value.map { DeviceID($0) })
    case "publish":
      guard let pattern = value.flatMap({ AppPattern($0) }) else { return nil }
      self = .publish(pattern)
    case "app":
      guard let value else { return nil }
      self = .app(value)
    case "enrol": self = .enrol
    default: return nil
    }
  }
}
