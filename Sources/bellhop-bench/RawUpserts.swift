import GRDBSQLite

/// The peer for applying changes: the same rows, written by SQLite's C interface alone.
///
/// The table has the same columns and b-tree indexes.
final class RawUpserts {
  private enum Value {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
  }

  private var database: OpaquePointer?
  private var upsert: OpaquePointer?
  private var rows: [[Value]] = []
  /// The distance between the keys of one round and those of the previous one.
  private var span: Int64 = 0
  private var round: Int64 = 0

  /// SQLITE_TRANSIENT, the function pointer -1: SQLite copies the value, and never calls it.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  private static let rowsInTransaction = 250
  /// The number of bits by which an arrival key's milliseconds are shifted.
  private static let tieBits: Int64 = 20

  /// Opens a copy of a cache, and uses its newest rows as the data to write.
  init(path: String, rows count: Int) throws {
    guard sqlite3_open(path, &database) == SQLITE_OK else {
      throw BenchError("SQLite cannot open \(path)")
    }
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = NORMAL")
    try run("PRAGMA cache_size = -8000")
    var select: OpaquePointer?
    try prepare("SELECT * FROM item ORDER BY arrival_key DESC LIMIT \(count)", &select)
    defer { sqlite3_finalize(select) }
    let columns = sqlite3_column_count(select)
    let names = (0..<columns).map { String(cString: sqlite3_column_name(select, $0)) }
    while sqlite3_step(select) == SQLITE_ROW {
      rows.append((0..<columns).map { Self.value(select, $0) })
    }
    // Oldest first, in the order in which changes arrive.
    rows.reverse()
    if case .integer(let first)? = rows.first?[0], case .integer(let last)? = rows.last?[0] {
      span = ((last - first) >> Self.tieBits + 1) << Self.tieBits
    }
    let places = names.map { _ in "?" }.joined(separator: ", ")
    let updates = names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    try prepare(
      "INSERT INTO item (\(names.joined(separator: ", "))) VALUES (\(places)) "
        + "ON CONFLICT (arrival_key) DO UPDATE SET \(updates)", &upsert)
  }

  deinit {
    sqlite3_finalize(upsert)
    sqlite3_close(database)
  }

  /// Writes the rows as new ones, and returns the number per second.
  func rate() throws -> Double {
    round += 1
    let new = rows.map { renewed($0, by: span * round) }
    let duration = try timed {
      for start in stride(from: 0, to: new.count, by: Self.rowsInTransaction) {
        try run("BEGIN IMMEDIATE")
        for row in new[start..<min(start + Self.rowsInTransaction, new.count)] {
          for (index, value) in row.enumerated() { bind(value, Int32(index + 1)) }
          guard sqlite3_step(upsert) == SQLITE_DONE else { throw failure() }
          sqlite3_reset(upsert)
        }
        try run("COMMIT")
      }
    }
    return Double(new.count) / duration.inSeconds
  }

  /// Returns the row with a new key and id, later than all others.
  private func renewed(_ row: [Value], by step: Int64) -> [Value] {
    var row = row
    if case .integer(let key) = row[0] { row[0] = .integer(key + step) }
    if case .blob(var id) = row[1] {
      var time = id[..<6].reduce(Int64(0)) { $0 << 8 | Int64($1) } + step >> Self.tieBits
      for index in (0..<6).reversed() {
        id[index] = UInt8(truncatingIfNeeded: time)
        time >>= 8
      }
      row[1] = .blob(id)
    }
    return row
  }

  private func bind(_ value: Value, _ index: Int32) {
    switch value {
    case .null: sqlite3_bind_null(upsert, index)
    case .integer(let number): sqlite3_bind_int64(upsert, index, number)
    case .text(let text):
      sqlite3_bind_text(upsert, index, text, Int32(text.utf8.count), Self.copied)
    case .blob(let bytes):
      sqlite3_bind_blob(upsert, index, bytes, Int32(bytes.count), Self.copied)
    }
  }

  private static func value(_ statement: OpaquePointer?, _ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_TEXT: return .text(String(cString: sqlite3_column_text(statement, column)))
    case SQLITE_BLOB:
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(statement, column),
        count: Int(sqlite3_column_bytes(statement, column)))
      return .blob(Array(bytes))
    default: return .null  // open: Int32
    }
  }

  private func prepare(_ sql: String, _ statement: inout OpaquePointer?) throws {
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure()
    }
  }

  private func run(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  private func failure() -> BenchError {
    BenchError("SQLite: " + String(cString: sqlite3_errmsg(database)))
  }
}
