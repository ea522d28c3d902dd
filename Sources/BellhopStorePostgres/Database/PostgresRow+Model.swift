#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore
internal import FoundationEssentials

/// Values of the store from the columns of a row.
extension PostgresRow {
  func time(_ column: String) throws -> Timestamp {
    let milliseconds: Int64 = try value(column)
    return Timestamp(milliseconds: milliseconds)
  }

  func timeIfAny(_ column: String) throws -> Timestamp? {
    let milliseconds: Int64? = try optional(column)
    return milliseconds.map { Timestamp(milliseconds: $0) }
  }

  func id<Tag>(_ column: String) throws -> UniqueID<Tag> {
    guard let id: UniqueID<Tag> = try idIfAny(column) else { throw damaged() }
    return id
  }

  func idIfAny<Tag>(_ column: String) throws -> UniqueID<Tag>? {
    let bytes: [UInt8]? = try optional(column)
    guard let bytes else { return nil }
    guard let id = UniqueID<Tag>(bytes: bytes) else { throw damaged() }
    return id
  }

  func user(_ column: String) throws -> UserID {
    let number: Int64 = try value(column)
    return UserID(rawValue: number)
  }

  func sequence(_ column: String) throws -> SequenceNumber {
    let number: Int64 = try value(column)
    return SequenceNumber(rawValue: number)
  }

  func sequenceIfAny(_ column: String) throws -> SequenceNumber? {
    let number: Int64? = try optional(column)
    return number.map { SequenceNumber(rawValue: $0) }
  }

  func bytes(_ column: String) throws -> [UInt8] {
    let bytes: [UInt8] = try value(column)
    return bytes
  }

  func text(_ column: String) throws -> String {
    let text: String = try value(column)
    return text
  }

  func textIfAny(_ column: String) throws -> String? {
    let text: String? = try optional(column)
    return text
  }

  /// Returns the case, or the identifier, whose raw value is stored.
  func name<Value: RawRepresentable<String>>(_ column: String) throws -> Value {
    guard let value: Value = try nameIfAny(column) else { throw damaged() }
    return value
  }

  /// Returns the case, or the identifier, whose raw value is stored; nil for NULL.
  func nameIfAny<Value: RawRepresentable<String>>(_ column: String) throws -> Value? {
    let text: String? = try optional(column)
    guard let text else { return nil }
    guard let value = Value(rawValue: text) else { throw damaged() }
    return value
  }

  /// Returns the value that is stored as JSON text.
  func json<Value: Decodable>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text(column).utf8))
  }

  /// Returns the value that is stored as JSON text; nil for NULL.
  func jsonIfAny<Value: Decodable>(
    _ column: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    guard let text = try textIfAny(column) else { return nil }
    return try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// Returns the environment in a column that is NULL for production.
  func environment(_ column: String) throws -> RegistrationEnvironment {
    try nameIfAny(column) ?? .production
  }

  func damaged() -> StoreError { .damagedRow }
}
#endif
