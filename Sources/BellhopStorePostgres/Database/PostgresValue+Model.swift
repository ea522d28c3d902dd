#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore
internal import FoundationEssentials

/// Parameters from the values of the store.
extension PostgresValue {
  /// The time in milliseconds since 1970.
  static func time(_ time: Timestamp?) -> PostgresValue { .integer(time?.milliseconds) }

  /// The id as 16 bytes that sort in the same order.
  static func id<Tag>(_ id: UniqueID<Tag>?) -> PostgresValue { .bytes(id?.bytes) }

  /// The ids for `= ANY ($1)` and `unnest($1)`.
  static func ids<Tag>(_ ids: some Sequence<UniqueID<Tag>>) -> PostgresValue {
    .byteStrings(ids.map { Optional($0.bytes) })
  }

  static func user(_ user: UserID) -> PostgresValue { .integer(user.rawValue) }

  /// The users for `= ANY ($1)` and `unnest($1)`.
  static func users(_ users: some Sequence<UserID>) -> PostgresValue {
    .integers(users.map { Optional($0.rawValue) })
  }

  static func sequence(_ sequence: SequenceNumber?) -> PostgresValue {
    .integer(sequence?.rawValue)
  }

  static func flag(_ flag: Bool?) -> PostgresValue { .bool(flag) }

  /// A count, such as the limit of a statement.
  static func count(_ count: Int) -> PostgresValue { .integer(Int64(count)) }

  /// The value as JSON text, so that a later field needs no migration; NULL for nil.
  static func json<Value: Encodable>(_ value: Value?) throws -> PostgresValue {
    guard let value else { return .text(nil) }
    return .text(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
  }

  /// The value as JSON text with sorted keys: equal values give equal texts; NULL for nil.
  static func sortedJSON<Value: Encodable>(_ value: Value?) throws -> PostgresValue {
    guard let value else { return .text(nil) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return .text(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Whether the value is a text that contains U+0000, which PostgreSQL cannot store.
  var containsNull: Bool {
    switch self {
    case .text(let text): text?.utf8.contains(0) ?? false
    case .texts(let texts): texts.contains { $0?.utf8.contains(0) ?? false }
    case .integer, .bool, .double, .bytes, .integers, .byteStrings: false
    }
  }
}
#endif
