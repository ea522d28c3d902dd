internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction: CopyRecords {
  func copiedRows(
    of table: CopiedTable, after key: [CopiedValue]?, limit: PageLimit
  ) throws -> [CopiedRow] {
    let columns = table.columns
    let keys = Self.list(columns.prefix(table.keyCount))
    let places = Self.places(table.keyCount)
    let above = key == nil ? "" : "WHERE (\(keys)) > (\(places))"
    return try page(
      "SELECT \(Self.list(columns[...])) FROM \"\(table.name)\" \(above) ORDER BY \(keys) LIMIT ?",
      (key ?? []).map(\.column) + [limit.rows], limit, bytes: \.byteCount
    ) { row in
      CopiedRow(
        table,
        try columns.enumerated().map { place, column in
          try CopiedValue(row, place, column.kind)
        })
    }
  }

  func lastUserID() throws -> UserID {
    UserID(
      rawValue: try first("SELECT seq FROM sqlite_sequence WHERE name = 'user'", []) { $0[0] } ?? 0)
  }

  func insert(_ rows: [CopiedRow], into table: CopiedTable) throws {
    let columns = table.columns
    let sql = """
      INSERT INTO "\(table.name)" (\(Self.list(columns[...]))) VALUES (\(Self.places(columns.count)))
      """
    for row in rows { try run(sql, row.values.map(\.column)) }
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

  private static func places(_ count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
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
