import BellhopModel
import BellhopSearch

/// A search of the index and of the items that wait to be indexed, newest first.
struct CacheSearch {
  /// The maximum number of waiting items that are searched.
  ///
  /// More wait only right after a first synchronisation. The older part of the queue can then be
  /// found within seconds.
  static let queueRowsMax = 500
  /// The length of the index's longest prefixes.
  static let prefixCharactersMax = 3
  /// The number of rows of a shortened word that are checked for each row wanted.
  static let candidatesPerRow = 5
  /// The number of rows of a shortened word that show whether the whole word is common.
  static let probe = 50

  private let query: SearchQuery
  private let statement: Statements
  /// A further condition; nil if there is none.
  private let condition: FilterSQL?
  private let placementTest: String

  init(_ text: String, _ statement: Statements) { self.init(SearchQuery(text), statement) }

  init(_ query: SearchQuery, _ statement: Statements) {
    self.query = query
    self.statement = statement
    condition = nil
    placementTest = Placement.isNotGone
  }

  /// Creates a search among the items in these placements that meet the condition.
  init(
    _ query: SearchQuery, _ statement: Statements, placements: [Placement], condition: FilterSQL
  ) {
    self.query = query
    self.statement = statement
    self.condition = condition
    placementTest = placements.condition
  }

  func rows(_ window: ListWindow, limit: Int) throws -> [CachedRow] {
    guard let expression = query.matchExpression else { return [] }
    let (bound, key, isUpward) = window.bounds
    let order = isUpward ? "ASC" : "DESC"
    let indexed =
      try commonRows(bound, key, order, limit: limit)
      ?? indexedRows(expression, bound, key, order, limit: limit)
    let waiting = try waitingRows(bound, key, order, limit: limit)
    let rows = (indexed + waiting).sorted { isUpward ? $0.key < $1.key : $0.key > $1.key }
      .prefix(limit)
    return isUpward ? rows.reversed() : Array(rows)
  }

  /// Returns the rows of an incomplete word longer than the index's prefixes, if they are common.
  ///
  /// For such a word, FTS5 first gathers all matches, which takes 20 ms for 400,000 items. It
  /// returns the matches of the word's first three letters at once, newest first. If enough of
  /// these match the whole word, they are the result. Returns nil if they are too few, which is
  /// detected early: a word that is rare among them is gathered quickly.
  private func commonRows(
    _ bound: String, _ key: ArrivalKey, _ order: String, limit: Int
  ) throws -> [CachedRow]? {
    guard let wide = query.matchExpression(prefixCharactersMax: Self.prefixCharactersMax),
      wide != query.matchExpression
    else { return nil }
    let candidates = limit * Self.candidatesPerRow
    let found = try indexedStatement(bound, order, wide, key).bind(candidates)
    defer { found.reset() }
    var rows: [CachedRow] = []
    var checked = 0
    while rows.count < limit, try found.step() {
      checked += 1
      if matches(found) { rows.append(try row(found)) }
      if checked == Self.probe, rows.count * Self.candidatesPerRow * 2 < checked { return nil }
    }
    return rows.count == limit || checked < candidates ? rows : nil
  }

  private func indexedRows(
    _ expression: String, _ bound: String, _ key: ArrivalKey, _ order: String, limit: Int
  ) throws -> [CachedRow] {
    try indexedStatement(bound, order, expression, key).bind(limit).all(row)
  }

  /// Returns the statement that searches the index.
  ///
  /// Queued items are excluded and searched separately: the index does not contain them, or
  /// contains their former text.
  private func indexedStatement(
    _ bound: String, _ order: String, _ expression: String, _ key: ArrivalKey
  ) throws -> SQLStatement {
    let found = try prepared(
      """
      SELECT \(ItemColumns.line), item.body FROM item_index
      CROSS JOIN item ON item.arrival_key = item_index.rowid
      WHERE item_index MATCH ? AND item_index.rowid \(bound) ? AND \(placementTest)
        AND NOT EXISTS (SELECT 1 FROM index_queue q WHERE q.arrival_key = item_index.rowid)
        AND \(condition?.text ?? "1")
      ORDER BY item_index.rowid \(order) LIMIT ?
      """
    ).bind(expression).bind(key)
    condition?.bind(to: found)
    return found
  }

