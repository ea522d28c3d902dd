#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// Devices and access tokens.
extension PostgresTransaction {
  // MARK: - Devices

  func device(_ id: DeviceID, of user: UserID) throws -> Device? {
    try first(
      "SELECT \(Device.columns) FROM device WHERE user_id = $1 AND id = $2",
      [.user(user), .text(id.rawValue)], Device.init(row:))
  }

  func devices(of user: UserID) throws -> [Device] {
    try all(
      "SELECT \(Device.columns) FROM device WHERE user_id = $1 ORDER BY registered, id",
      [.user(user)], Device.init(row:))
  }

  func put(_ device: Device, of user: UserID) throws {
    noteAccess(user)
    let registration = device.registration
    try write(
      """
      INSERT INTO device (user_id, \(Device.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (user_id, id) DO UPDATE SET
        name = excluded.name, platform = excluded.platform, channel = excluded.channel,
        environment = excluded.environment, registered = excluded.registered,
        renewed = excluded.renewed, expires = excluded.expires
      """,
      [
        .user(user), .text(device.id.rawValue), .text(registration.name),
        .text(registration.platform), .text(registration.channel.rawValue),
        .text(registration.environment.column), .time(device.registered), .time(device.renewed),
        .time(device.expires),
      ])
  }

  func removeDevice(_ id: DeviceID, of user: UserID) throws {
    noteAccess(user)
    let key: [PostgresValue] = [.user(user), .text(id.rawValue)]
    try write(
      """
      DELETE FROM outbox_number WHERE user_id = $1
        AND outbox IN (SELECT id FROM outbox WHERE user_id = $1 AND device = $2)
      """, key)
    try write("DELETE FROM outbox WHERE user_id = $1 AND device = $2", key)
    try write("DELETE FROM device WHERE user_id = $1 AND id = $2", key)
  }

  // MARK: - Access tokens

  /// Finds tokens of any user, because only the token tells whose it is.
  func accessTokens(
    hashedLike hash: [UInt8]
  ) throws -> [(token: AccessToken, hash: [UInt8])] {
    try all(
      "SELECT \(AccessToken.columns), hash FROM access_token WHERE substring(hash, 1, 8) = $1",
      [.bytes(Array(hash.prefix(8)))]
    ) { row in (token: try AccessToken(row: row), hash: try row.bytes("hash")) }
  }

  func accessToken(_ id: AccessTokenID, of user: UserID) throws -> AccessToken? {
    try first(
      "SELECT \(AccessToken.columns) FROM access_token WHERE user_id = $1 AND id = $2",
      [.user(user), .id(id)], AccessToken.init(row:))
  }

  func accessTokens(of user: UserID) throws -> [AccessToken] {
    try all(
      "SELECT \(AccessToken.columns) FROM access_token WHERE user_id = $1 ORDER BY id",
      [.user(user)], AccessToken.init(row:))
  }

  func unrevokedTokens(of user: UserID) throws -> [AccessToken] {
    try all(
      """
      SELECT \(AccessToken.columns) FROM access_token
      WHERE user_id = $1 AND revoked IS NULL ORDER BY id
      """, [.user(user)], AccessToken.init(row:))
  }

  func tokenCount(of user: UserID, holdingAt now: Timestamp) throws -> Int {
    let count: Int? = try first(
      """
      SELECT count(*) AS count FROM access_token
      WHERE user_id = $1 AND revoked IS NULL AND (expires IS NULL OR expires > $2)
      """, [.user(user), .time(now)]
    ) { try $0.value("count") }
    return count ?? 0
  }

  func forgottenTokens(of user: UserID) throws -> [AccessTokenID] {
    try all("SELECT id FROM forgotten_token WHERE user_id = $1 ORDER BY id", [.user(user)]) {
      try $0.id("id")
    }
  }

  func insert(_ token: AccessToken, hash: [UInt8]) throws {
    noteAccess(token.user)
    let scope = token.scope.column
    try write(
      """
      INSERT INTO access_token (\(AccessToken.columns), hash)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      """,
      [
        .user(token.user), .id(token.id), .text(token.name), .text(scope.kind),
        .text(scope.value), .time(token.created), .time(token.expires), .time(token.revoked),
        .text(token.revokedBy), .time(token.lastUsed), .bytes(hash),
      ])
  }

  func update(_ token: AccessToken) throws {
    noteAccess(token.user)
    let scope = token.scope.column
    try write(
      """
      UPDATE access_token SET name = $3, scope = $4, scope_value = $5, expires = $6, revoked = $7,
        revoked_by = $8, last_used = $9
      WHERE user_id = $1 AND id = $2
      """,
      [
        .user(token.user), .id(token.id), .text(token.name), .text(scope.kind),
        .text(scope.value), .time(token.expires), .time(token.revoked), .text(token.revokedBy),
        .time(token.lastUsed),
      ])
  }

  // MARK: - Ended tokens

