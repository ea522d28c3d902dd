internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension Schema {
  /// Bulk operations under way. Operation and author are JSON.
  static let bulkWork = """
    CREATE TABLE bulk_work (
      user INTEGER NOT NULL REFERENCES user(id),
      id BLOB NOT NULL,
      operation TEXT NOT NULL,
      author TEXT NOT NULL,
      below_arrival INTEGER,
      below_id BLOB,
      result TEXT,
      latest INTEGER,
      begun INTEGER NOT NULL,
      PRIMARY KEY (user, id)
    ) WITHOUT ROWID;
    CREATE INDEX bulk_work_begun ON bulk_work (begun, id);
    """
}

extension SQLiteTransaction {
  private static let columns = """
    user, operation, author, below_arrival, below_id, result, latest, begun
    """

  func bulkWork(_ id: OperationID, of user: UserID) throws -> BulkWork? {
    try first(
      "SELECT \(Self.columns) FROM bulk_work WHERE user = ? AND id = ?",
      [user.rawValue, id.blob], BulkWork.init(row:))
  }

  func bulkWorks(limit: Int) throws -> [(user: UserID, work: BulkWork)] {
    try all("SELECT \(Self.columns) FROM bulk_work ORDER BY begun, id LIMIT ?", [limit]) {
      (user: UserID(rawValue: $0[0]), work: try BulkWork(row: $0))
    }
  }

  func put(_ work: BulkWork, of user: UserID) throws {
    try run(
      """
      INSERT INTO bulk_work (id, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (user, id) DO UPDATE SET
        below_arrival = excluded.below_arrival, below_id = excluded.below_id,
        result = excluded.result, latest = excluded.latest
      """,
      [
        work.operation.id.blob, user.rawValue, try JSONColumn.encode(work.operation),
        try JSONColumn.encode(work.author), work.below?.arrival.milliseconds,
        work.below?.id.blob, work.result?.column.kind, work.result?.column.latest?.milliseconds,
        work.begun.milliseconds,
      ])
  }

  func removeBulkWork(_ id: OperationID, of user: UserID) throws {
    try run("DELETE FROM bulk_work WHERE user = ? AND id = ?", [user.rawValue, id.blob])
  }
}

extension BulkWork {
  fileprivate init(row: Row) throws {
    var below: ArrivalKey?
    if let arrival = row.optionalTime(3) {
      below = ArrivalKey(arrival: arrival, id: try row.id(4))
    }
    var result: OperationResult?
    if let kind = row[5] as String? {
      result = OperationResult(kind: kind, latest: row.optionalTime(6))
      if result == nil { throw row.damaged() }
    }
    self.init(
      operation: try JSONColumn.decode(Operation.self, row[1]),
      author: try JSONColumn.decode(Author.self, row[2]), below: below, result: result,
      begun: row.time(7))
  }
}