  /// Prepares a statement.
  ///
  /// The texts of plain searches are few, and their statements are kept. Statements with a
  /// condition are prepared each time.
  private func prepared(_ sql: String) throws -> SQLStatement {
    condition == nil ? try statement(sql) : try SQLStatement(statement.db, sql)
  }

  private func row(_ row: SQLStatement) throws -> CachedRow { try Self.row(query, row) }

  /// Converts a row of the list columns and the body, and adds the excerpt.
  static func row(_ query: SearchQuery, _ row: SQLStatement) throws -> CachedRow {
    var made = try ItemColumns.row(row)
    made.excerpt = made.excerpt(for: query, body: row.textOrNil(ItemColumns.lineCount))
    return made
  }

  private func matches(_ row: SQLStatement) -> Bool { Self.matches(query, row) }

  /// Returns whether a row of the list columns and the body matches the query.
  static func matches(_ query: SearchQuery, _ row: SQLStatement) -> Bool {
    let columns: [LineColumn] = [.title, .subtitle, .app, .groupName, .tags]
    return query.matches(
      (columns.map(\.rawValue) + [ItemColumns.lineCount]).compactMap { row.textOrNil($0) })
  }

  private func waitingRows(
    _ bound: String, _ key: ArrivalKey, _ order: String, limit: Int
  ) throws -> [CachedRow] {
    let keys = try statement(
      """
      SELECT arrival_key FROM (SELECT arrival_key FROM index_queue
        WHERE wants_new = 1 AND arrival_key \(bound) ?
        ORDER BY arrival_key DESC LIMIT \(Self.queueRowsMax))
      ORDER BY arrival_key \(order)
      """
    ).bind(key).all { $0.integer(0) }
    guard !keys.isEmpty else { return [] }
    let item = try prepared(
      """
      SELECT \(ItemColumns.line), item.body FROM item
      WHERE arrival_key = ? AND \(placementTest) AND \(condition?.text ?? "1")
      """)
    var rows: [CachedRow] = []
    for key in keys where rows.count < limit {
      item.bind(key)
      condition?.bind(to: item)
      let row = try item.first { row in
        matches(row) ? try self.row(row) : nil
      }
      if let row, let row { rows.append(row) }
    }
    return rows
  }

  // MARK: Counting

  /// Returns the number of matching items with these keys, counted up to `limit`.
  func count(_ keys: ClosedRange<ArrivalKey>, limit: Int) throws -> Int {
    guard let expression = query.matchExpression else { return 0 }
    let counted = try prepared(
      """
      SELECT count(*) FROM (SELECT 1 FROM item_index
        CROSS JOIN item ON item.arrival_key = item_index.rowid
        WHERE item_index MATCH ? AND item_index.rowid BETWEEN ? AND ? AND \(placementTest)
          AND NOT EXISTS (SELECT 1 FROM index_queue q WHERE q.arrival_key = item_index.rowid)
          AND \(condition?.text ?? "1")
        LIMIT ?)
      """
    ).bind(expression).bind(keys.lowerBound).bind(keys.upperBound)
    condition?.bind(to: counted)
    let indexed = try counted.bind(limit).first { $0.count(0) } ?? 0
    let waiting = try waitingRows(">=", keys.lowerBound, "ASC", limit: Self.queueRowsMax)
      .count { $0.key <= keys.upperBound }
    return min(limit, indexed + waiting)
  }
}

extension CachedRow {
  /// The number of bytes of a body that are searched for an excerpt.
  ///
  /// A window of 160 such rows takes 25 ms. The usual 300 bytes take less than 1 ms.
  static let excerptBytesMax = 16_384

  /// Returns the part of the body around the first search word that the title lacks.
  func excerpt(for query: SearchQuery, body: String?) -> String? {
    body.flatMap { body in
      query.missing(in: title).excerpt(
        of: body, scalarsMax: Self.bodyCharactersMax, bytesMax: Self.excerptBytesMax)
    }
  }
}

extension CacheList {
  /// The query whose words the list's rows contain; nil for a list that is not searched.
  var query: SearchQuery? {
    switch self {
    case .search(let text): SearchQuery(text)
    case .narrowed(_, let filter): SearchQuery(filter.words)
    case .sorted(let base, _): base.query
    case .tray, .handled, .history, .later, .trayGroup: nil
    }
  }
}
