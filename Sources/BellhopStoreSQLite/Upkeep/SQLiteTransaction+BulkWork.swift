internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension Schema {
  /// Bulk operations in progress. Operation and author are JSON.
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
  /// Walks along the index and evaluates the other conditions on the way, as a list does.
  func matches(
    _ query: BulkQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> BulkMatches {
    let (walk, match) = (query.walk(of: user), query.match)
    let index = query.walkApp == nil ? "item_arrival" : "item_app_arrival"
    var fill = BulkFill(query, until: deadline)
    var isLast = true
    let stop = StatementDeadline(deadline)
    try run(until: stop) {
      try scan(
        """
        SELECT arrival, id, \(match.text) FROM item INDEXED BY \(index) WHERE \(walk.text)
        ORDER BY arrival DESC, id DESC
        """, match.values + walk.values
      ) { row in
        if fill.isFull {
          isLast = false
          return false
        }
        fill.noteExamined(
          ArrivalKey(arrival: row.time(0), id: try row.id(1)), isMatch: row[2])
        stop.isArmed = true
        return true
      }
    }
    return fill.matches(isLast: isLast && !stop.hasStopped)
  }

  func bulkWork(_ id: OperationID, of user: UserID) throws -> BulkWork? {
    try first(
      "SELECT \(BulkWorkColumn.list) FROM bulk_work WHERE user = ? AND id = ?",
      [user.rawValue, id.blob], BulkWork.init(row:))
  }

  func bulkWorks(limit: Int) throws -> [(user: UserID, work: BulkWork)] {
    try all("SELECT \(BulkWorkColumn.list) FROM bulk_work ORDER BY begun, id LIMIT ?", [limit]) {
      (user: UserID(rawValue: $0[0]), work: try BulkWork(row: $0))
    }
  }

  func put(_ work: BulkWork, of user: UserID) throws {
    try run(
      """
      INSERT INTO bulk_work (id, \(BulkWorkColumn.list)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (user, id) DO UPDATE SET
        below_arrival = excluded.below_arrival, below_id = excluded.below_id,
        result = excluded.result, latest = excluded.latest
      """,
      [
        work.operation.id.blob, user.rawValue, try JSONColumn.encode(work.operation),
        try JSONColumn.encode(work.author), work.below?.arrival.milliseconds,
        work.below?.id.blob, work.result?.column.kind, work.result?.column.latest?.milliseconds,
        work.begun.milliseconds, work.reader.column,
      ])
  }

  func removeBulkWork(_ id: OperationID, of user: UserID) throws {
    try run("DELETE FROM bulk_work WHERE user = ? AND id = ?", [user.rawValue, id.blob])
  }
}

extension BulkQuery {
  /// Returns the condition for the rows to examine.
  fileprivate func walk(of user: UserID) -> SQLCondition {
    var walk = SQLCondition(text: "user = ? AND deleted IS NULL", values: [user.rawValue])
    func require(_ condition: String, _ value: any DatabaseValueConvertible) {
      walk = walk + SQLCondition(text: " AND " + condition, values: [value])
    }
    if let app = walkApp { require("app = ?", app) }
    if let end = predicate.arrivedBefore { require("arrival < ?", end.milliseconds) }
    if let start = predicate.arrivedSince { require("arrival >= ?", start.milliseconds) }
    return below.map { walk + .below($0) } ?? walk
  }

  /// The condition for rows that the operation targets: 1 or 0, never null.
  fileprivate var match: SQLCondition {
    var match = SQLCondition(
      text: "(leaves IS NULL OR leaves > ?)", values: [now.milliseconds])
    func require(_ part: String, _ value: any DatabaseValueConvertible) {
      match = match + SQLCondition(text: " AND " + part, values: [value])
    }
    if let through {
      require("coalesce(meaning_sequence, content_sequence) <= ?", through.rawValue)
    }
    if let setBy {
      let operations = RegisterColumn.list(of: RegisterColumns.all.map(\.operation))
      require("(? IN (\(operations)) IS TRUE)", setBy.blob)
    } else {
      match = match + " AND delivery_trigger IS NULL"
    }
    return match + reader.received + " AND " + condition.operand
  }
}

private enum BulkWorkColumn: Int, TableColumn {
  case user, operation, author, belowArrival, belowId, result, latest, begun, environment
}

extension BulkWork {
  fileprivate init(row: Row) throws {
    let row = NamedRow<BulkWorkColumn>(row)
    var below: ArrivalKey?
    if let arrival = row.optionalTime(.belowArrival) {
      below = ArrivalKey(arrival: arrival, id: try row.id(.belowId))
    }
    var result: OperationResult?
    if let kind = row[.result] as String? {
      result = OperationResult(kind: kind, latest: row.optionalTime(.latest))
      if result == nil { throw row.damaged() }
    }
    self.init(
      operation: try JSONColumn.decode(Operation.self, row[.operation]),
      author: try JSONColumn.decode(Author.self, row[.author]),
      reader: try row.environment(.environment), below: below, result: result,
      begun: row.time(.begun))
  }
}
