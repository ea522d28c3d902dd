#if BELLHOP_POSTGRES
internal import CPostgres

/// A parameter of a statement. `nil` is NULL.
///
/// Parameters travel in PostgreSQL's binary form with the type of their case. A column of another
/// type needs a cast, such as `$1::jsonb` for a text.
package enum PostgresValue: Hashable, Sendable {
  /// An `int8`.
  case integer(Int64?)
  case bool(Bool?)
  /// A `float8`.
  case double(Double?)
  case text(String?)
  /// A `bytea`.
  case bytes([UInt8]?)
  /// An `int8[]`, for `= ANY ($1)` and `unnest($1)`.
  case integers([Int64?])
  /// A `text[]`.
  case texts([String?])
  /// A `bytea[]`.
  case byteStrings([[UInt8]?])

  var type: PostgresType {
    switch self {
    case .integer: .int8
    case .bool: .bool
    case .double: .float8
    case .text: .text
    case .bytes: .bytea
    case .integers: .int8Array
    case .texts: .textArray
    case .byteStrings: .byteaArray
    }
  }
}

/// A type of PostgreSQL, by the number that every server gives it.
struct PostgresType: RawRepresentable, Hashable, Sendable {
  var rawValue: UInt32

  static let bool = PostgresType(rawValue: 16)
  static let bytea = PostgresType(rawValue: 17)
  static let name = PostgresType(rawValue: 19)
  static let int8 = PostgresType(rawValue: 20)
  static let int2 = PostgresType(rawValue: 21)
  static let int4 = PostgresType(rawValue: 23)
  static let text = PostgresType(rawValue: 25)
  static let json = PostgresType(rawValue: 114)
  static let float4 = PostgresType(rawValue: 700)
  static let float8 = PostgresType(rawValue: 701)
  static let byteaArray = PostgresType(rawValue: 1001)
  static let textArray = PostgresType(rawValue: 1009)
  static let int8Array = PostgresType(rawValue: 1016)
  static let varchar = PostgresType(rawValue: 1043)
}

/// The parameters of one statement in the form that libpq takes.
///
/// A connection keeps one buffer for all its statements, so that values need no memory of their own.
struct ParameterBuffer {
  private(set) var types: [PostgresType] = []
  /// The values one after the other. The first byte makes sure that the buffer has an address.
  private var bytes: [UInt8] = [0]
  /// The place of each value in `bytes`; nil for NULL.
  private var starts: [Int?] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []

  /// The size of all values.
  var byteCount: Int { bytes.count }

  /// Replaces the contents.
  mutating func fill(_ values: [PostgresValue]) {
    types.removeAll(keepingCapacity: true)
    bytes.removeSubrange(1...)
    starts.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    for value in values {
      let start = bytes.count
      let isNull = !write(value)
      types.append(value.type)
      starts.append(isNull ? nil : start)
      lengths.append(Int32(bytes.count - start))
    }
    while formats.count < values.count { formats.append(1) }
  }

  /// Calls `body` with the values, their lengths and formats.
  func withPointers<Result>(
    _ body: (
      _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int32>?,
      _ formats: UnsafePointer<Int32>?
    ) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: starts.count) { list in
      bytes.withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          for (index, start) in starts.enumerated() {
            list.initializeElement(
              at: index, to: start.flatMap { bytes.baseAddress?.advanced(by: $0) })
          }
          return lengths.withUnsafeBufferPointer { lengths in
            formats.withUnsafeBufferPointer { formats in
              body(list.baseAddress, lengths.baseAddress, formats.baseAddress)
            }
          }
        }
      }
    }
  }

  // MARK: - Writing

  /// Writes a value; false for NULL.
  private mutating func write(_ value: PostgresValue) -> Bool {
    switch value {
    case .integer(let value?): write(UInt64(bitPattern: value))
    case .bool(let value?): bytes.append(value ? 1 : 0)
    case .double(let value?): write(value.bitPattern)
    case .text(let value?): bytes.append(contentsOf: value.utf8)
    case .bytes(let value?): bytes.append(contentsOf: value)
    case .integers(let values):
      write(values, of: .int8) { buffer, value in buffer.write(UInt64(bitPattern: value)) }
    case .texts(let values):
      write(values, of: .text) { buffer, value in buffer.bytes.append(contentsOf: value.utf8) }
    case .byteStrings(let values):
      write(values, of: .bytea) { buffer, value in buffer.bytes.append(contentsOf: value) }
    case .integer(nil), .bool(nil), .double(nil), .text(nil), .bytes(nil): return false
    }
    return true
  }

  private mutating func write(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes an array of one dimension, as `array_recv` reads it.
  private mutating func write<Element>(
    _ values: [Element?], of type: PostgresType,
    element: (inout ParameterBuffer, Element) -> Void
  ) {
    write(Int32(values.isEmpty ? 0 : 1))
    write(Int32(values.contains { $0 == nil } ? 1 : 0))
    write(type.rawValue)
    guard !values.isEmpty else { return }
    write(Int32(values.count))
    write(Int32(1))
    for value in values {
      let lengthPlace = bytes.count
      write(Int32(-1))
      guard let value else { continue }
      let start = bytes.count
      element(&self, value)
      withUnsafeBytes(of: Int32(bytes.count - start).bigEndian) { length in
        for (offset, byte) in length.enumerated() { bytes[lengthPlace + offset] = byte }
      }
    }
  }
}
#endif
