package import BellhopModel
import FoundationEssentials
import GRDB

/// The result of salvaging a damaged cache.
package struct SalvageReport: Hashable, Sendable {
  /// The new path of the damaged file.
  package var keptAside: String
  /// The number of unsent operations in the new cache.
  package var rescuedCount: Int
  /// Whether the outbox could be read to its end.
  package var isComplete: Bool
}

extension SQLiteCache {
  /// Replaces a damaged cache by a new one that contains its outbox.
  ///
  /// Call it under the account's engine lock, with no other connection open. It reads the outbox
  /// first. It then makes the new cache beside the damaged one, which it renames to
  /// `….damaged-<milliseconds>`. After a crash in between, the next opening finishes the salvage.
  /// If the numbering can't be read, the operations are renumbered under a new lineage.
  ///
  /// - Throws: ``CacheError/full(path:)``, ``CacheError/io(path:detail:)``: nothing was changed.
  package static func salvage(
    at path: String, identity: CacheIdentity, now: Timestamp
  ) throws(CacheError) -> SalvageReport {
    let rescued = Rescue.read(path)
    let fresh = path + freshSuffix
    CacheFile.remove(fresh)
    do {
      // In its own scope, because the connection must be closed before its file is renamed.
      let cache = try SQLiteCache(path: fresh, identity: identity)
      try cache.takeIn(rescued, now: now)
    }
    let aside = path + ".damaged-\(now.milliseconds)"
    try CacheFile.move(path, to: aside)
    try CacheFile.move(fresh, to: path)
    CacheFile.unmarkDamaged(path)
    return SalvageReport(
      keptAside: aside, rescuedCount: rescued.entries.count, isComplete: rescued.isComplete)
  }

  private static let freshSuffix = ".fresh"

  /// Finishes a salvage that was interrupted after the damaged file was renamed.
  static func finishSalvage(at path: String) throws(CacheError) {
    if !CacheFile.exists(path), CacheFile.exists(path + freshSuffix) {
      try CacheFile.move(path + freshSuffix, to: path)
    }
  }

  private func takeIn(_ rescued: Rescue, now: Timestamp) throws(CacheError) {
    try write(synced: true) { logic in
      let transaction = logic.transaction
      if let old = rescued.state {
        transaction.state.lineage = old.lineage
        transaction.state.nextNumber = old.nextNumber
        transaction.state.author = old.author
        transaction.state.clockOffset = old.clockOffset
      }
      for var entry in rescued.entries {
        if rescued.state == nil, entry.number != nil {
          entry.number = transaction.state.nextNumber
          transaction.state.nextNumber += 1
        }
        try transaction.append(entry)
      }
      // Later operations may change what earlier ones publish.
      for entry in rescued.entries { try logic.insertLocalItem(of: entry.operation, now: now) }
      for outcome in rescued.unreported { try transaction.append(outcome) }
    }
  }
}

/// The readable contents of a damaged cache.
struct Rescue {
  var state: SyncState?
  /// The operations without an answer, in the order made.
  var entries: [OutboxEntry] = []
  var isComplete = false
  /// The rejected operations that the user has not seen, as far as readable, oldest first.
  var unreported: [OutcomeRecord] = []

  /// Reads the outbox of a damaged cache.
  ///
  /// If SQLite can't find it, it is read again from a copy. The header and the schema table of the
  /// copy, which are the same in every cache of a version, are replaced by sound ones.
  static func read(_ path: String) -> Rescue {
    if let rescue = try? Rescue(path), rescue.isComplete || !rescue.entries.isEmpty {
      return rescue
    }
    let copy = path + ".reading"
    let template = path + ".template"
    defer {
      CacheFile.remove(copy)
      CacheFile.remove(template)
    }
    guard (try? transplantHead(path, template: template, copy: copy)) != nil,
      let rescue = try? Rescue(copy)
    else { return Rescue() }
    return rescue
  }

  private init() {}

  private init(_ path: String) throws {
    let connection = try Connection(path: path, role: .rescuer)
    let (state, entries, isComplete) = try connection.read { statement in
      let state = try? SQLiteTransaction.readState(statement)?.state
      var entries: [Int64: OutboxEntry] = [:]
      var isComplete = true
      // The outbox of an early version has no owners.
      let columns = OutboxColumn.allCases.map { $0 == .owner ? "NULL" : $0.name }
      // From both ends, because a damaged page in the middle ends a scan.
      for order in Mutant.salvageOneWay.isOn ? ["ASC"] : ["ASC", "DESC"] {
        do {
          try statement(
            """
            SELECT \(columns.joined(separator: ", "))
            FROM outbox NOT INDEXED WHERE answered IS NULL ORDER BY position \(order)
            """
          ).eachRow { row in
            if let entry = try? SQLiteTransaction.entry(row) {
              entries[entry.position] = entry
            } else {
              isComplete = false
            }
          }
        } catch {
          isComplete = false
        }
      }
      return (state, entries.values.sorted { $0.position < $1.position }, isComplete)
    }
    self.state = state
    self.entries = entries
    self.isComplete = isComplete
    // In its own transaction: one that meets damage here can't be ended.
    unreported =
      (try? connection.read { try SQLiteTransaction.unreportedOutcomes($0) })
      ?? (try? connection.read {
        try SQLiteTransaction.unreportedOutcomes($0, hasReasons: false)
      }) ?? []
  }

  private static func transplantHead(
    _ path: String, template: String, copy: String
  ) throws {
    CacheFile.remove(template)
    do {
      _ = try SQLiteCache(
        path: template,
        identity: CacheIdentity(account: AccountName("template")) { Lineage("template") })
    }
    let sound = [UInt8](try Data(contentsOf: URL(filePath: template)))
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let pageBytes = CacheFile.pageBytes
    for page in contentsPages(of: sound) where bytes.count >= page * pageBytes {
      let range = (page - 1) * pageBytes..<page * pageBytes
      bytes.replaceSubrange(range, with: sound[range])
    }
    guard bytes.count >= pageBytes else { return }
    // Byte 28 of the header contains the size of the database in pages.
    let pages = UInt32(clamping: bytes.count / pageBytes)
    bytes.replaceSubrange(28..<32, with: withUnsafeBytes(of: pages.bigEndian) { Array($0) })
    try CacheFile.write(Data(bytes), to: copy)
    if CacheFile.exists(path + "-wal") { try CacheFile.copy(path + "-wal", to: copy + "-wal") }
  }

  /// Returns the pages, counted from 1, that contain a database's schema table.
  ///
  /// It is the b-tree rooted in page 1. One level below the root is more than this schema needs.
  ///
  /// [Database File Format](https://www.sqlite.org/fileformat2.html), §1.6.
  private static func contentsPages(of bytes: [UInt8]) -> [Int] {
    guard bytes.count >= CacheFile.pageBytes else { return [] }
    func number(_ offset: Int, _ count: Int) -> Int {
      bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    // The b-tree page begins after the file's header of 100 bytes; 5 is an interior page.
    guard bytes[100] == 5 else { return [1] }
    let cells = (0..<number(103, 2)).map { number(number(112 + 2 * $0, 2), 4) }
    let pages = [1] + cells + [number(108, 4)]
    return pages.filter { $0 > 0 && $0 * CacheFile.pageBytes <= bytes.count }
  }
}
