internal import BellhopModel
internal import BellhopSearchIndex
package import BellhopStore
internal import GRDB
internal import Synchronization

/// A store in one SQLite file: write-ahead log, one writer that groups commits, several readers.
///
/// Another process may open the same file, as administration does alongside a running server. Each
/// sees what the other has committed, and waits for the other's writes for up to five seconds.
package final class SQLiteBackend: StorageBackend {
  let path: String
  let pool: DatabasePool
  let writer: GroupCommitWriter
  let room = SpaceReclaimer()
  /// The number of reads.
  private let reads = Atomic<Int>(0)
  /// The number of reads at the end of the last piece of deferred work.
  private let readsSeen = Atomic<Int>(0)

  /// Opens the database at `path`, and creates it if it does not exist. Its files are accessible to
  /// the owner only (mode 0600).
  ///
  /// - Parameter owner: the owner of the created files. Files that this process's user left there
  ///   before are assigned to the owner too.
  /// - Throws: `StoreError.newerSchema` before anything is changed, `StoreError.storageFull`,
  ///   `StoreError.unavailable(reason:)`.
  package init(path: String, owner: DataOwner = .process) throws(StoreError) {
    self.path = path
    do {
      try OwnerOnlyFile.make(path, owner: owner)
      for suffix in ["-wal", "-shm"] { try owner.adoptIfThere(path + suffix) }
      if Self.fileBytes(path) == 0 { try FreePages.prepareEmpty(path) }
      try Self.refuseNewerSchema(path)
      try Self.copyBeforeMigrating(path, owner: owner)
      pool = try DatabasePool(path: path, configuration: Self.configuration)
      // Set after opening, because opening a pool sets NORMAL, which may lose the last commits.
      try pool.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "PRAGMA journal_size_limit = \(FreePages.logBytesMax)")
        try database.execute(sql: "PRAGMA wal_autocheckpoint = \(FreePages.logPagesMax)")
      }
      try Schema.migrator.migrate(pool)
      writer = GroupCommitWriter(pool) { Self.freeBytes(path) }
    } catch {
      throw Self.storeError(error)
    }
  }

  /// The number of connections for reading; each performs one read at a time.
  private static let readersMax = 5
  /// The maximum number of long reads, fewer than the readers. The other readers serve sign-in,
  /// deltas, health and the watchdog, which never wait behind lists.
  package let longReadsMax = 3

  /// The time limit for waiting for another process's write.
  static let busySeconds: Double = 5

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(Self.busySeconds)
    configuration.maximumReaderCount = Self.readersMax
    configuration.label = "bellhop.store"
    configuration.prepareDatabase {
      $0.add(tokenizer: SearchTokenizer.self)
      try $0.execute(sql: "PRAGMA cache_size = -8000")
      // Overwrites purged content with zeros, also in pages that become free.
      try $0.execute(sql: "PRAGMA secure_delete = ON")
    }
    return configuration
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value {
    reads.add(1, ordering: .relaxed)
    return try await attempt { try await pool.read { try body(SQLiteTransaction($0)) } }
  }

  /// Runs `body` after all earlier writes, whatever its scope: one writer runs them all.
  package func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value {
    try await attempt {
      try await writer.write({ try body(SQLiteTransaction($0)) }, committed: committed)
    }
  }

  /// Runs `work` and translates its failures into the store's errors.
  func attempt<Value>(_ work: () async throws -> Value) async throws -> Value {
    do { return try await work() } catch { throw Self.storeError(error) }
  }

  /// Adds some items to the search index.
  package func catchUp() async throws -> CatchUp {
    let hasMore = try await attempt {
      try await writer.write({ try SQLiteTransaction($0).indexSome() }, committed: { _ in })
    }
    let known = reads.load(ordering: .relaxed)
    let wasRead = readsSeen.exchange(known, ordering: .relaxed) != known
    return hasMore ? .more(isUnderLoad: wasRead || writer.isUnderLoad) : .done
  }

  /// Finishes accepted writes and closes the files. If closing fails, they stay open until the
  /// process ends, which loses nothing.
  package func close() async {
    await writer.close()
    try? pool.close()
  }

  /// The number of commits since the database was opened.
  package var commitCount: Int { writer.commitCount }

  /// Runs one statement on the writing connection and returns its rows as text.
  ///
  /// For tests and measurements, which inspect the database behind the contract.
  package func inspect(_ sql: String) async throws -> [[String]] {
    try await pool.writeWithoutTransaction { database in
      try Row.fetchAll(database, sql: sql).map { row in
        row.databaseValues.map { String.fromDatabaseValue($0) ?? $0.description }
      }
    }
  }

  // MARK: - Opening

  /// Returns the path of the copy that is kept of the state before a migration.
  static func copyPath(of path: String) -> String { path + ".before-migration" }

  /// Copies a database that is about to be migrated, so that the previous version can be used
  /// again.
  private static func copyBeforeMigrating(_ path: String, owner: DataOwner) throws {
    let queue = try DatabaseQueue(path: path)
    let isOlder = try queue.read { database in
      try database.tableExists("grdb_migrations")
        && !Schema.migrator.appliedMigrations(database).isEmpty
        && !Schema.migrator.hasCompletedMigrations(database)
    }
    try queue.close()
    if isOlder {
      try SQLiteFile.copy(from: path, to: copyPath(of: path), replacing: true, owner: owner)
    }
  }

  static func refuseNewerSchema(_ path: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    let isNewer = try queue.read { database in
      try database.tableExists("grdb_migrations")
        && Schema.migrator.hasBeenSuperseded(database)
    }
    if isNewer { throw StoreError.newerSchema }
  }

  /// Translates SQLite's failures into the store's errors, without statements and values.
  static func storeError(_ error: any Error) -> StoreError {
    switch error {
    case let error as StoreError: error
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_FULL: .storageFull
      case .SQLITE_BUSY: .busy
      case .SQLITE_NOTADB, .SQLITE_CORRUPT:
        .unavailable(reason: "the database file is damaged; restore it from a backup")
      default:  // open: ResultCode
        .unavailable(reason: "SQLite: \(error.message ?? error.resultCode.description)")
      }
    case is CancellationError: .cancelled
    default: .unavailable(reason: error.explanation.clause)  // open: any Error
    }
  }
}
