#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

extension PostgresTransaction {
  /// Walks along the index and evaluates the filter on the way. Only items that belong to the list
  /// are read completely.
  func list(
    _ query: PageQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> ListRows {
    if query.search != nil { return try find(query, of: user, until: deadline) }
    var fill = ListFill(query.limit, scanMax: query.scanMax, until: deadline)
    let isLast = try walk(query.walk(of: user), after: query.after, rows: query.limit.rows) {
      rows, hasMore in
      guard try note(rows, in: &fill, for: query, of: user) else { return false }
      return !hasMore || !fill.isFull
    }
    return fill.rows(isLast: isLast)
  }

  /// The number of items that are read at once. The page may be full before it has all of them.
  private static let readAtOnceMax = 64

  /// Notes rows until the page is full; returns whether it took all of them.
  func note(
    _ rows: [ItemWalk.Row], in fill: inout ListFill, for query: PageQuery, of user: UserID
  ) throws -> Bool {
    // Without phrases, the words in the index are the whole search.
    let isChecked = query.search?.hasPhrases ?? false
    var unread = rows.filter(\.isHit).map(\.key.id)[...]
    var items: [NotificationID: UserNotification] = [:]
    for row in rows {
      if fill.isFull { return false }
      if row.isHit, row.key.id == unread.first {
        items = try self.items(Array(unread.prefix(Self.readAtOnceMax)), of: user)
        unread = unread.dropFirst(Self.readAtOnceMax)
      }
      let item = row.isHit ? items[row.key.id] : nil
      fill.noteExamined(row.place, item.flatMap { !isChecked || query.finds($0) ? $0 : nil })
    }
    return true
  }

  /// Returns live items by their ids.
  func items(
    _ ids: [NotificationID], of user: UserID
  ) throws -> [NotificationID: UserNotification] {
    let items = try all(
      """
      SELECT \(PostgresItemRow.columns) FROM \(PostgresItemRow.tables(byIDs: "$2", of: "$1"))
      WHERE i.deleted IS NULL
      """, [.user(user), .ids(ids)], PostgresItemRow.item)
    return Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func hasMovedItems(of user: UserID) throws -> Bool {
    try first(
      """
      SELECT EXISTS (
        SELECT FROM item_state WHERE user_id = $1 AND moved_app IS NOT NULL) AS has_moved
      """, [.user(user)]
    ) { row in try row.value("has_moved", as: Bool.self) } ?? false
  }

  func count(_ query: PageQuery, of user: UserID, until deadline: WorkDeadline) throws -> Int? {
    if query.search != nil { return try countFound(query, of: user, until: deadline) }
    guard query.filter != nil else {
      return try count(of: user, for: query.reader, at: query.now)
    }
    return try count(query.wholeWalk(of: user), scanMax: query.scanMax, until: deadline)
  }

  /// Returns the number of live items that reach the reader.
  ///
  /// They are the entries of an index, without those that the sweep will remove, and without items
  /// of another environment.
  private func count(
    of user: UserID, for reader: RegistrationEnvironment, at now: Timestamp
  ) throws -> Int {
    let all = try number(
      "SELECT count(*) FROM item WHERE user_id = $1 AND deleted IS NULL", [.user(user)])
    let over = try number(
      "SELECT count(*) FROM item_state WHERE user_id = $1 AND leaves <= $2",
      [.user(user), .time(now)])
    switch reader {
    case .development: return all - over
    case .production:
      let hidden = try number(
        """
        SELECT count(*) FROM (
          SELECT * FROM item
          WHERE user_id = $1 AND environment IS NOT NULL AND deleted IS NULL OFFSET 0) i
        \(PostgresItemRow.withState) WHERE s.leaves IS NULL OR s.leaves > $2
        """, [.user(user), .time(now)])
      return all - over - hidden
    }
  }

  /// Returns the only value of a statement, in its column `count`.
  func number(_ sql: String, _ values: [PostgresValue]) throws -> Int {
    try first(sql, values) { row in try row.value("count", as: Int.self) } ?? 0
  }
}

extension PageQuery {
  /// The walk over the list, with its search.
  func walk(of user: UserID) -> ItemWalk {
    ItemWalk(
      index: index, isAscending: isAscending, range: range(of: user), search: search?.postgres,
      hit: postgresCondition)
  }

  /// The walk over all of the list for a count, newest arrival first.
  func wholeWalk(of user: UserID) -> ItemWalk {
    var query = self
    query.index = .arrival
    query.isAscending = false
    query.after = nil
    return query.walk(of: user)
  }

  /// Returns the condition for the rows to examine, without the place after which the list continues.
  private func range(of user: UserID) -> PostgresCondition {
    switch index {
    case .number: return PostgresCondition("i.user_id = ?", .user(user))
    case .sequence: return PostgresCondition("s.user_id = ?", .user(user))
    case .arrival: break
    }
    var range = PostgresCondition("i.user_id = ? AND i.deleted IS NULL", .user(user))
    if let app { range.add(" AND i.app = ?", .text(app)) }
    // A place is within the range, and a tighter bound than the end of the range.
    let bounds = filter?.arrivalRange
    if let from = bounds?.from, after == nil || !isAscending {
      range.add(" AND i.arrival >= ?", .time(from))
    }
    if let through = bounds?.through, after == nil || isAscending {
      range.add(" AND i.arrival <= ?", .time(through))
    }
    return range
  }

  /// The condition for rows that belong to the list: true or false, never NULL.
  var postgresCondition: PostgresCondition {
    var condition = PostgresCondition(
      "i.deleted IS NULL AND (s.leaves IS NULL OR s.leaves > ?)", .time(now))
    condition.add(reader.postgresReceived)
    guard let filter else { return condition }
    switch triggered {
    case .passUnfiltered:
      condition.add(" AND (i.delivery_trigger IS NOT NULL OR ")
      condition.add(filter.postgresOperand)
      condition.add(")")
    case .leftOut:
      condition.add(" AND i.delivery_trigger IS NULL AND ")
      condition.add(filter.postgresOperand)
    }
    return condition
  }
}
#endif
