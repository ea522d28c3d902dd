import BellhopModel
import BellhopSearchIndex
import Dispatch
import GRDB
import Glibc
import Synchronization

/// An SQLite connection with its prepared statements.
///
/// `@unchecked Sendable`: every variable except `log`, which has a lock, is accessed only in blocks
/// that `queue` runs one after the other, and in `deinit`, when no other reference is left.
/// Everything else is constant and `Sendable`.
final class Connection: @unchecked Sendable {
  let queue: DatabaseQueue
  let path: String
  private var statements: [String: SQLStatement] = [:]
  private var lastTexts: [String] = []
  private static let lastTextsMax = 32
  /// The last decoded author. Every transaction reads it, and it stays the same for months.
  private var lastAuthor: (json: String, author: Author)?
  private var isFullySynchronous = false
  private let role: Role
  private var holdsSnapshot = false
  private var commitsSinceCheckpoint = 0
  private var isCheckpointDue = false
  private let later = DispatchQueue(label: "bellhop.cache.checkpoint")
  private let log = Mutex<LogFile?>(nil)

  /// The number of commits after which the next pause checkpoints the write-ahead log.
  private static let commitsPerCheckpoint = 24
  private static let checkpointDelay: DispatchTimeInterval = .milliseconds(300)

  enum Role {
    case writer
    case reader
    case search
    /// A reader of a file that is known to be damaged.
    case rescuer
  }

  init(path: String, role: Role) throws(CacheError) {
    self.path = path
    self.role = role
    var configuration = Configuration()
    configuration.label = "bellhop.cache"
    configuration.readonly = role != .writer
    // Other writers need milliseconds. Only a stopped process holds the lock longer.
    configuration.busyMode = .timeout(10)
    if role == .writer { configuration.journalMode = .wal }
    // A reader that holds a snapshot keeps its transaction from one read to the next.
    configuration.allowsUnsafeTransactions = role == .reader
    configuration.prepareDatabase { db in
      db.add(tokenizer: SearchTokenizer.self)
      if role == .search {
        // A view of the index that belongs to the connection, so the file needs none.
        try db.execute(
          sql: "CREATE VIRTUAL TABLE temp.index_term USING fts5vocab(main, item_index, instance)")
      }
      // In KiB. The system's page cache does the rest; the client may use 40 MB for everything.
      try db.execute(sql: "PRAGMA cache_size = \(role == .writer ? -8000 : -3000)")
      try db.execute(sql: "PRAGMA mmap_size = 0")
      if role == .writer {
        try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
        // Overwrites purged content with zeros, also in pages that become free. The default depends
        // on how the system's SQLite was compiled.
        try db.execute(sql: "PRAGMA secure_delete = ON")
      } else {
        try db.execute(sql: "PRAGMA query_only = 1")
      }
    }
    do {
      queue = try Self.retryingWhileLocked {
        try DatabaseQueue(path: path, configuration: configuration)
      }
    } catch {
      throw Self.failure(error, path, role)
    }
  }

  /// The most attempts to open a file, and the pause between two, in microseconds.
  private static let openAttemptsMax = 100
  private static let openPause: UInt32 = 20_000

