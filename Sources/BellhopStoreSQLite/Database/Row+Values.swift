internal import BellhopModel
internal import BellhopStore
internal import FoundationEssentials
internal import GRDB

extension [UInt8] {
  /// The bytes in the type that SQLite accepts.
  var blob: Data { Data(self) }
}

extension UniqueID {
  /// The id as 16 bytes that sort in the same order.
  var blob: Data { Data(bytes) }
}

extension Row {
  func time(_ index: Int) -> Timestamp { Timestamp(milliseconds: self[index]) }

  func optionalTime(_ index: Int) -> Timestamp? {
    (self[index] as Int64?).map(Timestamp.init(milliseconds:))
  }

  func bytes(_ index: Int) throws -> [UInt8] {
    guard let data = self[index] as Data? else { throw damaged() }
    return Array(data)
  }

  func id<Tag>(_ index: Int) throws -> UniqueID<Tag> {
    guard let id: UniqueID<Tag> = try optionalID(index) else { throw damaged() }
    return id
  }

  func optionalID<Tag>(_ index: Int) throws -> UniqueID<Tag>? {
    guard let data = self[index] as Data? else { return nil }
    guard let id = UniqueID<Tag>(bytes: data) else { throw damaged() }
    return id
  }

  /// Returns the case whose raw value is stored.
  func value<Value: RawRepresentable<String>>(_ index: Int) throws -> Value {
    guard let value = (self[index] as String?).flatMap(Value.init(rawValue:)) else {
      throw damaged()
    }
    return value
  }

  func damaged() -> StoreError { .damagedRow }
}

/// A row of a query that selects the columns of `Column`, read by name.
struct NamedRow<Column: TableColumn> {
  let row: Row
  /// The index of the first column of `Column` in the row.
  private let start: Int

  init(_ row: Row, from start: Int = 0) {
    self.row = row
    self.start = start
  }

  private func index(_ column: Column) -> Int { start + column.rawValue }

  subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ column: Column
  ) -> Value { row[index(column)] }

  func isNull(_ column: Column) -> Bool { row.hasNull(atIndex: index(column)) }

  func time(_ column: Column) -> Timestamp { row.time(index(column)) }

  func optionalTime(_ column: Column) -> Timestamp? { row.optionalTime(index(column)) }

  func bytes(_ column: Column) throws -> [UInt8] { try row.bytes(index(column)) }

  func id<Tag>(_ column: Column) throws -> UniqueID<Tag> { try row.id(index(column)) }

  func optionalID<Tag>(_ column: Column) throws -> UniqueID<Tag>? {
    try row.optionalID(index(column))
  }

  func value<Value: RawRepresentable<String>>(_ column: Column) throws -> Value {
    try row.value(index(column))
  }

  func damaged() -> StoreError { row.damaged() }

  /// Returns the environment in a column that is NULL for production.
  func environment(_ column: Column) throws -> RegistrationEnvironment {
    guard row[index(column)] as String? != nil else { return .production }
    return try value(column)
  }
}

extension RegistrationEnvironment {
  /// The condition for rows of the table `item` that reach a reader; it follows another condition.
  var received: SQLCondition {
    switch self {
    case .development: SQLCondition(text: "")
    case .production: SQLCondition(text: " AND item.environment IS NULL")
    }
  }
}

/// Values stored as JSON text, so that a later field needs no migration.
enum JSONColumn {
  static func encode(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  /// Returns the value as JSON with sorted keys: equal values give equal texts.
  static func sorted(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
