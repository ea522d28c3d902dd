internal import BellhopStore
internal import GRDB
internal import Synchronization

extension SQLiteBackend {
  /// Reclaims free space in the database file and its log.
  ///
  /// It truncates the file by the pages that sweeps emptied. Then, or when no row was written since
  /// the last call, it truncates the log. Pages are reclaimed a few at a time, each time in a
  /// separate transaction on the writing queue, so that writes come in between. A database of a
  /// version whose files could not shrink is rewritten once, unless it is larger than
  /// `compactionBytesMax`. Writes wait meanwhile.
  package func reclaimFreeSpace(compactionBytesMax: Int) async throws {
    try await attempt {
      var hasReclaimed = false
      while !Task.isCancelled {
        let bytes = try await onWritingQueue { [room] database in
          if try FreePages.canShrink(database) { return try FreePages.reclaimSome(database) }
          guard try FreePages.isWorthRewriting(database, bytesMax: compactionBytesMax),
            room.mayRewrite()
          else { return 0 }
          return try FreePages.rewrite(database)
        }
        guard bytes > 0 else { break }
        room.count(bytes)
        hasReclaimed = true
      }
      try await onWritingQueue { [room, hasReclaimed] database in
        // The file itself becomes shorter when the log is checkpointed.
        if room.isQuiet(database.totalChangesCount) || hasReclaimed {
          try FreePages.truncateLog(database)
        }
      }
    }
  }

  /// Runs `body` on the writing connection between two commits. Cancelling the task does not
  /// interrupt it.
  private func onWritingQueue<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      pool.asyncWriteWithoutTransaction { database in
        continuation.resume(with: Result { try body(database) })
      }
    }
  }
}

/// The state that is remembered between two reclaims of free space.
final class SpaceReclaimer: Sendable {
  private struct State {
    var returnedBytes: Int64 = 0
    var hasRewritten = false
    var changes: Int?
  }

  private let state = Mutex(State())

  var returnedBytes: Int64 { state.withLock { $0.returnedBytes } }

  func count(_ bytes: Int64) { state.withLock { $0.returnedBytes += bytes } }

  /// Returns whether the database may be rewritten; true only once.
  ///
  /// A failing rewrite would otherwise be repeated every minute while writes wait.
  func mayRewrite() -> Bool {
    state.withLock { state in
      defer { state.hasRewritten = true }
      return !state.hasRewritten
    }
  }

  /// Returns whether no row has changed since the last call.
  ///
  /// - Parameter changes: the number of rows changed since the database was opened.
  func isQuiet(_ changes: Int) -> Bool {
    state.withLock { state in
      defer { state.changes = changes }
      return state.changes == changes
    }
  }
}

/// The unused pages of the file, and the log beside it.
///
/// Nothing outside a transaction refers to the rowids of tables without `INTEGER PRIMARY KEY`,
/// which a `VACUUM` may change: the search index uses `search_entry.key`.
enum FreePages {
  /// The number of free pages kept for the next writes. It is 1 MiB, so that a quiet store does not
  /// alternately grow and shrink.
  private static let kept = 256
  /// The number of pages reclaimed in one transaction: 1 MiB, a few milliseconds.
  private static let step = 256
  /// The size to which the log is truncated when it restarts. Checkpoints run in pauses, and at the
  /// latest at ``logPagesMax``, unless a long read blocks them.
  static let logBytesMax = 8 << 20
  /// The number of log pages at which a commit checkpoints the log itself: 8 MiB.
  static let logPagesMax = 2000

  /// Prepares an empty file whose pages can be reclaimed a few at a time. The first page determines
  /// this.
  static func prepareEmpty(_ path: String) throws {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
      try database.inTransaction(.immediate) { .commit }
    }
  }

  private static func number(_ pragma: String, _ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "PRAGMA " + pragma) ?? 0
  }

  /// Whether pages can be reclaimed a few at a time; see SQLite's `PRAGMA auto_vacuum`.
  static func canShrink(_ database: Database) throws -> Bool {
    try number("auto_vacuum", database) == 2
  }

  static func isWorthRewriting(_ database: Database, bytesMax: Int) throws -> Bool {
    guard try number("freelist_count", database) > kept else { return false }
    return try number("page_count", database) * number("page_size", database) <= bytesMax
  }

  /// Rewrites the whole database as one that can shrink.
  ///
  /// - Returns: the number of bytes by which it became smaller.
  static func rewrite(_ database: Database) throws -> Int64 {
    let before = try number("page_count", database)
    try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    try database.execute(sql: "VACUUM")
    let pages = try before - number("page_count", database)
    return Int64(try max(0, pages) * number("page_size", database))
  }

  /// - Returns: the number of reclaimed bytes; 0 when there are no more.
  static func reclaimSome(_ database: Database) throws -> Int64 {
    let free = try number("freelist_count", database)
    guard free > kept else { return 0 }
    try database.execute(sql: "PRAGMA incremental_vacuum(\(min(step, free - kept)))")
    let given = try free - number("freelist_count", database)
    return Int64(try max(0, given) * number("page_size", database))
  }

  /// Checkpoints the log and empties it, unless a reader uses it. It does not wait for readers,
  /// because writes would wait too.
  static func truncateLog(_ database: Database) throws {
    try database.execute(sql: "PRAGMA busy_timeout = 0")
    defer {
      let milliseconds = Int(SQLiteBackend.busySeconds * 1000)
      try? database.execute(sql: "PRAGMA busy_timeout = \(milliseconds)")
    }
    _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
