import BellhopModel
import GRDB

extension SQLiteTransaction {
  /// The number of entries after which old rows of the log are removed again.
  private var entriesPerPruning: Int64 { max(1, min(4096, loggedChangesMax / 16)) }
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// Writes the transaction's row of the log, and removes old rows from time to time.
  func logChanges(after old: SyncState) throws {
    guard let row = noted.row(at: state.lookedAt ?? .distantPast) else { return }
    state.changeNumber = row.last
    var ids: [UInt8] = []
    ids.reserveCapacity(row.ids.count * 16)
    for id in row.ids {
      withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { ids.append(contentsOf: $0) }
    }
    try statement(
      "INSERT INTO change_log (number, made_at, ids, removed) VALUES (?, ?, ?, ?)"
    ).bind(row.last).bind(row.at).bind(ids)
      .bind(row.removed.isEmpty ? nil : try JSON.encode(row.removed)).run()
    let isNewDay =
      row.at.milliseconds / Self.millisecondsPerDay
      != (old.lookedAt?.milliseconds ?? 0) / Self.millisecondsPerDay
    if isNewDay || row.last / entriesPerPruning != old.changeNumber / entriesPerPruning {
      try pruneLog(at: row)
    }
  }

  /// Removes old rows, always from the beginning of the log, whatever the clock did.
  ///
  /// The remaining log thus has no gap.
  private func pruneLog(at row: LoggedChanges) throws {
    try statement("DELETE FROM change_log WHERE number <= ?")
      .bind(row.last - loggedChangesMax).run()
    let oldest = row.at.advanced(by: .zero - LoggedChanges.ageMax)
    let firstKept = try statement(
      "SELECT number FROM change_log WHERE made_at >= ? ORDER BY number LIMIT 1"
    ).bind(oldest).first { $0.integer(0) }
    if let firstKept {
      try statement("DELETE FROM change_log WHERE number < ?").bind(firstKept).run()
    }
  }
}

extension CacheReader: ChangeReading {
  package func changePosition(at start: ChangeStart) throws(CacheError) -> ChangePosition {
    try readChanges { try $0.position(at: start) }
  }

  package func changes(
    after position: ChangePosition, limit: Int, where isWanted: (CachedChange) -> Bool
  ) throws(CacheError) -> ChangesAnswer {
    try readChanges { try $0.changes(after: position, limit: limit, where: isWanted) }
  }
}

/// The change log in a cache's file, inside a read transaction.
struct SQLiteChangeSource: ChangeSource {
  let account: AccountName
  let statement: Statements

  func syncState() throws -> SyncState {
    guard let found = try SQLiteTransaction.readState(statement) else {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "the state row is missing")
    }
    return found.state
  }

  func item(_ id: NotificationID) throws -> ItemRecord? {
    try statement("SELECT \(ItemColumns.all) FROM item WHERE id = ?").bind(id)
      .first(ItemColumns.record)
  }

  func items(above key: ArrivalKey, limit: Int) throws -> [ItemRecord] {
    try statement(
      """
      SELECT \(ItemColumns.all) FROM item WHERE arrival_key > ? ORDER BY arrival_key LIMIT ?
      """
    ).bind(key).bind(limit).all(ItemColumns.record)
  }

  func logged(beyond number: Int64, limit: Int) throws -> [LoggedChanges] {
    try statement(
      """
      SELECT number, made_at, ids, removed FROM change_log WHERE number > ?
      ORDER BY number LIMIT ?
      """
    ).bind(number).bind(limit).all { row in
      let bytes = row.bytes(2).map { Array($0) } ?? []
      let ids = stride(from: 0, to: bytes.count, by: 16).compactMap {
        NotificationID(bytes: bytes[$0..<min($0 + 16, bytes.count)])
      }
      return LoggedChanges(
        last: row.integer(0), at: row.time(1), ids: ids,
        removed: try row.textOrNil(3).map { try JSON.decode($0) } ?? [])
    }
  }
}