  /// Checks the end of each token again at the moment at which it is deleted, because no user is
  /// locked. A token that another transaction is changing stays for the next sweep.
  func removeEndedTokens(before time: Timestamp, limit: Int) throws -> Int {
    try removeTokens(
      """
      WITH gone AS (
        DELETE FROM access_token AS t WHERE t.ends < $1 AND t.ctid = ANY (ARRAY (
          SELECT e.ctid FROM access_token AS e WHERE e.ends < $1 AND NOT EXISTS (
            SELECT FROM sign_in AS s WHERE s.user_id = e.user_id AND s.token = e.id)
          ORDER BY e.ends LIMIT $2 FOR UPDATE OF e SKIP LOCKED))
        RETURNING t.user_id, t.id, t.revoked
      ), \(Self.forgetting)
      """, [.time(time), .count(limit)])
  }

  func removeEndedTokens(
    of user: UserID, by now: Timestamp, keeping count: Int, limit: Int
  ) throws {
    _ = try removeTokens(
      """
      WITH gone AS (
        DELETE FROM access_token AS t WHERE t.user_id = $1 AND t.id = ANY (ARRAY (
          SELECT e.id FROM access_token AS e
          WHERE e.user_id = $1 AND e.ends <= $2 AND (e.ends, e.id) <= (
              SELECT l.ends, l.id FROM access_token AS l WHERE l.user_id = $1 AND l.ends <= $2
              ORDER BY l.ends DESC, l.id DESC LIMIT 1 OFFSET $3)
            AND NOT EXISTS (
              SELECT FROM sign_in AS s WHERE s.user_id = e.user_id AND s.token = e.id)
          ORDER BY e.ends, e.id LIMIT $4))
        RETURNING t.user_id, t.id, t.revoked
      ), \(Self.forgetting)
      """, [.user(user), .time(now), .count(count), .count(limit)])
  }

  /// The rest of a statement that deletes tokens: it remembers the revoked ones, and counts all by
  /// user.
  private static let forgetting = """
    kept AS (
      INSERT INTO forgotten_token (user_id, id)
      SELECT user_id, id FROM gone WHERE revoked IS NOT NULL
      ON CONFLICT (user_id, id) DO NOTHING
    )
    SELECT user_id, count(*) AS count, count(revoked) AS revoked FROM gone
    GROUP BY user_id ORDER BY user_id
    """

  /// Deletes tokens, and returns their number. The ids of the newest revoked ones remain.
  private func removeTokens(_ sql: String, _ values: [PostgresValue]) throws -> Int {
    let counts: [(user: UserID, all: Int, revoked: Int)] = try all(sql, values) { row in
      (
        user: try row.user("user_id"), all: try row.value("count"),
        revoked: try row.value("revoked")
      )
    }
    for count in counts {
      noteAccess(count.user)
      guard count.revoked > 0 else { continue }
      try write(
        """
        DELETE FROM forgotten_token WHERE user_id = $1 AND id <= (
          SELECT id FROM forgotten_token WHERE user_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)
        """, [.user(count.user), .count(AccessToken.forgottenMax)])
    }
    return counts.reduce(0) { $0 + $1.all }
  }

  // MARK: - Open streams

  func sequences(of users: [UserID]) throws -> [UserID: SequenceNumber] {
    let found: [(UserID, SequenceNumber)] = try all(
      "SELECT id, sequence FROM users WHERE id = ANY ($1)", [.users(users)]
    ) { row in (try row.user("id"), try row.sequence("sequence")) }
    return Dictionary(found) { first, _ in first }
  }

  func tokens(
    among tokens: [UserToken], holdingAt now: Timestamp
  ) throws -> Set<UserToken> {
    let found: [UserToken] = try all(
      """
      SELECT t.user_id, t.id FROM unnest($1, $2) AS known (user_id, id)
      JOIN access_token AS t ON t.user_id = known.user_id AND t.id = known.id
      WHERE t.ends IS NULL OR t.ends > $3
      """, [.users(tokens.map(\.user)), .ids(tokens.map(\.id)), .time(now)]
    ) { row in UserToken(user: try row.user("user_id"), id: try row.id("id")) }
    return Set(found)
  }
}

extension Device {
  fileprivate static let columns = """
    id, name, platform, channel, environment, registered, renewed, expires
    """

  fileprivate init(row: PostgresRow) throws {
    self.init(
      registration: DeviceRegistration(
        id: try row.name("id"), name: try row.text("name"), platform: try row.text("platform"),
        channel: try row.name("channel"), environment: try row.environment("environment")),
      registered: try row.time("registered"), renewed: try row.time("renewed"),
      expires: try row.time("expires"))
  }
}

extension AccessToken {
  fileprivate static let columns = """
    user_id, id, name, scope, scope_value, created, expires, revoked, revoked_by, last_used
    """

  fileprivate init(row: PostgresRow) throws {
    guard
      let scope = AccessScope(
        kind: try row.text("scope"), value: try row.textIfAny("scope_value"))
    else { throw row.damaged() }
    self.init(
      id: try row.id("id"), user: try row.user("user_id"), name: try row.text("name"),
      scope: scope, created: try row.time("created"), expires: try row.timeIfAny("expires"),
      revoked: try row.timeIfAny("revoked"), revokedBy: try row.textIfAny("revoked_by"),
      lastUsed: try row.timeIfAny("last_used"))
  }
}
#endif
