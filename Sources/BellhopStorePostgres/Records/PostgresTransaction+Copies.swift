#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore
internal import FoundationEssentials

/// The rows of a store that is moved from or to PostgreSQL, and of portable backups.
///
/// All statements are made of the columns of ``CopiedTable``. They read all users: no process serves
/// the database meanwhile, or they run in one snapshot.
extension PostgresTransaction: CopyRecords {
  func copiedRows(
    of table: CopiedTable, after key: [CopiedValue]?, limit: PageLimit
  ) throws -> [CopiedRow] {
    let columns = table.columns
    var values: [PostgresValue] = []
    for (column, value) in zip(columns, key ?? []) {
      values.append(value.parameter(column.kind))
    }
    var outboxes = CopiedOutboxes()
    if let key, let outbox = try outboxes.id(in: key, of: table, readIDs: outboxIDs) {
      values[1] = .integer(outbox)
    }
    return try page(
      Self.selection(of: table, hasKey: key != nil), values + [.count(limit.rows)], limit,
      bytes: \.byteCount
    ) { (row: PostgresRow) -> CopiedRow in
      CopiedRow(table, try columns.map { column in try CopiedValue(row, column) })
    }
  }

  func lastUserID() throws -> UserID {
    let last: Int64? = try first(
      """
      SELECT greatest(
        coalesce(pg_sequence_last_value(pg_get_serial_sequence('users', 'id')::regclass), 0),
        coalesce((SELECT max(id) FROM users), 0)) AS last
      """
    ) { row in try row.value("last") }
    return UserID(rawValue: last ?? 0)
  }

  func insert(_ rows: [CopiedRow], into table: CopiedTable) throws {
    if table == .item {
      for row in rows { try insertItem(row) }
      return
    }
    let columns = table.columns
    let sql = Self.insertion(into: table.relation, columns.map(\.quoted))
    var outboxes = CopiedOutboxes()
    for row in rows {
      var values: [PostgresValue] = []
      for (column, value) in zip(columns, row.values) {
        values.append(value.parameter(column.kind))
      }
      if let outbox = try outboxes.id(in: row.values, of: table, readIDs: outboxIDs) {
        values[1] = .integer(outbox)
      }
      try write(sql, values)
    }
  }

  /// Inserts the content, the words for searches, and the state of an item.
  private func insertItem(_ row: CopiedRow) throws {
    var content: (names: [String], values: [PostgresValue]) = ([], [])
    var state = content
    for (column, value) in zip(row.table.columns, row.values) {
      let isKey = column.name == "user" || column.name == "id"
      let isState = Self.stateColumns.contains(column.name)
      if isKey || !isState {
        content.names.append(column.quoted)
        content.values.append(value.parameter(column.kind))
      }
      if isKey || isState {
        state.names.append(column.quoted)
        state.values.append(value.parameter(column.kind))
      }
    }
    let words = try Self.words(of: row)
    try write(
      Self.insertion(
        into: "item", content.names, further: [("words", "::tsvector"), ("has_cut_words", "")]),
      content.values + [.text(words?.text), .bool(words?.isCut ?? false)])
    try write(Self.insertion(into: "item_state", state.names), state.values)
  }

  /// The words of an item; nil for a tombstone.
  private static func words(of row: CopiedRow) throws -> SearchVector? {
    func text(_ column: String) -> String? {
      guard case .text(let text)? = row.value(of: column) else { return nil }
      return text
    }
    guard case .null? = row.value(of: "deleted"), let app = text("app") else { return nil }
    var content = Content(app: app, group: text("group_name"))
    if let tags = text("tags") {
      content.tags = try JSONDecoder().decode([String].self, from: Data(tags.utf8))
    }
    if let title = text("title") {
      content.visual = VisualContent(
        title: title, subtitle: text("subtitle"), body: text("body"))
    }
    return SearchVector(content)
  }

  private func outboxIDs(of user: Int64) throws -> [Int64] {
    try all("SELECT id FROM outbox WHERE user_id = $1 ORDER BY id", [.integer(user)]) { row in
      try row.value("id")
    }
  }

  /// Raises the highest user id.
  func finishCopy(lastUser user: UserID) throws {
    let last = max(user.rawValue, try lastUserID().rawValue)
    guard last > 0 else { return }
    try rows("SELECT setval(pg_get_serial_sequence('users', 'id'), $1)", [.integer(last)])
  }

