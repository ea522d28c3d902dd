import BellhopModel

/// The registers' provenance (previous value, when, who, which operation) as one compact value.
///
/// Most items were never changed, or once; columns for each part would make every row wider, and
/// JSON would cost more time than the rest of a row. The first byte is the format's version.
enum ProvenanceCoding {
  private static let version: UInt8 = 1

  /// Nil when nobody has changed a register.
  static func encode(_ state: ItemState) -> [UInt8]? {
    if state.readState.isUntouched, state.userActionState.isUntouched, state.kept.isUntouched {
      return nil
    }
    var writer = ByteWriter()
    writer.bytes.append(version)
    writer.register(state.readState) { $0.bytes.append($1 == .read ? 1 : 0) }
    writer.register(state.userActionState) { writer, value in
      writer.bytes.append(value.code)
      writer.integer(value.snoozedUntil?.milliseconds ?? 0)
    }
    writer.register(state.kept) { $0.bytes.append($1 ? 1 : 0) }
    // Behind everything that earlier versions read, which pass over it.
    if let choice = state.userActionState.change?.choice {
      writer.bytes.append(
        choiceFollows | (choice.title == nil ? 0 : 2) | (choice.text == nil ? 0 : 4))
      writer.text(choice.id)
      if let title = choice.title { writer.text(title) }
      if let text = choice.text { writer.text(text) }
    }
    return writer.bytes
  }

  /// Fills in previous values and changes. Bytes that can't be read leave the rest untouched.
  static func decode(_ bytes: UnsafeRawBufferPointer, into state: inout ItemState) {
    var reader = ByteReader(bytes: bytes)
    guard reader.byte() == version else { return }
    reader.register(&state.readState) { $0.byte() == 1 ? .read : .unread }
    reader.register(&state.userActionState) { reader in
      let code = reader.byte()
      let until = Timestamp(milliseconds: reader.integer())
      return UserActionState(code: code, snoozedUntil: until)
    }
    reader.register(&state.kept) { $0.byte() == 1 }
    let flags = reader.byte()
    guard flags & choiceFollows != 0 else { return }
    var choice = ActionChoice(id: reader.text())
    if flags & 2 != 0 { choice.title = reader.text() }
    if flags & 4 != 0 { choice.text = reader.text() }
    state.userActionState.change?.choice = choice
  }

  private static let choiceFollows: UInt8 = 1
}

extension Register {
  fileprivate var isUntouched: Bool { previous == nil && change == nil }
}

extension UserActionState {
  /// The number that stands for it in the database.
  var code: UInt8 {
    switch self {
    case .noInteraction: 0
    case .activated: 1
    case .dismissed: 2
    case .snoozed: 3
    }
  }

  /// The state with this number; `snoozedUntil` is looked at for a snooze only.
  init(code: UInt8, snoozedUntil: Timestamp) {
    switch code {
    case 1: self = .activated
    case 2: self = .dismissed
    case 3: self = .snoozed(until: snoozedUntil)
    default: self = .noInteraction  // open: UInt8
    }
  }
}

private struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func integer(_ value: Int64) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func text(_ text: String) {
    integer(Int64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func register<Value>(
    _ register: Register<Value>, _ write: (inout ByteWriter, Value) -> Void
  ) {
    let change = register.change
    bytes.append(
      (register.previous == nil ? 0 : 1) | (change == nil ? 0 : 2)
        | (change?.operation == nil ? 0 : 4) | (change?.by.kind == .publisher ? 8 : 0))
    if let previous = register.previous { write(&self, previous) }
    guard let change else { return }
    integer(change.at.milliseconds)
    text(change.by.id)
    text(change.by.name)
    if let operation = change.operation { bytes.append(contentsOf: operation.bytes) }
  }
}

private struct ByteReader {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  mutating func byte() -> UInt8 {
    guard position < bytes.count else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func integer() -> Int64 {
    var value: UInt64 = 0
    for _ in 0..<8 { value = value << 8 | UInt64(byte()) }
    return Int64(bitPattern: value)
  }

  mutating func text() -> String {
    let count = Int(clamping: integer())
    guard count >= 0, count <= bytes.count - position else { return "" }
    defer { position += count }
    return String(decoding: bytes[position..<position + count], as: UTF8.self)
  }

  mutating func operation() -> OperationID {
    OperationID(high: UInt64(bitPattern: integer()), low: UInt64(bitPattern: integer()))
  }

  mutating func register<Value>(
    _ register: inout Register<Value>, _ read: (inout ByteReader) -> Value
  ) {
    let flags = byte()
    if flags & 1 != 0 { register.previous = read(&self) }
    guard flags & 2 != 0 else { return }
    let at = Timestamp(milliseconds: integer())
    let id = text()
    let author = Author(kind: flags & 8 == 0 ? .device : .publisher, id: id, name: text())
    register.change = RegisterChange(
      at: at, by: author, operation: flags & 4 == 0 ? nil : operation())
  }
}
