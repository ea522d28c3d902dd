#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// The part of a transaction that the bodies of a group share: its connection, and what it keeps in
/// memory.
///
/// It fetches a user's counters and the latest start together with the lock. It writes changed counters
/// once, together with the mark of the transaction.
final class TransactionContext {
  /// The values that go back when a savepoint is rolled back.
  struct Kept {
    /// The latest start, once it is known; the inner value is nil if there is none.
    var latestStart: StoreStart??
    /// The counters of the users whom the transaction has locked or changed.
    var counters: [UserID: KeptCounters] = [:]
    /// The items of locked users that the transaction has read or written.
    var items: [UserItem: UserNotification] = [:]
  }

  struct KeptCounters {
    /// nil for an unknown user.
    var counters: UserCounters?
    /// Whether the counters are not in the database yet.
    var isChanged = false
  }

  /// The kinds of transactions, by what they lock at their beginning.
  enum Kind: Hashable {
    /// A reader's snapshot.
    case snapshot
    case user(UserID)
    case users
    case store
  }

  let connection: PostgresConnection
  let kind: Kind
  var kept = Kept()
  /// The number of writes. It counts those that were rolled back, too.
  private(set) var writeCount = 0
  /// Whether a statement has deleted a user, and with the row a mark in it.
  private(set) var deletesUsers = false

  init(_ connection: PostgresConnection, _ kind: Kind) {
    self.connection = connection
    self.kind = kind
  }

  /// Begins the transaction and takes the lock of its kind, in at most one round trip.
  func begin() throws {
    switch kind {
    case .snapshot: try connection.begin(.snapshot)
    case .users: try connection.begin()
    case .store:
      try connection.begin()
      try connection.queue(AdvisoryLock.storeScope)
    case .user(let user):
      try connection.begin()
      try lock(user)
    }
  }

  // MARK: - Writes

  /// Records that a statement may write.
  func noteWrite(_ sql: String) {
    writeCount += 1
    guard sql.hasPrefix("DELETE FROM users") else { return }
    deletesUsers = true
    // The next body must not see the counters of a user who is gone.
    kept.counters = [:]
  }

  /// Writes changed counters before a statement that may read them.
  func writeCounters(before sql: String) throws {
    guard kept.counters.contains(where: \.value.isChanged), sql.namesUsers else { return }
    try writeCounters()
  }

  /// Sends all changed counters.
  func writeCounters() throws {
    for user in changedUsers {
      guard let counters = kept.counters[user]?.counters else { continue }
      try connection.queue(Self.setCounters, values: Self.values(of: counters, user))
      kept.counters[user]?.isChanged = false
    }
  }

  /// Sends all changed counters and the mark of the transaction, if it has written anything.
  ///
  /// - Parameters:
  ///   - process: The number of this process, for the mark.
  ///   - number: The random number of the mark.
  /// - Returns: The mark by which the outcome can be found out; nil if nothing was written.
  func finish(by process: UInt64, mark number: UInt64) throws -> CommitMark? {
    guard writeCount > 0 else { return nil }
    guard case .user(let user) = kind, !deletesUsers, kept.counters[user]?.counters != nil else {
      try writeCounters()
      let mark = CommitMark(process: process, number: number, user: nil)
      try mark.insert(on: connection)
      return mark
    }
    let mark = CommitMark(process: process, number: number, user: user)
    if let entry = kept.counters[user], entry.isChanged, let counters = entry.counters {
      try connection.queue(
        Self.setCountersAndMark, values: Self.values(of: counters, user) + [.bytes(mark.bytes)])
      kept.counters[user]?.isChanged = false
    } else {
      try connection.queue(Self.setMark, .user(user), .bytes(mark.bytes))
    }
    try writeCounters()
    return mark
  }

  // MARK: - Counters and the latest start

  /// Locks a user, and fetches the counters and the latest start.
  ///
  /// These are another statement than the lock, because a statement does not see what was committed
  /// while it waited. Both take one round trip.
  func lock(_ user: UserID) throws {
    try connection.queue(Self.lockUser, .user(user))
    let row = try connection.run(Self.readState, .user(user)).first()
    kept.latestStart = .some(try StoreStart(ifAnyIn: row))
    if kept.counters[user]?.isChanged == true { return }
    let id: Int64? = try row.optional("user_id")
    kept.counters[user] = KeptCounters(
      counters: try id.map { _ in try UserCounters(row: row) })
  }

  func latestStart() throws -> StoreStart? {
    if let known = kept.latestStart { return known }
    let start = try readLatestStart()
    kept.latestStart = .some(start)
    return start
  }

