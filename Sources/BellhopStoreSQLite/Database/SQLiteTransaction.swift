internal import BellhopModel
internal import BellhopStore
internal import GRDB
internal import GRDBSQLite

/// A transaction or a reader's snapshot, as required by the store's logic. Most statements are
/// compiled once per connection.
final class SQLiteTransaction: StoreTransaction {
  private let database: Database
  private(set) var accessChanges: Set<UserID> = []
  var takenSequence: TakenSequence?
  var changedRevocation: AccessToken?
  var publishTally = PublishTally()

  init(_ database: Database) {
    self.database = database
  }

  func noteAccess(_ user: UserID) { accessChanges.insert(user) }

  /// Locks nothing, because the transaction has locked the whole database.
  func lock(_ user: UserID) {}

  /// Returns the arguments of a statement.
  ///
  /// SQLite's texts end at U+0000. A text that contains it is refused before it is stored truncated
  /// or mistaken for another.
  private func bound(_ arguments: [(any DatabaseValueConvertible)?]) throws -> StatementArguments {
    for case let text as String in arguments where text.utf8.contains(0) {
      throw StoreError.invalid(field: "text", expectation: "text without U+0000")
    }
    return StatementArguments(arguments)
  }

  func run(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws {
    try database.cachedStatement(sql: sql).execute(arguments: bound(arguments))
  }

  /// Runs a statement and returns the number of changed rows.
  func count(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws -> Int {
    try run(sql, arguments)
    return database.changesCount
  }

  func first<Value>(
    _ sql: String, _ arguments: [(any DatabaseValueConvertible)?], _ decode: (Row) throws -> Value
  ) throws -> Value? {
    let statement = try database.cachedStatement(sql: sql)
    return try first(statement, arguments, decode)
  }

  func all<Value>(
    _ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = [],
    _ decode: (Row) throws -> Value
  ) throws -> [Value] {
    try rows(sql, arguments) { _, row in try decode(row) }
  }

  /// Returns the rows that fit on a page.
  func page<Value>(
    _ sql: String, _ arguments: [(any DatabaseValueConvertible)?], _ limit: PageLimit,
    bytes: (Value) -> Int, _ decode: (Row) throws -> Value
  ) throws -> [Value] {
    var count = 0
    return try rows(sql, arguments) { values, row in
      guard values.count < limit.rows, count < limit.bytes else { return nil }
      let value = try decode(row)
      count += bytes(value)
      return value
    }
  }

  /// Decodes rows until there are no more, or until `decode` returns nil.
  private func rows<Value>(
    _ sql: String, _ arguments: [(any DatabaseValueConvertible)?],
    _ decode: ([Value], Row) throws -> Value?
  ) throws -> [Value] {
    let statement = try database.cachedStatement(sql: sql)
    let rows = try Row.fetchCursor(statement, arguments: bound(arguments))
    var values: [Value] = []
    while let row = try rows.next() {
      guard let value = try decode(values, row) else { break }
      values.append(value)
    }
    return values
  }

  /// Steps through rows until there are no more, or until `body` returns false.
  ///
  /// The statement is compiled for this call only, because clients can combine conditions in
  /// endless ways.
  func scan(
    _ sql: String, _ arguments: [(any DatabaseValueConvertible)?], _ body: (Row) throws -> Bool
  ) throws {
    let rows = try Row.fetchCursor(
      database, sql: sql, arguments: bound(arguments))
    while let row = try rows.next(), try body(row) {}
  }

  /// Runs statements that a deadline may interrupt.
  ///
  /// SQLite checks the deadline after a number of instructions, even within a statement. It
  /// interrupts the running statement and thereby `body`. The results that `body` has collected by
  /// then remain.
  func run(until stop: StatementDeadline, _ body: () throws -> Void) throws {
    let connection = database.sqliteConnection
    // The handler holds no reference: it is removed before this function returns, and `stop`
    // outlives it.
    sqlite3_progress_handler(
      connection, StatementDeadline.instructionCount,
      { stop in
        guard let stop else { return 0 }
        return Unmanaged<StatementDeadline>.fromOpaque(stop).takeUnretainedValue().isDue() ? 1 : 0
      }, Unmanaged.passUnretained(stop).toOpaque())
    defer { sqlite3_progress_handler(connection, 0, nil, nil) }
    do {
      try withExtendedLifetime(stop) { try body() }
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_INTERRUPT && stop.hasStopped
    {}
  }

  /// Compiles a statement for the caller only.
  func statement(_ sql: String) throws -> Statement { try database.makeStatement(sql: sql) }

  func first<Value>(
    _ statement: Statement, _ arguments: [(any DatabaseValueConvertible)?],
    _ decode: (Row) throws -> Value
  ) throws -> Value? {
    // The row belongs to the cursor, which resets the statement at its end.
    let rows = try Row.fetchCursor(statement, arguments: bound(arguments))
    return try withExtendedLifetime(rows) { try rows.next().map(decode) }
  }

  /// The id of the last inserted row.
  var lastInsertedID: Int64 { database.lastInsertedRowID }

  // MARK: - Metadata and starts

  /// Nil, because one process serves the file. Each of its runs is another life of the data.
  var lifeKey: LifeKey? { nil }

  func metadata(_ key: MetadataKey) throws -> [UInt8]? {
    try first("SELECT value FROM metadata WHERE key = ?", [key.rawValue]) { try $0.bytes(0) }
  }

  func setMetadata(_ value: [UInt8], for key: MetadataKey) throws {
    try run(
      """
      INSERT INTO metadata (key, value) VALUES (?, ?)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """, [key.rawValue, value.blob])
  }

  func start(_ id: UniqueID<StoreStart>) throws -> StoreStart? {
    try first(
      "SELECT ordinal, id, at, life FROM start WHERE id = ?", [id.blob], StoreStart.init(row:))
  }

  func latestStart() throws -> StoreStart? {
    try first(
      "SELECT ordinal, id, at, life FROM start ORDER BY ordinal DESC LIMIT 1", [],
      StoreStart.init(row:))
  }

  func insertStart(
    _ id: UniqueID<StoreStart>, at time: Timestamp, lifeKey: LifeKey?, after previous: StoreStart?
  ) throws -> StoreStart {
    if let latest = try latestStart(), latest.id != previous?.id { return latest }
    try run(
      "INSERT INTO start (id, at, life) VALUES (?, ?, ?)",
      [id.blob, time.milliseconds, lifeKey?.rawValue])
    return StoreStart(ordinal: lastInsertedID, id: id, at: time, lifeKey: lifeKey)
  }

  // MARK: - Users

  func users() throws -> [User] {
    try all("SELECT id, name, created FROM user ORDER BY id", [], User.init(row:))
  }

  func user(_ id: UserID) throws -> User? {
    try first(
      "SELECT id, name, created FROM user WHERE id = ?", [id.rawValue], User.init(row:))
  }

  func user(named name: String) throws -> User? {
    try first("SELECT id, name, created FROM user WHERE name = ?", [name], User.init(row:))
  }

  func insertUser(named name: String, created: Timestamp) throws -> User {
    do {
      try run("INSERT INTO user (name, created) VALUES (?, ?)", [name, created.milliseconds])
    } catch let error as DatabaseError
      where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
    {
      throw StoreError.alreadyExists(what: "the user")
    }
    return User(id: UserID(rawValue: lastInsertedID), name: name, created: created)
  }

  func counters(of user: UserID) throws -> UserCounters? {
    try first(
      "SELECT \(CounterColumn.list) FROM user WHERE id = ?", [user.rawValue]
    ) { row in
      let row = NamedRow<CounterColumn>(row)
      var counters = UserCounters()
      counters.sequence = SequenceNumber(row[.sequence])
      counters.floor = SequenceNumber(row[.floor])
      counters.shortNumber = row[.shortNumber]
      counters.start = row[.start]
      counters.apps = row[.apps]
      counters.use = StorageUse(
        items: row[.items], tombstones: row[.tombstones], bytes: row[.bytes])
      counters.changed = row.optionalTime(.changed)
      counters.rules = SequenceNumber(row[.rules])
      return counters
    }
  }

  func setCounters(_ counters: UserCounters, of user: UserID) throws {
    try run(
      """
      UPDATE user SET sequence = ?, floor = ?, short_number = ?, start = ?, apps = ?, items = ?,
        tombstones = ?, bytes = ?, changed = ?, rules = ? WHERE id = ?
      """,
      [
        counters.sequence.rawValue, counters.floor.rawValue, counters.shortNumber,
        counters.start, counters.apps, counters.use.items, counters.use.tombstones,
        counters.use.bytes, counters.changed?.milliseconds, counters.rules.rawValue,
        user.rawValue,
      ])
  }

  func sequence(
    of user: UserID, beforeStartAfter ordinal: Int64
  ) throws -> SequenceNumber? {
    try first(
      """
      SELECT sequence FROM start_sequence WHERE user = ? AND start > ? ORDER BY start LIMIT 1
      """, [user.rawValue, ordinal]
    ) { SequenceNumber($0[0]) }
  }

  func insertStartSequence(
    _ sequence: SequenceNumber, start ordinal: Int64, of user: UserID
  ) throws {
    try run(
      "INSERT INTO start_sequence (user, start, sequence) VALUES (?, ?, ?)",
      [user.rawValue, ordinal, sequence.rawValue])
  }
}

/// A deadline that interrupts statements. Used on its connection's queue only.
final class StatementDeadline {
  /// The number of SQLite virtual machine instructions between two clock checks. It covers some
  /// tens of rows of an ordinary filter, or three of the slowest one.
  static let instructionCount: CInt = 1000

  private let deadline: WorkDeadline
  /// Whether statements may be interrupted; only once there is a place to continue from.
  var isArmed: Bool
  /// Whether a statement was interrupted.
  private(set) var hasStopped = false

  init(_ deadline: WorkDeadline, isArmed: Bool = false) {
    self.deadline = deadline
    self.isArmed = isArmed
  }

  /// Returns whether the running statement must be interrupted.
  fileprivate func isDue() -> Bool {
    guard isArmed, deadline.hasPassed else { return false }
    hasStopped = true
    return true
  }
}

extension StoreStart {
  fileprivate init(row: Row) throws {
    self.init(
      ordinal: row[0], id: try row.id(1), at: row.time(2),
      lifeKey: (row[3] as String?).map { LifeKey($0) })
  }
}

extension User {
  fileprivate init(row: Row) throws {
    self.init(id: UserID(rawValue: row[0]), name: row[1], created: row.time(2))
  }
}

private enum CounterColumn: Int, TableColumn {
  case sequence, floor, shortNumber, start, apps, items, tombstones, bytes, changed, rules
}
