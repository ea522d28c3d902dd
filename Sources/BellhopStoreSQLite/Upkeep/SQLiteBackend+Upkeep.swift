package import BellhopStore
internal import GRDB

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension SQLiteBackend {
  package func figures() async throws -> StorageFigures {
    let pages = try await attempt {
      try await pool.read { database in
        let size = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        let count = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let free = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        return (all: count * size, free: free * size)
      }
    }
    let (commits, writes, waiting) = writer.figures
    return StorageFigures(
      databaseBytes: pages.all, unusedBytes: pages.free, returnedBytes: room.returnedBytes,
      logBytes: Self.fileBytes(path + "-wal"), diskFreeBytes: Self.freeBytes(path),
      commits: commits, writes: writes, waitingWrites: waiting)
  }

  package func problems() async throws -> [String] {
    try await attempt { try await pool.read { try Invariants.problems(in: $0) } }
  }

  /// Returns the size of a file; 0 if it does not exist.
  static func fileBytes(_ path: String) -> Int64 {
    var information = stat()
    return stat(path, &information) == 0 ? Int64(information.st_size) : 0
  }

  static func freeBytes(_ path: String) -> Int64? {
    var information = statvfs()
    guard statvfs(path, &information) == 0 else { return nil }
    return Int64(clamping: UInt64(information.f_bavail) * UInt64(information.f_frsize))
  }
}

/// The rules that hold for every sound database, besides those that SQLite enforces.
enum Invariants {
  /// The rules; each query finds rows that break a rule. A new rule is one entry here.
  static let rules: [(problem: String, query: String)] = [
    (
      "users whose sequence is behind their items",
      "SELECT 1 FROM user WHERE sequence < (SELECT max(sequence) FROM item WHERE user = user.id)"
    ),
    (
      "users whose short numbers are behind their items",
      """
      SELECT 1 FROM user
      WHERE short_number < (SELECT max(short_number) FROM item WHERE user = user.id)
      """
    ),
    ("users whose floor is above their sequence", "SELECT 1 FROM user WHERE floor > sequence"),
    (
      "users changed by an unrecorded start of the store",
      "SELECT 1 FROM user WHERE start > (SELECT coalesce(max(ordinal), 0) FROM start)"
    ),
    (
      "items with content newer than their state",
      "SELECT 1 FROM item WHERE content_sequence > sequence"
    ),
    (
      "deleted items with content",
      """
      SELECT 1 FROM item WHERE deleted IS NOT NULL AND (title IS NOT NULL OR subtitle IS NOT NULL
        OR body IS NOT NULL OR raw IS NOT NULL OR extras IS NOT NULL)
      """
    ),
    (
      "outboxes whose last number is behind their operations",
      """
      SELECT 1 FROM outbox AS o WHERE last < (
        SELECT max(number) FROM outbox_number AS n
        WHERE n.user = o.user AND n.outbox = o.id)
      """
    ),
    (
      "a missing epoch or key",
      """
      SELECT 1 WHERE (SELECT count(*) FROM metadata WHERE key IN ('epoch', 'tokenKey')) < 2
        AND EXISTS (SELECT 1 FROM start)
      """
    ),
  ]

  /// The maximum number of lines reported from SQLite's own check.
  private static let linesMax = 20

  static func problems(in database: Database) throws -> [String] {
    var problems = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(linesMax))")
      .filter { $0 != "ok" }
    let orphans = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").count
    if orphans > 0 { problems.append("\(orphans) rows without an owner") }
    for rule in rules {
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(rule.query))") ?? 0
      if count > 0 { problems.append("\(count) \(rule.problem)") }
    }
    return problems
  }
}
