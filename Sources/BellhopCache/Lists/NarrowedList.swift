import BellhopModel
import BellhopSearch

/// A list narrowed by a filter, read window by window.
///
/// No index exists for it. The counters determine the hours in which an item may pass, and only
/// these hours are read, nearest first, until the window is full. A filter without words and
/// without terms that the counters cover reads every row in the worst case. Such a read uses the
/// connection for searches and can be interrupted.
struct NarrowedList {
  private let base: CacheList
  private let filter: ListFilter
  private let condition: FilterSQL
  private let section: ListSection?
  private let statement: Statements

  /// - Parameter section: The one section to read, in a sorted list.
  init(
    _ base: CacheList, _ filter: ListFilter, _ statement: Statements, in section: ListSection? = nil
  ) {
    self.base = base
    self.filter = filter
    self.section = section
    self.statement = statement
    let condition = FilterSQL(filter)
    self.condition = section.map { condition.and($0.members) } ?? condition
  }

  func rows(_ window: ListWindow, limit: Int) throws -> [CachedRow] {
    guard base != .later else { return try laterRows(window, limit: limit) }
    let query = SearchQuery(filter.words)
    guard query.isEmpty else {
      return try CacheSearch(
        query, statement, placements: base.placements, condition: condition
      ).rows(window, limit: limit)
    }
    let rows = try placedRows(window, limit: limit)
    return window.bounds.isUpward ? rows.reversed() : rows
  }

  /// Returns the number of passing items with these keys, counted up to `limit`.
  func count(_ keys: ClosedRange<ArrivalKey>, limit: Int) throws -> Int {
    try count(condition, keys, limit: limit)
  }

  /// Returns the number of passing items above the position in the sorted list, up to `limit`.
  func count(above position: ListPosition, limit: Int) throws -> Int {
    guard let section = position.section else { return 0 }
    let above = condition.and(section.items(above: position.key))
    return try count(
      above, ArrivalKey(rawValue: .min)...ArrivalKey(rawValue: .max), limit: limit)
  }

  private func count(
    _ condition: FilterSQL, _ keys: ClosedRange<ArrivalKey>, limit: Int
  ) throws -> Int {
    guard base != .later else {
      return min(limit, try laterRows(.first, limit: .max).count { keys.contains($0.key) })
    }
    let query = SearchQuery(filter.words)
    guard query.isEmpty else {
      return try CacheSearch(
        query, statement, placements: base.placements, condition: condition
      ).count(keys, limit: limit)
    }
    let passing = try statement.once(
      """
      SELECT count(*) FROM (SELECT 1 FROM item
        WHERE arrival_key BETWEEN ? AND ? AND \(base.placements.condition)
          AND \(condition.text) LIMIT ?)
      """
    ).bind(keys.lowerBound).bind(keys.upperBound)
    return try condition.bind(to: passing).bind(limit).first { $0.count(0) } ?? 0
  }

  // MARK: By arrival

  /// Returns the rows of the window, nearest first.
  private func placedRows(_ window: ListWindow, limit: Int) throws -> [CachedRow] {
    let (_, key, isUpward) = window.bounds
    var hourSQL = FilterSQL(countersOf: filter)
    if let section { hourSQL = hourSQL.and(section.hours) }
    let hours = try statement.once(
      """
      SELECT DISTINCT hour FROM hour_count
      WHERE hour \(isUpward ? ">=" : "<=") ? AND \(base.placements.condition) AND count > 0
        AND \(hourSQL.text)
      ORDER BY hour \(isUpward ? "ASC" : "DESC")
      """)
    hourSQL.bind(to: hours.bind(key.hour))
    let inHour = try statement.once(
      """
      SELECT \(ItemColumns.line) FROM item
      WHERE arrival_key > ? AND arrival_key < ? AND \(base.placements.condition)
        AND \(condition.text)
      ORDER BY arrival_key \(isUpward ? "ASC" : "DESC") LIMIT ?
      """)
    defer { hours.reset() }
    var rows: [CachedRow] = []
    while rows.count < limit, try hours.step() {
      let hour = hours.integer(0)
      // The keys just outside the hour, both excluded.
      let floor = ArrivalKey(startOfHour: hour).rawValue - 1
      let ceiling =
        hour < ArrivalKey(rawValue: .max).hour
        ? ArrivalKey(startOfHour: hour + 1).rawValue : Int64.max
      inHour.bind(isUpward ? max(floor, key.rawValue) : floor)
      inHour.bind(isUpward ? ceiling : min(ceiling, key.rawValue))
      condition.bind(to: inHour).bind(limit - rows.count)
      rows += try inHour.all(ItemColumns.row)
    }
    return rows
  }

  // MARK: By due time

  /// Returns the rows of a window by due time. Reads all waiting items, because they are few.
  private func laterRows(_ window: ListWindow, limit: Int) throws -> [CachedRow] {
    let query = SearchQuery(filter.words)
    let list = CacheList.narrowed(base, filter)
    let all = try statement.once(
      """
      SELECT \(ItemColumns.line), item.body FROM item
      WHERE due IS NOT NULL AND \(condition.text) ORDER BY due, arrival_key
      """)
    condition.bind(to: all)
    var rows: [CachedRow] = []
    try all.eachRow { row in
      if query.isEmpty || CacheSearch.matches(query, row) {
        rows.append(try CacheSearch.row(query, row))
      }
    }
    return window.part(of: rows, in: list, limit: limit)
  }
}

extension CacheList {
  /// The placements of the list's items.
  var placements: [Placement] {
    switch self {
    case .tray, .trayGroup: [.tray]
    case .handled: [.handled]
    case .later: [.snoozed, .scheduled]
    case .history: Placement.listed
    case .search: [.scheduled] + Placement.listed
    case .narrowed(let base, _), .sorted(let base, _): base.placements
    }
  }

  /// The condition for the rows of the list's items, apart from its filter.
  var condition: String {
    switch self {
    case .later: "due IS NOT NULL"
    case .tray, .handled, .history, .search, .trayGroup: placements.condition
    case .narrowed(let base, _), .sorted(let base, _): base.condition
    }
  }

  /// The filter that the list's items pass.
  var filter: ListFilter {
    switch self {
    case .narrowed(_, let filter): filter
    case .sorted(let base, _): base.filter
    case .tray, .handled, .history, .later, .search, .trayGroup: ListFilter()
    }
  }
}

extension ArrivalKey {
  fileprivate init(startOfHour hour: Int64) {
    self.init(floorOf: Timestamp(milliseconds: hour * 3_600_000))
  }
}

extension ListWindow {
  /// Returns the part of the complete `rows` that is in the window, in the order of `list`.
  func part(of rows: [CachedRow], in list: CacheList, limit: Int) -> [CachedRow] {
    func isAbove(_ row: CachedRow, _ position: ListPosition) -> Bool {
      row.position(in: list).stands(above: position, in: list)
    }
    return switch self {
    case .first: Array(rows.prefix(limit))
    case .last: Array(rows.suffix(limit))
    case .above(let position): Array(rows.filter { isAbove($0, position) }.suffix(limit))
    case .below(let position):
      Array(
        rows.filter { !isAbove($0, position) && $0.position(in: list) != position }
          .prefix(limit))
    }
  }
}
