#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// A walk along an index of items, in slices that each are one short statement.
///
/// The caller checks its deadline between the slices, because cancelling a statement would end the
/// snapshot.
struct ItemWalk {
  var index: PageQuery.Index
  var isAscending: Bool
  /// The condition for all rows of the walk.
  var range: PostgresCondition
  /// The condition for rows that a search finds; nil without one.
  var search: PostgresCondition?
  /// The condition for rows that belong to the result.
  var hit: PostgresCondition

  /// A row on the way.
  struct Row {
    var key: ArrivalKey
    var place: ListPlace
    /// Whether the search finds the item. True without one.
    var isFound: Bool
    /// Whether the item belongs to the result.
    var isHit: Bool
  }

  /// Returns the statement for the next rows.
  fileprivate func slice(after place: ListPlace?, rows: Int) -> PostgresCondition {
    var query = PostgresCondition(
      "SELECT i.id, i.arrival, i.short_number, s.sequence, ")
    if let search {
      query.add("(")
      query.add(search)
      query.add(") AS is_found, (")
      query.add(search)
      query.add(" AND ")
    } else {
      query.add("TRUE AS is_found, (")
    }
    query.add(hit)
    query.add(") AS is_hit FROM (SELECT * FROM ")
    switch index {
    case .arrival, .number: query.add("item i WHERE ")
    case .sequence: query.add("item_state s WHERE ")
    }
    query.add(condition(after: place))
    query.add(" ORDER BY \(order) LIMIT \(rows)) ")
    switch index {
    case .arrival, .number: query.add("i \(PostgresItemRow.withState)")
    case .sequence: query.add("s \(PostgresItemRow.withContent)")
    }
    query.add(" ORDER BY \(order)")
    return query
  }

  /// Returns the statement that counts the hits among the next rows of a walk by arrival, newest first.
  ///
  /// Its row has the place of the last of these rows.
  fileprivate func counts(after place: ListPlace?, rows: Int) -> PostgresCondition {
    var query = PostgresCondition(
      """
      SELECT arrival, id, examined, hits FROM (
        SELECT arrival, id, row_number() OVER places AS examined,
          count(*) FILTER (WHERE is_hit) OVER places AS hits
        FROM (
      """)
    query.add(slice(after: place, rows: rows))
    query.add(
      """
      ) slice
          WINDOW places AS (ORDER BY arrival DESC, id DESC ROWS UNBOUNDED PRECEDING)
        ) counted ORDER BY examined DESC LIMIT 1
      """)
    return query
  }

  private func condition(after place: ListPlace?) -> PostgresCondition {
    var condition = range
    let further = isAscending ? ">" : "<"
    switch (index, place) {
    case (.arrival, .arrival(let key)?):
      condition.add(
        " AND (i.arrival, i.id) \(further) (?, ?)", .time(key.arrival), .id(key.id))
    case (.number, .number(let number)?):
      condition.add(" AND i.short_number \(further) ?", .integer(number))
    case (.sequence, .number(let number)?):
      condition.add(" AND s.sequence \(further) ?", .integer(number))
    case (_, nil), (.arrival, .number?), (.number, .arrival?), (.sequence, .arrival?): break
    }
    return condition
  }

  private var order: String {
    let direction = isAscending ? "ASC" : "DESC"
    return switch index {
    case .arrival: "i.arrival \(direction), i.id \(direction)"
    case .number: "i.short_number \(direction)"
    case .sequence: "s.sequence \(direction)"
    }
  }

  fileprivate func row(_ row: PostgresRow) throws -> Row {
    let key = try ArrivalKey(row: row)
    let place: ListPlace =
      switch index {
      case .arrival: .arrival(key)
      case .number: .number(try row.value("short_number"))
      case .sequence: .number(try row.value("sequence"))
      }
    return Row(
      key: key, place: place, isFound: try row.value("is_found"), isHit: try row.value("is_hit"))
  }
}

/// The number of rows that the next slice of a walk examines.
///
/// It grows while slices are fast and shrinks when they are slow, because a filter may cost milliseconds
/// a row. The sizes are few and part of the statements: each statement is prepared once, and planned for
/// as many rows as it examines.
struct SliceSize {
  static let all = [32, 128, 512, 2048]
  /// The duration below which the next slice is larger.
  private static let quick = Duration.milliseconds(10)
  /// The duration above which the next slice is smaller.
  private static let slow = Duration.milliseconds(50)

  private var place: Int
  var rows: Int { Self.all[place] }

  /// - Parameter rows: The number of rows that are wanted; it may be more than a slice has.
  init(rows: Int) {
    place = Self.all.firstIndex { $0 >= rows } ?? Self.all.count - 1
  }

  mutating func adjust(to duration: Duration) {
    if duration < Self.quick { place = min(place + 1, Self.all.count - 1) }
    if duration > Self.slow { place = max(place - 1, 0) }
  }
}

extension ArrivalKey {
  /// Reads the key from the columns `arrival` and `id`.
  init(row: PostgresRow) throws {
    self.init(arrival: try row.time("arrival"), id: try row.id("id"))
  }
}

extension PostgresTransaction {
  /// Runs a statement with placeholders in the form of ``PostgresCondition``.
  func all<Value>(
    _ query: PostgresCondition, _ decode: (PostgresRow) throws -> Value
  ) throws -> [Value] {
    try all(query.statement, query.values, decode)
  }

  /// Walks along the index until `body` returns false.
  ///
  /// - Parameters:
  ///   - start: The place after which the walk begins; nil for its beginning.
  ///   - rows: The number of rows that the caller expects to need.
  ///   - body: Takes the next rows, and whether further ones exist.
  /// - Returns: Whether the walk has reached its end.
  func walk(
    _ walk: ItemWalk, after start: ListPlace?, rows: Int,
    _ body: (_ rows: [ItemWalk.Row], _ hasMore: Bool) throws -> Bool
  ) throws -> Bool {
    var place = start
    var size = SliceSize(rows: rows)
    while true {
      let begin = ContinuousClock.now
      // The additional row shows whether the walk goes on.
      var slice = try all(walk.slice(after: place, rows: size.rows + 1), walk.row)
      let hasMore = slice.count > size.rows
      if hasMore { slice.removeLast() }
      size.adjust(to: begin.duration(to: .now))
      guard try body(slice, hasMore) else { return false }
      guard hasMore, let last = slice.last else { return true }
      place = last.place
    }
  }

  /// Counts the hits of a walk by arrival, newest first.
  ///
  /// - Returns: nil if the walk has more than `scanMax` rows, or if the deadline has passed.
  func count(_ walk: ItemWalk, scanMax: Int, until deadline: WorkDeadline) throws -> Int? {
    var place: ListPlace?
    var (examined, hits) = (0, 0)
    var size = SliceSize(rows: scanMax)
    while true {
      let begin = ContinuousClock.now
      let query = walk.counts(after: place, rows: size.rows)
      let slice = try first(query.statement, query.values) { row in
        let rowCount: Int = try row.value("examined")
        let hitCount: Int = try row.value("hits")
        return (examined: rowCount, hits: hitCount, last: try ArrivalKey(row: row))
      }
      examined += slice?.examined ?? 0
      hits += slice?.hits ?? 0
      if examined > scanMax || deadline.hasPassed { return nil }
      guard let slice, slice.examined == size.rows else { return hits }
      place = .arrival(slice.last)
      size.adjust(to: begin.duration(to: .now))
    }
  }
}
#endif
