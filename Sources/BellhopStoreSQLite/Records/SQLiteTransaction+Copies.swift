internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction: CopyRecords {
  func copiedRows(
    of table: CopiedTable, after key: [CopiedValue]?, limit: PageLimit
  ) throws -> [CopiedRow] {
    let columns = table.columns
    var values = (key ?? []).map(\.column)
    var outboxes = CopiedOutboxes()
    if let key, let outbox = try outboxes.id(in: key, of: table, readIDs: outboxIDs) {
      values[1] = outbox
    }
    return try page(
      Self.selection(of: table, hasKey: key != nil), values + [limit.rows], limit,
      bytes: \.byteCount
    ) { row in
      CopiedRow(
        table,
        try columns.enumerated().map { place, column in
          try CopiedValue(row, place, column.kind)
        })
    }
  }

  /// The statement for rows in the order of their keys. Its values are the key, if any, and the limit.
  private static func selection(of table: CopiedTable, hasKey: Bool) -> String {
    if table == .outboxNumber { return numberSelection(hasKey: hasKey) }
    let source = table == .outbox ? "(\(outboxes))" : "\"\(table.name)\""
    let keys = list(table.columns.prefix(table.keyCount))
    let places = Array(repeating: "?", count: table.keyCount).joined(separator: ", ")
    let above = hasKey ? "WHERE (\(keys)) > (\(places))" : ""
    return "SELECT \(list(table.columns[...])) FROM \(source) \(above) ORDER BY \(keys) LIMIT ?"
  }

  /// The outboxes with their place among those of the user, instead of an id of this database.
  private static let outboxes = """
    SELECT user, row_number() OVER (PARTITION BY user ORDER BY id) AS id, device, lineage, epoch,
      last, forgotten, id AS row FROM outbox
    """

  /// Walks along the numbers by the ids of this database, which have the order of the places.
  private static func numberSelection(hasKey: Bool) -> String {
    """
    SELECT n.user, o.id, n.number, n.operation
    FROM outbox_number n CROSS JOIN (\(outboxes)) o ON o.user = n.user AND o.row = n.outbox
    \(hasKey ? "WHERE (n.user, n.outbox, n.number) > (?, ?, ?)" : "")
    ORDER BY n.user, n.outbox, n.number LIMIT ?
    """
  }

  func lastUserID() throws -> UserID {
    let last: Int64? = try first("SELECT seq FROM sqlite_sequence WHERE name = 'user'", []) {
      $0[0] as Int64
    }
    return UserID(rawValue: last ?? 0)
  }

  func insert(_ rows: [CopiedRow], into table: CopiedTable) throws {
    // This database numbers outboxes itself.
    let columns = table.columns.filter { table != .outbox || $0.name != "id" }
    var names = columns.map { "\"\($0.name)\"" }
    if table == .accessToken { names.append("hash_head") }
    let places = names.map { _ in "?" }.joined(separator: ", ")
    let sql =
      "INSERT INTO \"\(table.name)\" (\(names.joined(separator: ", "))) VALUES (\(places))"
    var outboxes = CopiedOutboxes()
    for row in rows {
      var values: [(any DatabaseValueConvertible)?] = []
      for (column, value) in zip(table.columns, row.values) where columns.contains(column) {
        values.append(value.column)
      }
      if let outbox = try outboxes.id(in: row.values, of: table, readIDs: outboxIDs) {
        values[1] = outbox
      }
      if table == .accessToken, case .bytes(let hash)? = row.value(of: "hash") {
        values.append(Self.head(of: hash))
      }
      try run(sql, values)
    }
  }

  private func outboxIDs(of user: Int64) throws -> [Int64] {
    try all("SELECT id FROM outbox WHERE user = ? ORDER BY id", [user]) { $0[0] as Int64 }
  }

  /// Raises the highest user id. Items are added to the search index later, like published ones.
  func finishCopy(lastUser user: UserID) throws {
    let known = try count(
      "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'user'", [user.rawValue])
    guard known == 0 else { return }
    try run("INSERT INTO sqlite_sequence (name, seq) VALUES ('user', ?)", [user.rawValue])
  }

  private static func list(_ columns: ArraySlice<CopiedColumn>) -> String {
    columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
  }
}

extension CopiedValue {
  /// The value as stored in its column.
  fileprivate var column: (any DatabaseValueConvertible)? {
    switch self {
    case .null: nil
    case .integer(let value): value
    case .text(let value): value
    case .bytes(let value): value.blob
    case .flag(let value): value
    }
  }

  fileprivate init(_ row: Row, _ place: Int, _ kind: CopiedColumn.Kind) throws {
    let value: DatabaseValue = row[place]
    if value.isNull {
      self = .null
      return
    }
    switch kind {
    case .integer: self = .integer(row[place])
    case .text: self = .text(row[place])
    case .bytes: self = .bytes(try row.bytes(place))
    case .flag: self = .flag(row[place])
    }
  }
}
