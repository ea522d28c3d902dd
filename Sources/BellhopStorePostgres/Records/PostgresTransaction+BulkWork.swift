#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

extension PostgresTransaction {
  /// Walks along the index and evaluates the other conditions on the way, as a list does.
  func matches(
    _ query: BulkQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> BulkMatches {
    var fill = BulkFill(query, until: deadline)
    let start = query.below.map { ListPlace.arrival($0) }
    let isLast = try walk(query.walk(of: user), after: start, rows: query.itemsMax) {
      rows, hasMore in
      for row in rows {
        if fill.isFull { return false }
        fill.noteExamined(row.key, isMatch: row.isHit)
      }
      return !hasMore || !fill.isFull
    }
    return fill.matches(isLast: isLast)
  }

  func bulkWork(_ id: OperationID, of user: UserID) throws -> BulkWork? {
    try first(
      "SELECT \(BulkWorkColumn.list) FROM bulk_work WHERE user_id = $1 AND id = $2",
      [.user(user), .id(id)], BulkWork.init(row:))
  }

  func bulkWorks(limit: Int) throws -> [(user: UserID, work: BulkWork)] {
    try all(
      "SELECT \(BulkWorkColumn.list) FROM bulk_work ORDER BY begun, id LIMIT $1", [.count(limit)]
    ) { row in (user: try row.user("user_id"), work: try BulkWork(row: row)) }
  }

  func put(_ work: BulkWork, of user: UserID) throws {
    let result = work.result?.column
    try write(
      """
      INSERT INTO bulk_work (id, \(BulkWorkColumn.list))
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      ON CONFLICT (user_id, id) DO UPDATE SET
        below_arrival = excluded.below_arrival, below_id = excluded.below_id,
        result = excluded.result, latest = excluded.latest
      """,
      [
        .id(work.operation.id), .user(user), try .json(work.operation), try .json(work.author),
        .time(work.below?.arrival), .id(work.below?.id), .text(result?.kind),
        .time(result?.latest), .time(work.begun), .text(work.reader.column),
      ])
  }

  func removeBulkWork(_ id: OperationID, of user: UserID) throws {
    try write(
      "DELETE FROM bulk_work WHERE user_id = $1 AND id = $2", [.user(user), .id(id)])
  }
}

extension BulkQuery {
  /// The walk over the rows to examine, newest first.
  fileprivate func walk(of user: UserID) -> ItemWalk {
    var range = PostgresCondition("i.user_id = ? AND i.deleted IS NULL", .user(user))
    if let app = walkApp { range.add(" AND i.app = ?", .text(app)) }
    if let end = predicate.arrivedBefore, below == nil {
      range.add(" AND i.arrival < ?", .time(end))
    }
    if let start = predicate.arrivedSince { range.add(" AND i.arrival >= ?", .time(start)) }
    return ItemWalk(index: .arrival, isAscending: false, range: range, hit: match)
  }

  /// The condition for rows that the operation targets: true or false, never NULL.
  private var match: PostgresCondition {
    var match = PostgresCondition("(s.leaves IS NULL OR s.leaves > ?)", .time(now))
    if let through {
      match.add(
        " AND coalesce(s.meaning_sequence, s.content_sequence) <= ?", .sequence(through))
    }
    if let setBy {
      let operations = RegisterColumns.all.map { "s.\($0.operation.text)" }
      match.add(
        " AND ((? IN (\(operations.joined(separator: ", ")))) IS TRUE)", .id(setBy))
    } else {
      match.add(" AND i.delivery_trigger IS NULL")
    }
    match.add(reader.postgresReceived)
    match.add(" AND ")
    match.add(condition.postgresOperand)
    return match
  }
}

private enum BulkWorkColumn: Int, TableColumn {
  case userId, operation, author, belowArrival, belowId, result, latest, begun, environment
}

extension BulkWork {
  fileprivate init(row: PostgresRow) throws {
    var below: ArrivalKey?
    if let arrival = try row.timeIfAny("below_arrival") {
      below = ArrivalKey(arrival: arrival, id: try row.id("below_id"))
    }
    var result: OperationResult?
    if let kind = try row.textIfAny("result") {
      result = OperationResult(kind: kind, latest: try row.timeIfAny("latest"), reason: nil)
      if result == nil { throw row.damaged() }
    }
    self.init(
      operation: try row.json("operation"), author: try row.json("author"),
      reader: try row.environment("environment"), below: below, result: result,
      begun: try row.time("begun"))
  }
}
#endif
