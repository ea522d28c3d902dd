internal import BellhopStore
internal import GRDB
internal import Synchronization

extension SQLiteBackend {
  /// Shortens the file by the pages that sweeps emptied, and the log when nobody writes.
  ///
  /// Pages are given back a few at a time, each time in a transaction of its own on the writing
  /// queue, where writes come in between. A database of a version that made no files that can
  /// shrink is rewritten once, unless it is larger than `compactionBytesMax`: writes wait meanwhile.
  package func giveBackRoom(compactionBytesMax: Int) async throws {
    try await attempt {
      var gaveBack = false
      while !Task.isCancelled {
        let bytes = try await onWritingQueue { [room] database in
          if try FreePages.canShrink(database) { return try FreePages.giveSomeBack(database) }
          guard try FreePages.isWorthRewriting(database, bytesMax: compactionBytesMax),
            room.mayRewrite()
          else { return 0 }
          return try FreePages.rewrite(database)
        }
        guard bytes > 0 else { break }
        room.count(bytes)
        gaveBack = true
      }
      try await onWritingQueue { [room, gaveBack] database in
        // The file itself becomes shorter when the log has been carried over into it.
        if room.isQuiet(database.totalChangesCount) || gaveBack {
          try FreePages.truncateLog(database)
        }
      }
    }
  }

  /// Runs `body` on the writing connection between two commits. Cancelling the task does not break
  /// it off.
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

/// What is remembered between two times that room is given back.
final class RoomKeeper: Sendable {
  private struct State {
    var returnedBytes: Int64 = 0
    var hasRewritten = false
    var changes: Int?
  }

  private let state = Mutex(State())

  var returnedBytes: Int64 { state.withLock { $0.returnedBytes } }

  func count(_ bytes: Int64) { state.withLock { $0.returnedBytes += bytes } }

  /// Whether the database may be rewritten: once, because one that fails would be tried every
  /// minute, while writes wait.
  func mayRewrite() -> Bool {
    state.withLock { state in
      defer { state.hasRewritten = true }
      return !state.hasRewritten
    }
  }

  /// Whether no row changed since this was last asked.
  ///
  /// - Parameter changes: rows changed since the database was opened.
  func isQuiet(_ changes: Int) -> Bool {
    state.withLock { state in
      defer { state.changes = changes }
      return state.changes == changes
    }
  }
}

/// Pages of the file that hold nothing, and the log beside it.
///
/// Nothing outside a transaction refers to the rowids of tables without `INTEGER PRIMARY KEY`, which
/// a `VACUUM` may change: the search index goes by `search_entry.key`.
enum FreePages {
  /// Kept for what is written next: 1 MiB, so that a quiet store does not grow and shrink by turns.
  private static let kept = 256
  /// Given back in one transaction: 1 MiB, a few milliseconds.
  private static let step = 256
  /// What the log is cut to when it begins anew. Checkpoints come in pauses, and at the latest with
  /// ``logPagesMax``, unless a long reader is in their way.
  static let logBytesMax = 8 << 20
  /// Pages of the log at which a commit carries it over itself: 8 MiB.
  static let logPagesMax = 2000

  /// Makes an empty file one whose pages can be given back a few at a time, which is decided with
  /// its first page.
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

  /// Whether pages can be given back a few at a time; see SQLite's `PRAGMA auto_vacuum`.
  static func canShrink(_ database: Database) throws -> Bool {
    try number("auto_vacuum", database) == 2
  }

  static func isWorthRewriting(_ database: Database, bytesMax: Int) throws -> Bool {
    guard try number("freelist_count", database) > kept else { return false }
    return try number("page_count", database) * number("page_size", database) <= bytesMax
  }

  /// Writes the whole database anew, as one that can shrink.
  ///
  /// - Returns: by how many bytes it became smaller.
  static func rewrite(_ database: Database) throws -> Int64 {
    let before = try number("page_count", database)
    try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    try database.execute(sql: "VACUUM")
    let pages = try before - number("page_count", database)
    return Int64(try max(0, pages) * number("page_size", database))
  }

  /// - Returns: how many bytes were given back; 0 when there are no more.
  static func giveSomeBack(_ database: Database) throws -> Int64 {
    let free = try number("freelist_count", database)
    guard free > kept else { return 0 }
    try database.execute(sql: "PRAGMA incremental_vacuum(\(min(step, free - kept)))")
    let given = try free - number("freelist_count", database)
    return Int64(try max(0, given) * number("page_size", database))
  }

  /// Carries the log over into the database and empties it, if nobody reads what it holds: it does
  /// not wait for readers, because writes would wait with it.
  static func truncateLog(_ database: Database) throws {
    try database.execute(sql: "PRAGMA busy_timeout = 0")
    defer {
      let milliseconds = Int(SQLiteBackend.busySeconds * 1000)
      try? database.execute(sql: "PRAGMA busy_timeout = \(milliseconds)")
    }
    _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