  /// Opens a file, again while other processes are opening it for the first time.
  ///
  /// SQLite does not wait for the lock that changes the journal mode, if two processes would then wait
  /// for each other. It reports at once that the file is locked.
  private static func retryingWhileLocked<Result>(_ open: () throws -> Result) throws -> Result {
    var attempts = 1
    while true {
      do {
        return try open()
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && attempts < openAttemptsMax
      {
        attempts += 1
        usleep(openPause)
      }
    }
  }

  /// Converts a failure to a cache error. Records damage in a file beside the cache.
  func failure(_ error: any Error) -> CacheError { Self.failure(error, path, role) }

  private static func failure(_ error: any Error, _ path: String, _ role: Role) -> CacheError {
    let failure = CacheError(error, path: path)
    if case .corrupt = failure, role != .rescuer { CacheFile.markDamaged(path) }
    return failure
  }

  /// Lets the following reads of a reader share one snapshot, which begins with the next read.
  ///
  /// Otherwise each read is a transaction of its own. Sharing gives all of them one state, and
  /// saves twenty transactions.
  func holdSnapshot() { queue.unsafeRead { _ in holdsSnapshot = true } }

  /// Ends the snapshot of the last reads. The following reads share a new one.
  func releaseSnapshot() {
    queue.unsafeRead { db in
      if db.isInsideTransaction { end(db) }
    }
  }

  /// Ends a read-only transaction, by rollback if it can't be committed. It has nothing to lose.
  private func end(_ db: Database) {
    do { try statement(db, "COMMIT").run() } catch { try? statement(db, "ROLLBACK").run() }
  }

  /// Runs `body` in a read transaction.
  func read<Result>(
    _ body: (Statements) throws -> Result
  ) throws(CacheError) -> Result {
    do {
      guard role == .writer else {
        return try queue.unsafeRead { db in
          if !db.isInsideTransaction { try statement(db, "BEGIN").run() }
          defer { if !holdsSnapshot, db.isInsideTransaction { end(db) } }
          return try body(Statements(connection: self, db: db))
        }
      }
      // GRDB's `read` would forbid writes and allow them again, and SQLite recompiles every
      // prepared statement after each of the two.
      return try queue.writeWithoutTransaction { db in try run(body, .deferred, db) }
    } catch {
      throw failure(error)
    }
  }

  /// Runs `body` in a write transaction. If `synced`, it survives a power loss once this returns.
  ///
  /// In WAL mode, `synchronous=FULL` adds one disk sync to the commit, which also covers every
  /// earlier commit. With `NORMAL`, a power loss may undo the last transactions, each as a whole.
  /// The setting belongs to the connection and is switched between transactions.
  func write<Result>(
    synced: Bool, _ body: (Statements) throws -> Result
  ) throws(CacheError) -> Result {
    do {
      return try queue.writeWithoutTransaction { db in
        if synced != isFullySynchronous {
          try db.execute(sql: "PRAGMA synchronous = \(synced ? "FULL" : "NORMAL")")
          isFullySynchronous = synced
        }
        let result = try run(body, .immediate, db)
        noteCommit()
        return result
      }
    } catch {
      throw failure(error)
    }
  }

  private func run<Result>(
    _ body: (Statements) throws -> Result, _ kind: Database.TransactionKind, _ db: Database
  ) throws -> Result {
    var result: Result?
    try db.inTransaction(kind) {
      result = try body(Statements(connection: self, db: db))
      return .commit
    }
    guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    return result
  }

  /// Syncs the write-ahead log, and with it every commit that it contains.
  ///
  /// `synchronous=FULL` does the same within a commit. Other connections read and write meanwhile.
  ///
  /// After a power loss, the log contains a prefix of what was committed, because each frame's
  /// checksum continues the one before (Database File Format, 4.2).
  func syncLog() throws(CacheError) {
    do {
      if let log = log.withLock(\.self) { return try log.sync() }
      // The first sync runs alone: it also syncs the directory, in which the file is new, and
      // clears the file's own flag for that.
      try queue.writeWithoutTransaction { db in
        let opened = try LogFile(of: db)
        try opened.sync()
        log.withLock { $0 = opened }
      }
    } catch {
      throw failure(error)
    }
  }

  /// Schedules a checkpoint of the write-ahead log for a quiet moment.
  ///
  /// By default, SQLite does it every 1,000 pages within a commit, and a key press or an arrival
  /// then waits for several disk syncs.
  private func noteCommit() {
    commitsSinceCheckpoint += 1
    guard commitsSinceCheckpoint >= Self.commitsPerCheckpoint, !isCheckpointDue else { return }
    isCheckpointDue = true
    later.asyncAfter(deadline: .now() + Self.checkpointDelay) { [weak self] in
      self?.queue.asyncWriteWithoutTransaction { [weak self] db in
        guard let self else { return }
        (commitsSinceCheckpoint, isCheckpointDue) = (0, false)
        // The next checkpoint handles the rest.
        _ = try? Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(PASSIVE)")
      }
    }
  }

  fileprivate func statement(_ db: Database, _ sql: String) throws -> SQLStatement {
    if let statement = statements[sql] { return statement }
    let statement = try SQLStatement(db, sql)
    statements[sql] = statement
    return statement
  }

  /// Prepares a statement for one use, because its text varies.
  fileprivate func oneStatement(_ db: Database, _ sql: String) throws -> SQLStatement {
    if lastTexts.count == Self.lastTextsMax { lastTexts.removeFirst() }
    lastTexts.append(sql)
    return try SQLStatement(db, sql)
  }

  /// The texts of all statements so far; of varying texts, only the last ones.
  fileprivate var askedTexts: Set<String> { Set(statements.keys).union(lastTexts) }

  fileprivate func author(_ json: String) throws -> Author {
    if let lastAuthor, lastAuthor.json == json { return lastAuthor.author }
    let author: Author = try JSON.decode(json)
    lastAuthor = (json, author)
    return author
  }

  // Before the queue closes the connection, which an open statement would keep open.
  deinit { statements = [:] }
}

/// A connection inside one of its transactions.
struct Statements {
  fileprivate let connection: Connection
  let db: Database

  /// Returns the prepared statement for `sql`, which must be one of a fixed number of texts.
  func callAsFunction(_ sql: String) throws -> SQLStatement {
    try connection.statement(db, sql)
  }

  /// Prepares a statement whose text varies, such as one that contains a filter.
  func once(_ sql: String) throws -> SQLStatement { try connection.oneStatement(db, sql) }

  /// Returns the query plans of all statements so far, by SQL text, with a text for each step.
  func plans() throws -> [String: [String]] {
    try connection.askedTexts.reduce(into: [:]) { plans, sql in
      plans[sql] = try SQLStatement(db, "EXPLAIN QUERY PLAN " + sql).all { $0.text(3) }
    }
  }

  /// Returns the device's author from the JSON that ``SyncState`` keeps. Decodes it once.
  func author(_ json: String) throws -> Author { try connection.author(json) }
}

extension CacheError {
  /// Converts a failure of SQLite to a cache error.
  init(_ error: any Error, path: String) {
    if let error = error as? CacheError {
      self = error
      return
    }
    guard let error = error as? DatabaseError else {
      self = .io(path: path, detail: error.explanation.clause)
      return
    }
    let detail = error.message ?? error.resultCode.description
    // The index of the write-ahead log, which the first connection makes, needs space too.
    if error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
      self = .full(path: path)
      return
    }
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(path: path, detail: detail)
    case .SQLITE_FULL: self = .full(path: path)
    case .SQLITE_INTERRUPT: self = .interrupted
    default:  // open: ResultCode
      self = .io(path: path, detail: "\(detail), SQLite \(error.extendedResultCode.rawValue)")
    }
  }
}
