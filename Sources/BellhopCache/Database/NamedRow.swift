import BellhopModel

/// A row of a statement that selects the columns of `Column`, read by column name.
struct NamedRow<Column: TableColumn> {
  private let row: SQLStatement

  init(_ row: SQLStatement) { self.row = row }

  func isNull(_ column: Column) -> Bool { row.isNull(column.rawValue) }

  func integer(_ column: Column) -> Int64 { row.integer(column.rawValue) }

  func integerOrNil(_ column: Column) -> Int64? { row.integerOrNil(column.rawValue) }

  func count(_ column: Column) -> Int { row.count(column.rawValue) }

  func bool(_ column: Column) -> Bool { row.bool(column.rawValue) }

  func time(_ column: Column) -> Timestamp { row.time(column.rawValue) }

  func timeOrNil(_ column: Column) -> Timestamp? { row.timeOrNil(column.rawValue) }

  func sequence(_ column: Column) -> SequenceNumber { row.sequence(column.rawValue) }

  func text(_ column: Column) -> String { row.text(column.rawValue) }

  func textOrNil(_ column: Column) -> String? { row.textOrNil(column.rawValue) }

  /// Returns the bytes, valid until the next step; nil for NULL.
  func bytes(_ column: Column) -> UnsafeRawBufferPointer? { row.bytes(column.rawValue) }

  func id<Tag>(_ column: Column) throws -> UniqueID<Tag> { try row.id(column.rawValue) }

  func idOrNil<Tag>(_ column: Column) throws -> UniqueID<Tag>? {
    isNull(column) ? nil : try id(column)
  }
}
