internal import BellhopModel
internal import BellhopSearch
internal import BellhopStore
internal import GRDB

/// Searches that combine indexed items and items not indexed yet into one list by arrival.
extension SQLiteTransaction {
  /// The maximum number of unindexed items for which a search uses the index. Each search examines
  /// up to this many.
  private static let tailMax = 2000
  /// The maximum number of found items with the same millisecond, which are sorted by id.
  private static let tiesMax = 2000

  /// A candidate for a list. It is read when its turn comes, because a filter may be slow.
  private struct Candidate {
    var key: ArrivalKey
    var row: Int64
    /// Whether the index matched the whole search; otherwise the text is checked.
    var isFound: Bool
  }

  /// Returns a page of search results; nil if the index cannot provide it.
  ///
  /// This is the case if the index is far behind, finds very many items of one millisecond, or
  /// takes half the time without finding a first item. Then the caller reads the texts themselves,
  /// which advances by at least one item.
  ///
  /// The index is queried for items that contain all the words. Whether they form a phrase is
  /// checked item by item. Otherwise the index would compare phrases in one item after another,
  /// without reporting its progress at the deadline.
  func find(
    _ search: SearchQuery, _ query: PageQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> ListRows? {
    guard let tail = try tail(of: user),
      let selection = selection(SQLCondition(text: ""), search.singleWords, query, of: user)
    else { return nil }
    let hasPhrases = search.phrases.contains { $0.tokens.count > 1 }
    let isFurther: (ArrivalKey, ArrivalKey) -> Bool = query.isAscending ? { $0 > $1 } : { $0 < $1 }
    var place: ArrivalKey?
    if case .arrival(let key)? = query.after { place = key }
    var waiting = tail.filter { found in place.map { isFurther(found.key, $0) } ?? true }
      .sorted { isFurther($1.key, $0.key) }[...]
    let probe = try probe(query)
    let stop = StatementDeadline(deadline.half, isArmed: true)
    var fill = ListFill(query.limit, scanMax: query.scanMax, until: deadline)
    var ties: [Candidate] = []
    var hasExamined = false
    // Returns false when the page is full.
    func take(through instant: Timestamp?) throws -> Bool {
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
        fill.noteExamined(.arrival(found.key), try item(found, probe, query))
        hasExamined = true
      }
      return true
    }
    var (isFull, hasTooManyTies) = (false, false)
    try run(until: stop) {
      try scan(selection.text, selection.values) { row in
        let key = ArrivalKey(arrival: row.time(2), id: try row.id(1))
        if let place, !isFurther(key, place) { return true }
        if let last = ties.last, last.key.arrival != key.arrival,
          try !take(through: last.key.arrival)
        {
          isFull = true
          return false
        }
        ties.append(Candidate(key: key, row: row[0], isFound: !hasPhrases))
        hasTooManyTies = ties.count > Self.tiesMax
        return !hasTooManyTies
      }
      if !isFull, !hasTooManyTies { isFull = try !take(through: nil) }
    }
    if hasTooManyTies || stop.hasStopped && !hasExamined { return nil }
    return fill.rows(isLast: !isFull && !stop.hasStopped)
  }

  /// Returns the number of matching items; nil if counting would take too long.
  func count(
    _ search: SearchQuery, _ query: PageQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> Int? {
    let hit = SQLCondition(text: ", ") + query.condition + " AS hit"
    guard let tail = try tail(of: user), let found = selection(hit, search, query, of: user)
    else { return try countByReading(query, of: user, until: deadline) }
    let probe = try probe(query)
    var count = 0
    for candidate in tail {
      if deadline.hasPassed { return nil }
      if try item(candidate, probe, query) != nil { count += 1 }
    }
    let indexed = try self.count(
      "hit FROM (\(found.text))", found.values, scanMax: query.scanMax)
    return indexed.map { $0 + count }
  }

  private func countByReading(
    _ query: PageQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> Int? {
    let (walk, hit) = (query.walk(of: user), query.condition)
    var (scanned, count) = (0, 0)
    var isTooLong = false
    try scan(
      "SELECT rowid, \(hit.text) FROM item INDEXED BY \(query.indexName) WHERE \(walk.text)",
      hit.values + walk.values
    ) { row in
      scanned += 1
      let isHit: Bool = row[1]
      if isHit, try item(inRow: row[0], for: query) != nil { count += 1 }
      isTooLong = scanned > query.textScanMax || deadline.hasPassed
      return !isTooLong
    }
    return isTooLong ? nil : count
  }

  // MARK: - Single items

  /// A statement, compiled for one page, that reads an item if it is live and meets the filter.
  private struct Probe {
    var statement: Statement
    var condition: SQLCondition
  }

  private func probe(_ query: PageQuery) throws -> Probe {
    let condition = query.condition
    return Probe(
      statement: try statement(
        "SELECT \(ItemRow.columns) FROM item WHERE rowid = ? AND \(condition.text)"),
      condition: condition)
  }

  private func item(
    _ candidate: Candidate, _ probe: Probe, _ query: PageQuery
  ) throws -> UserNotification? {
    let item = try first(
      probe.statement, [candidate.row] + probe.condition.values, ItemRow.item)
    guard let item, candidate.isFound || query.finds(item) else { return nil }
    return item
  }

  // MARK: - The index

  /// Returns a selection of the rowid, id and arrival of each item that the index finds.
  ///
  /// - Parameter column: an additional column after a comma; empty for none.
  private func selection(
    _ column: SQLCondition, _ search: SearchQuery, _ query: PageQuery, of user: UserID
  ) -> SQLCondition? {
    guard let expression = search.matchExpression else { return nil }
    var selection =
      SQLCondition(text: "SELECT item.rowid, item.id, item.arrival") + column
      + SQLCondition(
        text: """
           FROM search_index
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

  /// Returns the items that the index lacks; nil if they are too many to examine.
  private func tail(of user: UserID) throws -> [Candidate]? {
    var (scanned, tail) = (0, [Candidate]())
    try scan(
      """
      SELECT rowid, id, arrival, deleted IS NULL AND NOT EXISTS (
        SELECT 1 FROM search_entry e WHERE e.user = item.user AND e.id = item.id)
      FROM item INDEXED BY item_sequence WHERE user = ? AND sequence > coalesce(
        (SELECT p.sequence FROM search_progress p WHERE p.user = ?), 0)
      LIMIT \(Self.tailMax + 1)
      """, [user.rawValue, user.rawValue]
    ) { row in
      scanned += 1
      let isWanted: Bool = row[3]
      if isWanted {
        let key = ArrivalKey(arrival: row.time(2), id: try row.id(1))
        tail.append(Candidate(key: key, row: row[0], isFound: false))
      }
      return scanned <= Self.tailMax
    }
    return scanned > Self.tailMax ? nil : tail
  }
}

extension ArrivalKey {
  /// Returns a key with this arrival, for comparison with other keys.
  fileprivate static func at(_ arrival: Timestamp) -> ArrivalKey {
    ArrivalKey(arrival: arrival, id: NotificationID(high: 0, low: 0))
  }
}
