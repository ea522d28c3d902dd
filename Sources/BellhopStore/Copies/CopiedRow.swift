internal import BellhopModel

/// A value in a copied row.
package enum CopiedValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  case flag(Bool)

  /// Whether a column of this kind may contain the value.
  func fits(_ kind: CopiedColumn.Kind) -> Bool {
    switch self {
    case .null: true
    case .integer: kind == .integer
    case .text: kind == .text
    case .bytes: kind == .bytes
    case .flag: kind == .flag
    }
  }

  fileprivate var byteCount: Int {
    switch self {
    case .null, .flag: 1
    case .integer: 9
    case .text(let text): 5 + text.utf8.count
    case .bytes(let bytes): 5 + bytes.count
    }
  }
}

/// A row of a copied table.
package struct CopiedRow: Hashable, Sendable {
  package let table: CopiedTable
  /// The values in the order of ``CopiedTable/columns``.
  package var values: [CopiedValue]

  package init(_ table: CopiedTable, _ values: [CopiedValue]) {
    self.table = table
    self.values = values
  }

  /// The values of the key.
  package var key: [CopiedValue] { Array(values.prefix(table.keyCount)) }

  /// The user whom the row belongs to; nil for a row of the store.
  var user: UserID? {
    guard table.belongsToUsers, case .integer(let user)? = values.first else { return nil }
    return UserID(rawValue: user)
  }

  /// The size of the encoded values.
  package var byteCount: Int { values.reduce(0) { $0 + $1.byteCount } }

  /// The value of a column.
  package func value(of column: String) -> CopiedValue? {
    table.columns.firstIndex { $0.name == column }.map { values[$0] }
  }

  /// The hash of the attachment that the row names; nil for a row of another table.
  var fileHash: FileHash? {
    guard table == .file, case .text(let hash)? = value(of: "hash") else { return nil }
    return FileHash(hash)
  }

  /// Whether the row moves with the store.
  ///
  /// Metadata moves unless it describes one storage only.
  var isCopied: Bool {
    guard table == .metadata else { return true }
    guard case .text(let name)? = values.first, let key = MetadataKey(rawValue: name) else {
      return false
    }
    return switch key {
    case .epoch, .tokenKey, .retention, .clock: true
    case .probe, .copyProgress, .movedTo: false
    }
  }
}

// MARK: - The encoding

/// The encoding of values. Equal rows have equal encodings.
///
/// A value is a tag, followed by an integer in eight bytes, or by a length in four bytes and that many
/// bytes. Integers are big-endian.
extension CopiedValue {
  fileprivate enum Tag: UInt8 {
    case null, integer, text, bytes, no, yes
  }

  fileprivate func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(Tag.null.rawValue)
    case .integer(let value):
      bytes.append(Tag.integer.rawValue)
      bytes.appendBigEndian(UInt64(bitPattern: value), byteCount: 8)
    case .text(let text):
      bytes.append(Tag.text.rawValue)
      bytes.appendBigEndian(UInt64(text.utf8.count), byteCount: 4)
      bytes.append(contentsOf: text.utf8)
    case .bytes(let value):
      bytes.append(Tag.bytes.rawValue)
      bytes.appendBigEndian(UInt64(value.count), byteCount: 4)
      bytes.append(contentsOf: value)
    case .flag(let value): bytes.append((value ? Tag.yes : Tag.no).rawValue)
    }
  }
}

extension [UInt8] {
  mutating func appendBigEndian(_ value: UInt64, byteCount: Int) {
    for place in (0..<byteCount).reversed() {
      append(UInt8(truncatingIfNeeded: value >> UInt64(place * 8)))
    }
  }
}

extension [CopiedValue] {
  /// The encoding of all values.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for value in self { value.write(to: &bytes) }
    return bytes
  }

  /// Decodes values; nil for anything that ``encoded`` cannot have produced.
  init?(encoded bytes: ArraySlice<UInt8>) {
    self = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard let tag = CopiedValue.Tag(rawValue: byte) else { return nil }
      switch tag {
      case .null: append(.null)
      case .no: append(.flag(false))
      case .yes: append(.flag(true))
      case .integer:
        guard let value = rest.popBigEndian(byteCount: 8) else { return nil }
        append(.integer(Int64(bitPattern: value)))
      case .text:
        guard let value = rest.popCounted(), let text = String(validating: value, as: UTF8.self)
        else { return nil }
        append(.text(text))
      case .bytes:
        guard let value = rest.popCounted() else { return nil }
        append(.bytes([UInt8](value)))
      }
    }
  }
}

extension ArraySlice<UInt8> {
  mutating func popBigEndian(byteCount: Int) -> UInt64? {
    guard count >= byteCount else { return nil }
    let value = prefix(byteCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    removeFirst(byteCount)
    return value
  }

  fileprivate mutating func popCounted() -> ArraySlice<UInt8>? {
    guard let length = popBigEndian(byteCount: 4), count >= Int(length) else { return nil }
    let value = prefix(Int(length))
    removeFirst(Int(length))
    return value
  }
}
