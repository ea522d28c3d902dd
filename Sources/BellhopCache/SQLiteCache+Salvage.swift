public import BellhopModel
import FoundationEssentials
import GRDB

/// What became of a damaged cache.
public struct SalvageReport: Hashable, Sendable {
  /// Where the damaged file is now.
  public var keptAside: String
  /// How many operations that were not sent yet are in the fresh cache.
  public var rescuedCount: Int
  /// Whether the outbox could be read to its end.
  public var isComplete: Bool
}

extension SQLiteCache {
  /// Makes a fresh cache in place of a damaged one, with the outbox in it.
  ///
  /// To be called under the account's engine lock, with no other connection open. The outbox is
  /// read first, then the fresh cache is made beside the damaged one, which is then renamed to
  /// `….damaged-<milliseconds>`; a crash in between is made good at the next opening. When the
  /// numbering can't be read, the operations are numbered anew under a new lineage.
  ///
  /// - Throws: ``CacheError/full(path:)``, ``CacheError/io(path:detail:)``: nothing was changed.
  public static func salvage(
    at path: String, identity: CacheIdentity, now: Timestamp
  ) throws(CacheError) -> SalvageReport {
    let rescued = Rescue.read(path)
    let fresh = path + freshSuffix
    CacheFile.remove(fresh)
    do {
      // Its own scope: the connection must be closed before its file is renamed.
      let cache = try SQLiteCache(path: fresh, identity: identity)
      try cache.takeIn(rescued)
    }
    let aside = path + ".damaged-\(now.milliseconds)"
    try CacheFile.move(path, to: aside)
    try CacheFile.move(fresh, to: path)
    return SalvageReport(
      keptAside: aside, rescuedCount: rescued.entries.count, isComplete: rescued.isComplete)
  }

  private static let freshSuffix = ".fresh"

  /// Ends a salvage that was cut short after the damaged file was put aside.
  static func finishSalvage(at path: String) throws(CacheError) {
    if !CacheFile.exists(path), CacheFile.exists(path + freshSuffix) {
      try CacheFile.move(path + freshSuffix, to: path)
    }
  }

  private func takeIn(_ rescued: Rescue) throws(CacheError) {
    try transact { transaction in
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
    }
  }
}

/// What can still be read of a damaged cache.
struct Rescue {
  var state: SyncState?
  /// Not answered yet, in the order made.
  var entries: [OutboxEntry] = []
  var isComplete = false

  /// Reads the outbox as it is; if SQLite can't even open the file, once more from a copy whose
  /// first page (header and table of contents, the same in every cache of a version) is replaced.
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
    let connection = try Connection(path: path, role: .reader)
    let (state, entries, isComplete) = try connection.read { statement in
      let state = try? SQLiteTransaction.readState(statement)?.state
      var entries: [Int64: OutboxEntry] = [:]
      var isComplete = true
      // From both ends, as a damaged page in the middle ends a walk.
      for order in ["ASC", "DESC"] {
        do {
          try statement(
            """
            SELECT position, number, seal_at, answered, made_at, author, operation
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
    var head = [UInt8](try Data(contentsOf: URL(filePath: template)))
      .prefix(CacheFile.pageBytes)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    guard head.count == CacheFile.pageBytes, bytes.count >= head.count else { return }
    let pages = UInt32(clamping: bytes.count / CacheFile.pageBytes)
    head.replaceSubrange(28..<32, with: withUnsafeBytes(of: pages.bigEndian) { Array($0) })
    bytes.replaceSubrange(0..<head.count, with: head)
    try CacheFile.write(Data(bytes), to: copy)
    if CacheFile.exists(path + "-wal") { try CacheFile.copy(path + "-wal", to: copy + "-wal") }
  }
}
