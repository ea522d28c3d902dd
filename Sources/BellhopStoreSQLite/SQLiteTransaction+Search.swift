internal import BellhopModel
internal import BellhopSearch
internal import BellhopStore
internal import GRDB

/// Searching: what the index finds and what it lacks yet, as one list by arrival.
extension SQLiteTransaction {
  /// Items that the index may lack for a search to use it: as many are looked into each time.
  private static let tailMax = 2000
  /// Items found of one millisecond, which are put into the order of their ids.
  private static let tiesMax = 2000

  /// An item on the way into a list, nil if it does not belong there.
  private typealias Found = (key: ArrivalKey, item: UserNotification?)

  /// A page of what is found; nil when the index can't say, because it is far behind or finds very
  /// many items of one instant.
  func find(
    _ search: SearchQuery, _ query: ListQuery, of user: UserID
  ) throws -> ListRows? {
    guard let tail = try tail(query, of: user), let selection = selection(search, query, of: user)
    else { return nil }
    let isFurther: (ArrivalKey, ArrivalKey) -> Bool = query.isAscending ? { $0 > $1 } : { $0 < $1 }
    var place: ArrivalKey?
    if case .arrival(let key)? = query.after { place = key }
    var waiting = tail.filter { found in place.map { isFurther(found.key, $0) } ?? true }
      .sorted { isFurther($1.key, $0.key) }[...]
    var fill = ListFill(query.limit, scanMax: query.scanMax)
    var ties: [Found] = []
    // False when the page is full.
    func take(through instant: Timestamp?) -> Bool {
      var group = ties
      ties = []
      while let next = waiting.first {
        let isDue =
          instant.map { next.key.arrival == $0 || isFurther(ArrivalKey.at($0), next.key) } ?? true
        guard isDue else { break }
        waiting.removeFirst()
        group.append(next)
      }
      for found in group.sorted(by: { isFurther($1.key, $0.key) }) {
        if fill.isFull { return false }
        fill.look(at: .arrival(found.key), found.item)
      }
      return true
    }
    var (isFull, hasTooManyTies) = (false, false)
    try scan(selection.text, selection.values) { row in
      let key = ArrivalKey(arrival: row.time(2), id: try row.id(1))
      if let place, !isFurther(key, place) { return true }
      if let last = ties.last, last.key.arrival != key.arrival, !take(through: last.key.arrival) {
        isFull = true
        return false
      }
      let isHit: Bool = row[3]
      ties.append((key, isHit ? try item(inRow: row[0]) : nil))
      hasTooManyTies = ties.count > Self.tiesMax
      return !hasTooManyTies
    }
    if hasTooManyTies { return nil }
    if !isFull { isFull = !take(through: nil) }
    return fill.rows(isLast: !isFull)
  }

  /// How many items are found; nil when that would take too long.
  func count(_ search: SearchQuery, _ query: ListQuery, of user: UserID) throws -> Int? {
    guard let tail = try tail(query, of: user), let found = selection(search, query, of: user)
    else {
      let scan = ListQuery(
        now: query.now, filter: query.filter, search: search,
        limit: PageLimit(rows: .max, bytes: .max), scanMax: 0, textScanMax: query.textScanMax)
      return try countByReading(scan, of: user)
    }
    let indexed = try count(
      "hit FROM (\(found.text))", found.values, scanMax: query.scanMax)
    return indexed.map { $0 + tail.count }
  }

  private func countByReading(_ query: ListQuery, of user: UserID) throws -> Int? {
    let (walk, hit) = (query.walk(of: user), query.condition)
    var (scanned, count) = (0, 0)
    try scan(
      "SELECT rowid, \(hit.text) FROM item INDEXED BY \(query.indexName) WHERE \(walk.text)",
      hit.values + walk.values
    ) { row in
      scanned += 1
      let isHit: Bool = row[1]
      if isHit, try item(inRow: row[0], for: query) != nil { count += 1 }
      return scanned <= query.textScanMax
    }
    return scanned > query.textScanMax ? nil : count
  }

  /// What the index finds: rowid, id and arrival of each item, and whether it belongs to the list.
  private func selection(
    _ search: SearchQuery, _ query: ListQuery, of user: UserID
  ) -> SQLCondition? {
    guard let expression = search.matchExpression else { return nil }
    let hit = query.condition
    var selection =
      SQLCondition(text: "SELECT item.rowid, item.id, item.arrival, ") + hit
      + SQLCondition(
        text: """
           AS hit FROM search_index
          CROSS JOIN search_entry ON search_entry.key = search_index.rowid
          CROSS JOIN item ON item.user = search_entry.user AND item.id = search_entry.id
          WHERE search_index MATCH ? AND search_entry.user = ?
          """,
        values: [
          "user : \"\(SearchKey.word(of: user))\" AND - user : (\(expression))", user.rawValue,
        ])
    let range = query.filter?.arrivalRange
    var (from, through) = (range?.from, range?.through)
    if case .arrival(let key)? = query.after {
      if query.isAscending { from = key.arrival } else { through = key.arrival }
    }
    if let from {
      selection =
        selection
        + SQLCondition(
          text: " AND search_index.rowid >= ?", values: [SearchKey.range(of: from).lowerBound])
    }
    if let through {
      selection =
        selection
        + SQLCondition(
          text: " AND search_index.rowid <= ?", values: [SearchKey.range(of: through).upperBound])
    }
    return selection + " ORDER BY search_index.rowid \(query.isAscending ? "ASC" : "DESC")"
  }

  /// What belongs to the list among the items that the index lacks; nil when they are too many to
  /// be looked into.
  private func tail(_ query: ListQuery, of user: UserID) throws -> [Found]? {
    let hit = query.condition
    var (scanned, tail) = (0, [Found]())
    try scan(
      """
      SELECT rowid, id, arrival, \(hit.text) AND NOT EXISTS (
        SELECT 1 FROM search_entry e WHERE e.user = item.user AND e.id = item.id)
      FROM item INDEXED BY item_sequence WHERE user = ? AND sequence > coalesce(
        (SELECT p.sequence FROM search_progress p WHERE p.user = ?), 0)
      LIMIT \(Self.tailMax + 1)
      """, hit.values + [user.rawValue, user.rawValue]
    ) { row in
      scanned += 1
      let isHit: Bool = row[3]
      if isHit, let item = try item(inRow: row[0], for: query) {
        tail.append((ArrivalKey(item), item))
      }
      return scanned <= Self.tailMax
    }
    return scanned > Self.tailMax ? nil : tail
  }
}

extension ArrivalKey {
  /// Any key of the instant, to be compared with keys of others.
  fileprivate static func at(_ arrival: Timestamp) -> ArrivalKey {
    ArrivalKey(arrival: arrival, id: NotificationID(high: 0, low: 0))
  }
}
