package import BellhopModel
import FoundationEssentials
import GRDB

/// What became of a damaged cache.
package struct SalvageReport: Hashable, Sendable {
  /// Where the damaged file is now.
  package var keptAside: String
  /// How many operations that were not sent yet are in the fresh cache.
  package var rescuedCount: Int
  /// Whether the outbox could be read to its end.
  package var isComplete: Bool
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
  package static func salvage(
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
    CacheFile.unmarkDamaged(path)
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
      for outcome in rescued.untold { try transaction.append(outcome) }
    }
  }
}

/// What can still be read of a damaged cache.
struct Rescue {
  var state: SyncState?
  /// Not answered yet, in the order made.
  var entries: [OutboxEntry] = []
  var isComplete = false
  /// What did not take effect and nobody was told of, as far as it can be read, oldest first.
  var untold: [OutcomeRecord] = []

  /// Reads the outbox as it is; if SQLite can't find it, once more from a copy whose header and
  /// table of contents (the same in every cache of a version) are replaced by sound ones.
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
      // From both ends, as a damaged page in the middle ends a walk.
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
    // By itself: a transaction that met damage here cannot be ended.
    untold = (try? connection.read { try SQLiteTransaction.untoldOutcomes($0) }) ?? []
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
    // The size of the database in pages stands at byte 28 of its header.
    let pages = UInt32(clamping: bytes.count / pageBytes)
    bytes.replaceSubrange(28..<32, with: withUnsafeBytes(of: pages.bigEndian) { Array($0) })
    try CacheFile.write(Data(bytes), to: copy)
    if CacheFile.exists(path + "-wal") { try CacheFile.copy(path + "-wal", to: copy + "-wal") }
  }

  /// The pages, from 1, that hold a database's table of contents: the b-tree rooted in page 1, of
  /// which one level below the root is more than this schema needs.
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