  // MARK: - Statements

  /// The columns of an item that are in the table `item_state`.
  private static let stateColumns = Set(["leaves"] + PostgresItemRow.stateColumns)

  /// The statement for rows in the order of their keys. Its values are the key, if any, and the limit.
  private static func selection(of table: CopiedTable, hasKey: Bool) -> String {
    let columns = table.columns.map(\.quoted).joined(separator: ", ")
    var keyColumns = table.columns.prefix(table.keyCount).map(\.quoted)
    if table == .outboxNumber { keyColumns[1] = "local_id" }
    let keys = keyColumns.joined(separator: ", ")
    let places = (1...table.keyCount).map { "$\($0)" }.joined(separator: ", ")
    let above = hasKey ? "WHERE (\(keys)) > (\(places))" : ""
    let limit = hasKey ? table.keyCount + 1 : 1
    return "SELECT \(columns) FROM \(table.source) \(above) ORDER BY \(keys) LIMIT $\(limit)"
  }

  /// - Parameter further: Columns after the others, with the casts of their values.
  private static func insertion(
    into relation: String, _ columns: [String], further: [(name: String, cast: String)] = []
  ) -> String {
    let names = (columns + further.map { $0.name }).joined(separator: ", ")
    var places: [String] = columns.indices.map { "$\($0 + 1)" }
    for (offset, column) in further.enumerated() {
      places.append("$\(columns.count + offset + 1)\(column.cast)")
    }
    return "INSERT INTO \(relation) (\(names)) VALUES (\(places.joined(separator: ", ")))"
  }
}

extension CopiedTable {
  /// The table into which rows are inserted.
  fileprivate var relation: String { self == .user ? "users" : name }

  /// The rows to select from.
  fileprivate var source: String {
    switch self {
    case .item: "item JOIN item_state USING (user_id, id)"
    case .outbox: "(\(Self.outboxes)) AS numbered"
    case .outboxNumber:
      """
      (SELECT n.user_id, o.id AS outbox, n.outbox AS local_id, n.number, n.operation
      FROM outbox_number n
      JOIN (\(Self.outboxes)) o ON o.user_id = n.user_id AND o.local_id = n.outbox) AS numbered
      """
    case .metadata, .start, .user, .startSequence, .device, .accessToken, .forgottenToken,
      .subject, .signIn, .app, .appAlias, .appProfile, .rule, .publication, .operation,
      .bulkWork, .awaitedResponse, .subscription, .file, .itemAlias, .resolution:
      relation
    }
  }

  /// The outboxes with their place among those of the user, instead of an id of this database.
  private static let outboxes = """
    SELECT user_id, row_number() OVER (PARTITION BY user_id ORDER BY id) AS id, device, lineage,
      epoch, last, forgotten, id AS local_id FROM outbox
    """
}

extension CopiedColumn {
  /// The name in this database.
  fileprivate var postgresName: String { name == "user" ? "user_id" : name }
  fileprivate var quoted: String { "\"\(postgresName)\"" }
}

extension CopiedValue {
  /// The value as a parameter of the column's type.
  fileprivate func parameter(_ kind: CopiedColumn.Kind) -> PostgresValue {
    switch self {
    case .integer(let value): return .integer(value)
    case .text(let value): return .text(value)
    case .bytes(let value): return .bytes(value)
    case .flag(let value): return .bool(value)
    case .null: break
    }
    return switch kind {
    case .integer: .integer(nil)
    case .text: .text(nil)
    case .bytes: .bytes(nil)
    case .flag: .bool(nil)
    }
  }

  fileprivate init(_ row: PostgresRow, _ column: CopiedColumn) throws {
    switch column.kind {
    case .integer:
      let value: Int64? = try row.optional(column.postgresName)
      self = value.map { .integer($0) } ?? .null
    case .text:
      let value: String? = try row.optional(column.postgresName)
      self = value.map { .text($0) } ?? .null
    case .bytes:
      let value: [UInt8]? = try row.optional(column.postgresName)
      self = value.map { .bytes($0) } ?? .null
    case .flag:
      let value: Bool? = try row.optional(column.postgresName)
      self = value.map { .flag($0) } ?? .null
    }
  }
}
#endif
