import BellhopModel
import GRDB
import GRDBSQLite

/// A prepared statement that binds and reads column by column.
///
/// GRDB's own arguments and rows box every value. At 40 columns a row, that costs more than SQLite
/// itself. A statement is used on its connection's queue only, and is reset after every use.
final class SQLStatement {
  private let statement: Statement
  private let handle: OpaquePointer
  private var parameter: CInt = 0

  init(_ db: Database, _ sql: String) throws {
    statement = try db.makeStatement(sql: sql)
    handle = statement.sqliteStatement
  }

  // MARK: Binding, from the first parameter on

  @discardableResult
  func bind(_ value: Int64?) -> SQLStatement {
    parameter += 1
    if let value {
      sqlite3_bind_int64(handle, parameter, value)
    } else {
      sqlite3_bind_null(handle, parameter)
    }
    return self
  }

  @discardableResult
  func bind(_ value: Int) -> SQLStatement { bind(Int64(value)) }

  @discardableResult
  func bind(_ value: Bool) -> SQLStatement { bind(value ? 1 : 0 as Int64) }

  @discardableResult
  func bind(_ value: Timestamp?) -> SQLStatement { bind(value?.milliseconds) }

  @discardableResult
  func bind(_ value: SequenceNumber?) -> SQLStatement { bind(value?.rawValue) }

  @discardableResult
  func bind(_ value: ArrivalKey) -> SQLStatement { bind(value.rawValue) }

  @discardableResult
  func bind(_ text: String?) -> SQLStatement {
    parameter += 1
    guard var text else {
      sqlite3_bind_null(handle, parameter)
      return self
    }
    text.withUTF8 { bytes in
      // An empty buffer may have no address, which SQLite would read as NULL.
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        let start = bytes.baseAddress
        _ =
          start == nil
          ? sqlite3_bind_text(handle, parameter, "", 0, Self.copied)
          : sqlite3_bind_text(handle, parameter, start, CInt(bytes.count), Self.copied)
      }
    }
    return self
  }

  @discardableResult
  func bind(_ bytes: [UInt8]?) -> SQLStatement {
    parameter += 1
    guard let bytes else {
      sqlite3_bind_null(handle, parameter)
      return self
    }
    sqlite3_bind_blob(handle, parameter, bytes, CInt(bytes.count), Self.copied)
    return self
  }

  @discardableResult
  func bind<Tag>(_ id: UniqueID<Tag>) -> SQLStatement {
    parameter += 1
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes in
      _ = sqlite3_bind_blob(handle, parameter, bytes.baseAddress, 16, Self.copied)
    }
    return self
  }

  // MARK: Running

  /// Steps to the next row. Returns false at the end.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let connection = sqlite3_db_handle(handle)
      throw DatabaseError(
        resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection) | code),
        message: String(cString: sqlite3_errmsg(connection)))
    }
  }

  /// Runs a statement that returns no rows.
  func run() throws {
    defer { reset() }
    while try step() {}
  }

  /// Calls `row` for each row.
  func eachRow(_ row: (SQLStatement) throws -> Void) throws {
    defer { reset() }
    while try step() { try row(self) }
  }

  /// Returns the rows, converted to values.
  func all<Value>(_ make: (SQLStatement) throws -> Value) throws -> [Value] {
    var values: [Value] = []
    try eachRow { values.append(try make($0)) }
    return values
  }

  /// Returns the first row, converted to a value.
  func first<Value>(_ make: (SQLStatement) throws -> Value) throws -> Value? {
    defer { reset() }
    return try step() ? make(self) : nil
  }

  func reset() {
    sqlite3_reset(handle)
    parameter = 0
  }

  // MARK: Reading columns, from 0

  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, CInt(column)) == SQLITE_NULL
  }

  func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, CInt(column)) }

  func count(_ column: Int) -> Int { Int(clamping: integer(column)) }

  func bool(_ column: Int) -> Bool { integer(column) != 0 }

  func integerOrNil(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

  func time(_ column: Int) -> Timestamp { Timestamp(milliseconds: integer(column)) }

  func timeOrNil(_ column: Int) -> Timestamp? {
    integerOrNil(column).map(Timestamp.init(milliseconds:))
  }

  func sequence(_ column: Int) -> SequenceNumber { SequenceNumber(integer(column)) }

  func textOrNil(_ column: Int) -> String? {
    guard let start = sqlite3_column_text(handle, CInt(column)) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, CInt(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func text(_ column: Int) -> String { textOrNil(column) ?? "" }

  /// Returns the bytes, valid until the next step; nil for NULL.
  func bytes(_ column: Int) -> UnsafeRawBufferPointer? {
    guard let start = sqlite3_column_blob(handle, CInt(column)) else { return nil }
    return UnsafeRawBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(handle, CInt(column))))
  }

  func id<Tag>(_ column: Int) throws -> UniqueID<Tag> {
    guard let bytes = bytes(column), let id = UniqueID<Tag>(bytes: bytes) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an id is not 16 bytes")
    }
    return id
  }

  /// The destructor `SQLITE_TRANSIENT`, the pointer -1: SQLite copies the data and never calls it.
  ///
  /// It is a macro with a cast, which Swift does not import.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
