#if BELLHOP_POSTGRES
internal import CPostgres

/// The rows that a statement returned, in libpq's memory.
package final class PostgresRows: RandomAccessCollection {
  let result: OpaquePointer
  let columns: PostgresColumns
  package let startIndex = 0
  package let endIndex: Int

  /// Takes over the result.
  ///
  /// - Parameter columns: The columns of an earlier result of the same statement.
  init(_ result: OpaquePointer, columns: PostgresColumns? = nil) {
    self.result = result
    self.columns = columns ?? PostgresColumns(of: result)
    endIndex = Int(PQntuples(result))
  }

  deinit { PQclear(result) }

  package subscript(position: Int) -> PostgresRow {
    precondition(indices.contains(position), "there is no such row")
    return PostgresRow(rows: self, index: Int32(position))
  }

  /// Returns the first row.
  ///
  /// - Throws: ``PostgresError/missingRow``.
  package func first() throws(PostgresError) -> PostgresRow {
    guard let row = first else { throw .missingRow }
    return row
  }

  /// The number of rows that the statement returned, inserted, updated or deleted.
  package var affected: Int {
    PQcmdTuples(result).map { String(cString: $0) }.flatMap { Int($0) } ?? 0
  }

  /// The first word of the command's tag, such as `COMMIT`.
  var tag: String {
    PQcmdStatus(result).map { String(cString: $0) }?.split(separator: " ").first.map(String.init)
      ?? ""
  }
}

/// The names and types of a statement's columns. They are read once for each prepared statement.
final class PostgresColumns {
  private let places: [String: Int32]
  let types: [PostgresType]

  init(of result: OpaquePointer) {
    let count = PQnfields(result)
    types = (0..<count).map { PostgresType(rawValue: PQftype(result, $0)) }
    places = Dictionary(
      (0..<count).map { (PQfname(result, $0).map { String(cString: $0) } ?? "", $0) },
      uniquingKeysWith: { first, _ in first })
  }

  func place(of name: String) throws(PostgresError) -> Int32 {
    guard let place = places[name] else { throw .missingColumn(name) }
    return place
  }
}

/// A row, whose values are read by the names of their columns.
///
/// A row keeps the memory of all rows of its statement.
package struct PostgresRow {
  let rows: PostgresRows
  let index: Int32

  /// Whether the value of a column is NULL.
  ///
  /// - Throws: ``PostgresError/missingColumn(_:)``.
  package func isNull(_ column: String) throws(PostgresError) -> Bool {
    let place = try rows.columns.place(of: column)
    return PQgetisnull(rows.result, index, place) != 0
  }

  /// Returns the value of a column that is never NULL.
  ///
  /// - Throws: ``PostgresError/unexpectedValue(column:expected:found:)``,
  ///   ``PostgresError/missingColumn(_:)``.
  package func value<Value: PostgresDecodable>(
    _ column: String, as type: Value.Type = Value.self
  ) throws(PostgresError) -> Value {
    guard let value: Value = try optional(column) else {
      throw .unexpectedValue(column: column, expected: Value.expected, found: "NULL")
    }
    return value
  }

  /// Returns the value of a column; nil for NULL.
  ///
  /// - Throws: ``PostgresError/unexpectedValue(column:expected:found:)``,
  ///   ``PostgresError/missingColumn(_:)``.
  package func optional<Value: PostgresDecodable>(
    _ column: String, as type: Value.Type = Value.self
  ) throws(PostgresError) -> Value? {
    let place = try rows.columns.place(of: column)
    guard PQgetisnull(rows.result, index, place) == 0 else { return nil }
    let bytes = UnsafeRawBufferPointer(
      start: PQgetvalue(rows.result, index, place),
      count: Int(PQgetlength(rows.result, index, place)))
    let kind = rows.columns.types[Int(place)].kind
    guard let value = Value(kind: kind, bytes: bytes) else {
      throw .unexpectedValue(column: column, expected: Value.expected, found: kind.found)
    }
    return value
  }
}

/// A value that is read from the binary form of a column.
package protocol PostgresDecodable {
  /// The kind of value for an error, such as `a text`.
  static var expected: String { get }

  /// Reads the value; nil if the column is of another kind or the bytes do not fit.
  init?(kind: PostgresKind, bytes: UnsafeRawBufferPointer)
}

/// The kinds of types that are read alike.
package enum PostgresKind: Hashable, Sendable {
  /// An `int2`, `int4` or `int8`, in as many bytes.
  case integer
  case bool
  /// A `float4` or `float8`.
  case double
  /// A `text`, `varchar`, `name` or `json`.
  case text
  case bytes
  /// A type that needs a cast in the statement.
  case other

  var found: String {
    switch self {
    case .integer: "an integer of another size"
    case .bool: "a truth value"
    case .double: "a float"
    case .text: "a text"
    case .bytes: "bytes"
    case .other: "a value of another type"
    }
  }
}

extension PostgresType {
  var kind: PostgresKind {
    switch self {
    case .int2, .int4, .int8: .integer
    case .bool: .bool
    case .float4, .float8: .double
    case .text, .varchar, .name, .json: .text
    case .bytea: .bytes
    default: .other  // open: PostgresType
    }
  }
}

extension Int64: PostgresDecodable {
  package static let expected = "an integer"

  package init?(kind: PostgresKind, bytes: UnsafeRawBufferPointer) {
    guard kind == .integer else { return nil }
    switch bytes.count {
    case 8: self = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: self = Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 2: self = Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    default: return nil  // open: Int
    }
  }
}

extension Int: PostgresDecodable {
  package static let expected = Int64.expected

  package init?(kind: PostgresKind, bytes: UnsafeRawBufferPointer) {
    guard let value = Int64(kind: kind, bytes: bytes) else { return nil }
    self.init(exactly: value)
  }
}

extension Bool: PostgresDecodable {
  package static let expected = "a truth value"

  package init?(kind: PostgresKind, bytes: UnsafeRawBufferPointer) {
    guard kind == .bool, let byte = bytes.first else { return nil }
    self = byte != 0
  }
}

extension Double: PostgresDecodable {
  package static let expected = "a float"

  package init?(kind: PostgresKind, bytes: UnsafeRawBufferPointer) {
    guard kind == .double else { return nil }
    switch bytes.count {
    case 8: self.init(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    case 4:
      self.init(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
    default: return nil  // open: Int
    }
  }
}

extension String: PostgresDecodable {
  package static let expected = "a text"

  package init?(kind: PostgresKind, bytes: UnsafeRawBufferPointer) {
    guard kind == .text else { return nil }
    self.init(decoding: bytes, as: UTF8.self)
  }
}

extension [UInt8]: PostgresDecodable {
  package static let expected = "bytes"

  package init?(kind: PostgresKind, bytes: UnsafeRawBufferPointer) {
    guard kind == .bytes else { return nil }
    self.init(bytes)
  }
}
#endif
