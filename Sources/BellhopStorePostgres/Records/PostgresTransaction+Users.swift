#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

extension PostgresTransaction {
  // MARK: - Metadata and starts

  /// The key that was determined when the connection was opened.
  var lifeKey: LifeKey? { connection.lifeKey }

  func metadata(_ key: MetadataKey) throws -> [UInt8]? {
    try first("SELECT value FROM metadata WHERE key = $1", [.text(key.rawValue)]) {
      try $0.bytes("value")
    }
  }

  func setMetadata(_ value: [UInt8], for key: MetadataKey) throws {
    try write(
      """
      INSERT INTO metadata (key, value) VALUES ($1, $2)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """, [.text(key.rawValue), .bytes(value)])
  }

  func start(_ id: UniqueID<StoreStart>) throws -> StoreStart? {
    let rows = try rows(
      "SELECT ordinal, id AS start_id, at AS start_at, life FROM start WHERE id = $1", [.id(id)])
    return rows.isEmpty ? nil : try StoreStart(ifAnyIn: rows[0])
  }

  func latestStart() throws -> StoreStart? { try context.latestStart() }

  func insertStart(
    _ id: UniqueID<StoreStart>, at time: Timestamp, lifeKey: LifeKey?, after previous: StoreStart?
  ) throws -> StoreStart {
    // Another statement than the lock, which does not see what was committed while it waited.
    try connection.queue(AdvisoryLock.start)
    let latest = try context.readLatestStart()
    if let latest, latest.id != previous?.id {
      context.kept.latestStart = .some(latest)
      return latest
    }
    let start = StoreStart(
      ordinal: (latest?.ordinal ?? 0) + 1, id: id, at: time, lifeKey: lifeKey)
    try write(
      "INSERT INTO start (ordinal, id, at, life) VALUES ($1, $2, $3, $4)",
      [.integer(start.ordinal), .id(id), .time(time), .text(lifeKey?.rawValue)])
    context.kept.latestStart = .some(start)
    return start
  }

  // MARK: - Users

  func lock(_ user: UserID) throws { try context.lock(user) }

  func users() throws -> [User] {
    try all("SELECT id, name, created FROM users ORDER BY id", [], User.init(row:))
  }

  func user(_ id: UserID) throws -> User? {
    try first(
      "SELECT id, name, created FROM users WHERE id = $1", [.user(id)], User.init(row:))
  }

  func user(named name: String) throws -> User? {
    try first(
      "SELECT id, name, created FROM users WHERE name = $1", [.text(name)], User.init(row:))
  }

  /// Waits for another transaction that adds the same name, and then sees that it is taken.
  func insertUser(named name: String, created: Timestamp) throws -> User {
    let id = try first(
      """
      INSERT INTO users (name, created) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING
      RETURNING id
      """, [.text(name), .time(created)]
    ) { try $0.user("id") }
    guard let id else { throw StoreError.alreadyExists(what: "the user") }
    return User(id: id, name: name, created: created)
  }

  func counters(of user: UserID) throws -> UserCounters? { try context.counters(of: user) }

  func setCounters(_ counters: UserCounters, of user: UserID) throws {
    context.setCounters(counters, of: user)
  }

  func sequence(
    of user: UserID, beforeStartAfter ordinal: Int64
  ) throws -> SequenceNumber? {
    try first(
      """
      SELECT sequence FROM start_sequence WHERE user_id = $1 AND start > $2
      ORDER BY start LIMIT 1
      """, [.user(user), .integer(ordinal)]
    ) { try $0.sequence("sequence") }
  }

  func insertStartSequence(
    _ sequence: SequenceNumber, start ordinal: Int64, of user: UserID
  ) throws {
    try write(
      "INSERT INTO start_sequence (user_id, start, sequence) VALUES ($1, $2, $3)",
      [.user(user), .integer(ordinal), .sequence(sequence)])
  }
}

extension User {
  fileprivate init(row: PostgresRow) throws {
    self.init(
      id: try row.user("id"), name: try row.text("name"), created: try row.time("created"))
  }
}
#endif