  /// Reads the latest start from the database.
  func readLatestStart() throws -> StoreStart? {
    let rows = try connection.run(
      """
      SELECT ordinal, id AS start_id, at AS start_at, life FROM start
      ORDER BY ordinal DESC LIMIT 1
      """)
    return rows.isEmpty ? nil : try StoreStart(ifAnyIn: rows[0])
  }

  func counters(of user: UserID) throws -> UserCounters? {
    if let known = kept.counters[user] { return known.counters }
    let rows = try connection.run(Self.readCounters, .user(user))
    return rows.isEmpty ? nil : try UserCounters(row: rows[0])
  }

  /// Keeps the new counters until ``finish(by:mark:)``. The time never goes back.
  func setCounters(_ counters: UserCounters, of user: UserID) {
    noteWrite("")
    var counters = counters
    if let before = kept.counters[user]?.counters?.changed {
      counters.changed = max(before, counters.changed ?? before)
    }
    kept.counters[user] = KeptCounters(counters: counters, isChanged: true)
  }

  private var changedUsers: [UserID] {
    kept.counters.filter(\.value.isChanged).keys.sorted()
  }

  private static func values(of counters: UserCounters, _ user: UserID) -> [PostgresValue] {
    [
      .user(user), .sequence(counters.sequence), .sequence(counters.floor),
      .integer(counters.shortNumber), .integer(counters.start), .count(counters.apps),
      .count(counters.use.items), .count(counters.use.tombstones), .count(counters.use.bytes),
      .time(counters.changed), .sequence(counters.rules),
    ]
  }

  /// The lock of a user's row, until the end of the transaction.
  static let lockUser = "SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE"

  private static let counterColumns = """
    users.sequence, users.floor, users.short_number, users.start, users.apps, users.items,
      users.tombstones, users.bytes, users.changed, users.rules
    """

  /// The user's counters and the latest start, in one row that always exists.
  private static let readState = """
    SELECT users.id AS user_id, \(counterColumns), latest.ordinal, latest.id AS start_id,
      latest.at AS start_at, latest.life
    FROM (SELECT $1 AS id) AS wanted
    LEFT JOIN users ON users.id = wanted.id
    LEFT JOIN (SELECT ordinal, id, at, life FROM start ORDER BY ordinal DESC LIMIT 1) AS latest
      ON true
    """

  private static let readCounters = "SELECT \(counterColumns) FROM users WHERE id = $1"

  private static let counterChanges = """
    UPDATE users SET sequence = $2, floor = $3, short_number = $4, start = $5, apps = $6, items = $7,
      tombstones = $8, bytes = $9, changed = greatest(changed, $10), rules = $11
    """

  private static let setCounters = "\(counterChanges) WHERE id = $1"

  private static let setCountersAndMark = """
    \(counterChanges), \(CommitMark.assignment(of: "$12")) WHERE id = $1
    """

  private static let setMark = """
    UPDATE users SET \(CommitMark.assignment(of: "$2")) WHERE id = $1
    """
}

/// Locks that belong to a schema and end with the transaction.
enum AdvisoryLock {
  /// Taken by a transaction that records a start.
  static let start = "SELECT pg_advisory_xact_lock('start'::regclass::oid::int4, 1)"
  /// Taken by a transaction in the scope `store`.
  static let storeScope = "SELECT pg_advisory_xact_lock('start'::regclass::oid::int4, 2)"
}

extension StoreStart {
  /// Reads a start from the columns `ordinal`, `start_id`, `start_at` and `life`; nil if they are NULL.
  init?(ifAnyIn row: PostgresRow) throws {
    let ordinal: Int64? = try row.optional("ordinal")
    guard let ordinal else { return nil }
    self.init(
      ordinal: ordinal, id: try row.id("start_id"), at: try row.time("start_at"),
      lifeKey: try row.nameIfAny("life"))
  }
}

extension UserCounters {
  fileprivate init(row: PostgresRow) throws {
    self.init()
    sequence = try row.sequence("sequence")
    floor = try row.sequence("floor")
    shortNumber = try row.value("short_number")
    start = try row.value("start")
    apps = try row.value("apps")
    use = StorageUse(
      items: try row.value("items"), tombstones: try row.value("tombstones"),
      bytes: try row.value("bytes"))
    changed = try row.timeIfAny("changed")
    rules = try row.sequence("rules")
  }
}

extension String {
  /// Whether the statement names the table `users`.
  fileprivate var namesUsers: Bool {
    let name: StaticString = "users"
    return name.withUTF8Buffer { name in
      var text = self
      return text.withUTF8 { text in
        guard text.count >= name.count else { return false }
        for start in 0...(text.count - name.count) where text[start] == name[0] {
          if (1..<name.count).allSatisfy({ text[start + $0] == name[$0] }) { return true }
        }
        return false
      }
    }
  }
}
#endif
