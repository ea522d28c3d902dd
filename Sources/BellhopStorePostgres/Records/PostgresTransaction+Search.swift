#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopSearch
internal import BellhopStore

/// Searches, which find the newest items first without sorting all that have the words.
///
/// A walk by arrival finds common words soon. If the first slices show that the words are rare, the
/// index of words gives all items that have them, so that the walk need not reach them. Both examine a
/// bounded number of items: with `n` items, of which the share `p` has the words, a page of `k` costs at
/// most about `k / p` or `n * p` rows.
extension PostgresTransaction {
  /// The number of rows that a walk examines before it may leave the rest to the index of words.
  private static let sampleMin = 1000
  /// The share of examined rows, as a divisor, below which words are rare.
  private static let rareness = 64
  /// The most items that the index of words gives. If there are more, the walk goes on.
  private static let foundMax = 10_000
  /// The number of found items that are filtered at once.
  private static let foundAtOnceMax = 256
  /// The number of items whose texts are read at once.
  private static let textsAtOnceMax = 32

  /// Returns a page of search results.
  func find(
    _ query: PageQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> ListRows {
    var fill = ListFill(query.limit, scanMax: query.scanMax, until: deadline)
    var (examined, found) = (0, 0)
    var rest: [ArrivalKey]?
    var mayUseIndex = true
    let isLast = try walk(query.walk(of: user), after: query.after, rows: Self.sampleMin / 8) {
      rows, hasMore in
      guard try note(rows, in: &fill, for: query, of: user) else { return false }
      guard hasMore else { return true }
      if fill.isFull { return false }
      examined += rows.count
      found += rows.count { $0.isFound }
      guard mayUseIndex, examined >= Self.sampleMin, found * Self.rareness < examined,
        let last = rows.last
      else { return true }
      rest = try foundItems(query, of: user, after: last.key)
      mayUseIndex = false
      return rest == nil
    }
    guard let rest else { return fill.rows(isLast: isLast) }
    return fill.rows(isLast: try noteFound(rest, in: &fill, for: query, of: user))
  }

  /// Notes found items until the page is full; returns whether it took all of them.
  private func noteFound(
    _ keys: [ArrivalKey], in fill: inout ListFill, for query: PageQuery, of user: UserID
  ) throws -> Bool {
    var start = 0
    while start < keys.count {
      if fill.isFull { return false }
      let end = min(start + Self.foundAtOnceMax, keys.count)
      let chunk = keys[start..<end]
      var hits = PostgresCondition("SELECT i.id FROM ")
      hits.add(
        PostgresItemRow.tables(byIDs: "?", of: "?"), .ids(chunk.map(\.id)), .user(user))
      hits.add(" WHERE ")
      hits.add(query.postgresCondition)
      let ids: [NotificationID] = try all(hits) { row in try row.id("id") }
      let hitIDs = Set(ids)
      let rows = chunk.map { key in
        ItemWalk.Row(
          key: key, place: .arrival(key), isFound: true, isHit: hitIDs.contains(key.id))
      }
      guard try note(rows, in: &fill, for: query, of: user) else { return false }
      start = end
    }
    return true
  }

  /// Returns the items that the index of words finds after a place, in the order of the list.
  ///
  /// Returns nil if there are too many.
  private func foundItems(
    _ query: PageQuery, of user: UserID, after place: ArrivalKey?
  ) throws -> [ArrivalKey]? {
    guard var selection = query.foundSelection(of: user) else { return [] }
    if let place {
      selection.add(
        " AND i.arrival + 0 \(query.isAscending ? ">=" : "<=") ?", .time(place.arrival))
    }
    selection.add(" LIMIT \(Self.foundMax + 1)")
    let keys = try withBitmaps { try all(selection, ArrivalKey.init(row:)) }
    if keys.count > Self.foundMax { return nil }
    return keys.filter { key in
      place.map { query.isAscending ? key > $0 : key < $0 } ?? true
    }.sorted { query.isAscending ? $0 < $1 : $0 > $1 }
  }

  /// Returns the number of matching items; nil if counting would take too long.
  func countFound(
    _ query: PageQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> Int? {
    guard var selection = query.foundSelection(of: user) else { return 0 }
    selection.add(" LIMIT \(Self.foundMax + 1)")
    var counts = PostgresCondition(
      "SELECT count(*) AS found, count(*) FILTER (WHERE ")
    counts.add(query.exactCondition)
    counts.add(") AS hits FROM (")
    counts.add(selection)
    counts.add(
      """
      ) found \(PageQuery.withFoundItem)
      """)
    let result = try withBitmaps {
      try first(counts.statement, counts.values) { row in
        let found: Int = try row.value("found")
        let hits: Int = try row.value("hits")
        return (found: found, hits: hits)
      }
    }
    if deadline.hasPassed { return nil }
    var count = result?.hits ?? 0
    if let result, result.found > Self.foundMax {
      var walk = query.wholeWalk(of: user)
      walk.hit = query.exactCondition
      guard let all = try self.count(walk, scanMax: query.scanMax, until: deadline) else {
        return nil
      }
      count = all
    }
    guard let cut = try countCut(query, of: user, until: deadline) else { return nil }
    return count + cut
  }

  /// Runs a statement that may use the index of words, which can only be read into a bitmap.
  ///
  /// See ``PostgresSettings/session(schema:)``. The settings are no writes of the transaction.
  private func withBitmaps<Value>(_ body: () throws -> Value) throws -> Value {
    try connection.queue("SET LOCAL enable_bitmapscan = on")
    let value = try body()
    try connection.queue("SET LOCAL enable_bitmapscan = off")
    return value
  }

  /// Returns the number of matching items whose phrases must be looked for in their texts.
  private func countCut(
    _ query: PageQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> Int? {
    guard query.search?.hasPhrases == true, let selection = query.foundSelection(of: user)
    else { return 0 }
    var cut = PostgresCondition("SELECT i.id FROM (")
    cut.add(selection)
    cut.add(
      """
       AND i.has_cut_words) found \(PageQuery.withFoundItem) WHERE
      """)
    cut.add(" ")
    cut.add(query.postgresCondition)
    cut.add(" LIMIT \(query.textScanMax + 1)")
    let ids: [NotificationID] = try withBitmaps { try all(cut) { row in try row.id("id") } }
    if ids.count > query.textScanMax { return nil }
    var (count, start) = (0, 0)
    while start < ids.count {
      if deadline.hasPassed { return nil }
      let end = min(start + Self.textsAtOnceMax, ids.count)
      let items = try items(Array(ids[start..<end]), of: user)
      count += items.values.count { query.finds($0) }
      start = end
    }
    return count
  }
}

extension PageQuery {
  /// The item and the state of each row of `found`.
  fileprivate static let withFoundItem = """
    CROSS JOIN LATERAL (
      SELECT * FROM item WHERE user_id = found.user_id AND id = found.id LIMIT 1) i
    \(PostgresItemRow.withState)
    """

  /// Returns the selection of the user, id and arrival of each item that the index of words finds.
  ///
  /// It is nil without a search. The conditions on the arrival are written so that no index by arrival
  /// has them: then only the index of words has few rows.
  fileprivate func foundSelection(of user: UserID) -> PostgresCondition? {
    guard let search else { return nil }
    var selection = PostgresCondition(
      """
      SELECT i.user_id, i.id, i.arrival FROM item i
      WHERE i.user_id = ? AND i.deleted IS NULL AND
      """, .user(user))
    selection.add(" ")
    selection.add(search.postgres)
    let bounds = filter?.arrivalRange
    if let from = bounds?.from { selection.add(" AND i.arrival + 0 >= ?", .time(from)) }
    if let through = bounds?.through { selection.add(" AND i.arrival + 0 <= ?", .time(through)) }
    return selection
  }

  /// The condition for found rows that belong to the list, without those whose text must be read.
  fileprivate var exactCondition: PostgresCondition {
    guard search?.hasPhrases == true else { return postgresCondition }
    var condition = PostgresCondition("NOT i.has_cut_words AND ")
    condition.add(postgresCondition)
    return condition
  }
}
#endif
