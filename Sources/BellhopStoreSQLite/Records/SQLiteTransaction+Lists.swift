internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  /// Walks along the index and evaluates the filter on the way. Only items that belong to the list
  /// are read completely.
  func list(
    _ query: PageQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> ListRows {
    if let search = query.search,
      let rows = try find(search, query, of: user, until: deadline)
    {
      return rows
    }
    let walk = query.walk(of: user)
    let hit = query.condition
    let scanMax = query.search == nil ? query.scanMax : query.textScanMax
    var fill = ListFill(query.limit, scanMax: scanMax, until: deadline)
    var isLast = true
    let stop = StatementDeadline(deadline)
    try run(until: stop) {
      try scan(
        """
        SELECT rowid, id, arrival, short_number, sequence, \(hit.text) FROM item
        INDEXED BY \(query.indexName) WHERE \(walk.text) ORDER BY \(query.order)
        """, hit.values + walk.values
      ) { row in
        if fill.isFull {
          isLast = false
          return false
        }
        let isHit: Bool = row[5]
        let item = isHit ? try item(inRow: row[0], for: query) : nil
        fill.noteExamined(try query.index.place(row), item)
        stop.isArmed = true
        return true
      }
    }
    return fill.rows(isLast: isLast && !stop.hasStopped)
  }

  /// Returns the item of a row if the search of the query matches it.
  func item(inRow row: Int64, for query: PageQuery) throws -> UserNotification? {
    try item(inRow: row).flatMap { query.finds($0) ? $0 : nil }
  }

  func item(inRow row: Int64) throws -> UserNotification? {
    try first("SELECT \(ItemRow.columns) FROM item WHERE rowid = ?", [row], ItemRow.item)
  }

  func hasMovedItems(of user: UserID) throws -> Bool {
    try first(
      "SELECT 1 FROM item INDEXED BY item_moved WHERE user = ? AND moved_app IS NOT NULL LIMIT 1",
      [user.rawValue]
    ) { _ in true } ?? false
  }

  func count(_ query: PageQuery, of user: UserID, until deadline: WorkDeadline) throws -> Int? {
    let stop = StatementDeadline(deadline, isArmed: true)
    var result: Int?
    try run(until: stop) {
      if let search = query.search {
        result = try count(search, query, of: user, until: deadline)
      } else if query.filter == nil {
        result = try count(of: user, for: query.reader, at: query.now)
      } else {
        let (walk, hit) = (query.walk(of: user), query.condition)
        result = try count(
          "\(hit.text) AS hit FROM item INDEXED BY \(query.indexName) WHERE \(walk.text)",
          hit.values + walk.values, scanMax: query.scanMax)
      }
    }
    return result
  }

  /// Returns how many rows of a selection have a true column `hit`; nil if it has more than
  /// `scanMax` rows.
  func count(
    _ selection: String, _ values: [(any DatabaseValueConvertible)?], scanMax: Int
  ) throws -> Int? {
    var count: Int?
    try scan(
      """
      SELECT count(*), coalesce(sum(hit), 0)
      FROM (SELECT \(selection) LIMIT \(scanMax + 1))
      """, values
    ) { row in
      let scanned: Int = row[0]
      count = scanned > scanMax ? nil : row[1]
      return false
    }
    return count
  }

  /// Returns the number of live items that reach the reader.
  ///
  /// They are the entries of an index, without those that the sweep will remove, and without items
  /// of another environment.
  private func count(
    of user: UserID, for reader: RegistrationEnvironment, at now: Timestamp
  ) throws -> Int {
    let all = try first(
      "SELECT count(*) FROM item INDEXED BY item_arrival WHERE user = ? AND deleted IS NULL",
      [user.rawValue]
    ) { $0[0] as Int }
    let over = try first(
      "SELECT count(*) FROM item INDEXED BY item_leaves WHERE leaves <= ? AND user = ?",
      [now.milliseconds, user.rawValue]
    ) { $0[0] as Int }
    let hidden = try hiddenCount(of: user, from: reader, at: now)
    return (all ?? 0) - (over ?? 0) - hidden
  }

  /// Returns the number of live items that do not reach the reader.
  private func hiddenCount(
    of user: UserID, from reader: RegistrationEnvironment, at now: Timestamp
  ) throws -> Int {
    switch reader {
    case .development: return 0
    case .production:
      return try first(
        """
        SELECT count(*) FROM item INDEXED BY item_development
        WHERE user = ? AND environment IS NOT NULL AND (leaves IS NULL OR leaves > ?)
        """, [user.rawValue, now.milliseconds]
      ) { $0[0] as Int } ?? 0
    }
  }
}

extension PageQuery {
  /// Returns the condition for the rows to examine.
  func walk(of user: UserID) -> SQLCondition {
    var walk = SQLCondition(text: "user = ?", values: [user.rawValue])
    func require(_ condition: String, _ values: (any DatabaseValueConvertible)...) {
      walk = walk + SQLCondition(text: " AND " + condition, values: values)
    }
    let further = isAscending ? ">" : "<"
    switch (index, after) {
    case (.arrival, .arrival(let key)?):
      require("(arrival, id) \(further) (?, ?)", key.arrival.milliseconds, key.id.blob)
    case (.number, .number(let number)?): require("short_number \(further) ?", number)
    case (.sequence, .number(let number)?): require("sequence \(further) ?", number)
    case (_, nil), (.arrival, .number?), (.number, .arrival?), (.sequence, .arrival?): break
    }
    guard index == .arrival else { return walk }
    require("deleted IS NULL")
    if let app { require("app = ?", app) }
    // A place is within the range, and a tighter bound than the end of the range.
    let range = filter?.arrivalRange
    if let from = range?.from, after == nil || !isAscending {
      require("arrival >= ?", from.milliseconds)
    }
    if let through = range?.through, after == nil || isAscending {
      require("arrival <= ?", through.milliseconds)
    }
    return walk
  }

  /// The condition for rows that belong to the list.
  var condition: SQLCondition {
    let live =
      SQLCondition(
        text: "item.deleted IS NULL AND (item.leaves IS NULL OR item.leaves > ?)",
        values: [now.milliseconds]) + reader.received
    guard let filter else { return live }
    return switch triggered {
    case .passUnfiltered:
      live + " AND (item.delivery_trigger IS NOT NULL OR " + filter.operand + ")"
    case .leftOut: live + " AND item.delivery_trigger IS NULL AND " + filter.operand
    }
  }

  /// The index along which the list is read. Both indexes by arrival contain all live items.
  var indexName: String {
    switch index {
    case .arrival: app == nil ? "item_arrival" : "item_app_arrival"
    case .number: "item_number"
    case .sequence: "item_sequence"
    }
  }

  fileprivate var order: String {
    let direction = isAscending ? "ASC" : "DESC"
    return switch index {
    case .arrival: "arrival \(direction), id \(direction)"
    case .number: "short_number \(direction)"
    case .sequence: "sequence \(direction)"
    }
  }
}

extension PageQuery.Index {
  /// Returns the place of a row with the columns rowid, id, arrival, short number and sequence.
  fileprivate func place(_ row: Row) throws -> ListPlace {
    switch self {
    case .arrival: .arrival(ArrivalKey(arrival: row.time(2), id: try row.id(1)))
    case .number: .number(row[3])
    case .sequence: .number(row[4])
    }
  }
}
