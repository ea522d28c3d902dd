import BellhopModel
import BellhopSearch

/// One search over the index and over what waits to be indexed, newest first.
struct CacheSearch {
  /// How many waiting items are looked into; more than wait except right after a first
  /// synchronisation, when the queue's older part becomes findable within seconds.
  static let queueRowsMax = 500
  /// The longest of the index's prefixes.
  static let prefixCharactersMax = 3
  /// How many rows of a cut word are looked at for each row wanted.
  static let candidatesPerRow = 5
  /// After so many rows of a cut word it shows whether the whole word is common among them.
  static let probe = 50

  private let query: SearchQuery
  private let statement: Statements

  init(_ text: String, _ statement: Statements) {
    query = SearchQuery(text)
    self.statement = statement
  }

  func rows(_ window: ListWindow, limit: Int) throws -> [CachedRow] {
    guard let expression = query.matchExpression else { return [] }
    let (condition, key, isUpward) = window.bounds
    let order = isUpward ? "ASC" : "DESC"
    let indexed =
      try commonRows(condition, key, order, limit: limit)
      ?? indexedRows(expression, condition, key, order, limit: limit)
    let waiting = try waitingRows(condition, key, order, limit: limit)
    let rows = (indexed + waiting).sorted { isUpward ? $0.key < $1.key : $0.key > $1.key }
      .prefix(limit)
    return isUpward ? rows.reversed() : Array(rows)
  }

  /// The rows of an unfinished word longer than the index's prefixes, when they are common.
  ///
  /// For such a word FTS5 first gathers all it finds, 20 ms for 400,000 items. The word's first
  /// three letters are answered newest first at once; when enough of those match the whole word,
  /// they are the answer. Nil when they are too few, which is noticed early: what is rare among
  /// them is gathered quickly.
  private func commonRows(
    _ condition: String, _ key: ArrivalKey, _ order: String, limit: Int
  ) throws -> [CachedRow]? {
    guard let wide = query.matchExpression(prefixCharactersMax: Self.prefixCharactersMax),
      wide != query.matchExpression
    else { return nil }
    let candidates = limit * Self.candidatesPerRow
    let found = try indexedStatement(condition, order).bind(wide).bind(key).bind(candidates)
    defer { found.reset() }
    var rows: [CachedRow] = []
    var looked = 0
    while rows.count < limit, try found.step() {
      looked += 1
      if matches(found) { rows.append(try ItemColumns.row(found)) }
      if looked == Self.probe, rows.count * Self.candidatesPerRow * 2 < looked { return nil }
    }
    return rows.count == limit || looked < candidates ? rows : nil
  }

  private func indexedRows(
    _ expression: String, _ condition: String, _ key: ArrivalKey, _ order: String, limit: Int
  ) throws -> [CachedRow] {
    try indexedStatement(condition, order).bind(expression).bind(key).bind(limit)
      .all(ItemColumns.row)
  }

  /// What the queue names is answered from the queue: the index does not have it, or has its
  /// former text.
  private func indexedStatement(_ condition: String, _ order: String) throws -> SQLStatement {
    try statement(
      """
      SELECT \(ItemColumns.line), item.body FROM item_index
      CROSS JOIN item ON item.arrival_key = item_index.rowid
      WHERE item_index MATCH ? AND item_index.rowid \(condition) ? AND placement < 4
        AND NOT EXISTS (SELECT 1 FROM index_queue q WHERE q.arrival_key = item_index.rowid)
      ORDER BY item_index.rowid \(order) LIMIT ?
      """)
  }

  /// Whether a row of the line's columns and the body contains what is looked for.
  private func matches(_ row: SQLStatement) -> Bool {
    query.matches([6, 7, 22, 3, 4, 9].compactMap { row.textOrNil($0) })
  }

  private func waitingRows(
    _ condition: String, _ key: ArrivalKey, _ order: String, limit: Int
  ) throws -> [CachedRow] {
    let keys = try statement(
      """
      SELECT arrival_key FROM (SELECT arrival_key FROM index_queue
        WHERE wants_new = 1 AND arrival_key \(condition) ?
        ORDER BY arrival_key DESC LIMIT \(Self.queueRowsMax))
      ORDER BY arrival_key \(order)
      """
    ).bind(key).all { $0.integer(0) }
    var rows: [CachedRow] = []
    for key in keys where rows.count < limit {
      let row = try statement(
        """
        SELECT \(ItemColumns.line), item.body FROM item
        WHERE arrival_key = ? AND placement < 4
        """
      ).bind(key).first { row in
        matches(row) ? try ItemColumns.row(row) : nil
      }
      if let row, let row { rows.append(row) }
    }
    return rows
  }
}
