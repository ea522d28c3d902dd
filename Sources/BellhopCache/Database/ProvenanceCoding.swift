import BellhopModel

/// The encoding of the registers' provenance as one compact value.
///
/// The provenance is the previous value, the time, the author and the operation. Most items were
/// never changed, or only once. Columns for each part would make every row wider, and JSON would
/// take more time than the rest of a row: only documents are JSON. The first byte is the version of the
/// format.
enum ProvenanceCoding {
  private static let version: UInt8 = 1

  /// The number of registers before the action choice, as in the first versions.
  private static let beforeChoice = 3

  /// The encoded provenance of registers of which none was changed.
  static let untouched = [version]

  /// Encodes the provenance; nil if no register was changed.
  static func encode(_ registers: ItemRegisters) throws -> [UInt8]? {
    if registers.isUntouched { return nil }
    var writer = ByteWriter()
    writer.bytes.append(version)
    for register in ItemRegister.all.prefix(beforeChoice) {
      try writer.register(register, registers)
    }
    // Earlier versions skip what they do not know from here on.
    writer.choice(registers.userActionState.change?.choice)
    let later = ItemRegister.all.dropFirst(beforeChoice)
    let hasLater = later.contains { !$0.isUntouched(registers) }
    writer.occurrences(registers, isRequired: hasLater)
    for register in later where hasLater {
      try writer.register(register, registers)
      if register.recordsOccurrence {
        writer.text(register.lastChange(registers)?.occurrence?.description ?? "")
      }
    }
    return writer.bytes
  }

  /// Decodes previous values and changes. Unreadable bytes leave the rest unchanged.
  static func decode(_ bytes: UnsafeRawBufferPointer, into registers: inout ItemRegisters) {
    var reader = ByteReader(bytes: bytes)
    guard reader.byte() == version else { return }
    for register in ItemRegister.all.prefix(beforeChoice) { reader.register(register, &registers) }
    // Always read, because more follows it.
    let choice = reader.choice()
    registers.userActionState.change?.choice = choice
    let (read, handled) = (reader.occurrence(), reader.occurrence())
    registers.readState.change?.occurrence = read
    registers.userActionState.change?.occurrence = handled
    for register in ItemRegister.all.dropFirst(beforeChoice) {
      reader.register(register, &registers, hasOccurrence: register.recordsOccurrence)
    }
  }
}

extension Author.Kind {
  /// The bit for the kind among the flags of a register.
  fileprivate var flag: UInt8 {
    switch self {
    case .device: 0
    case .publisher: 8
    case .rule: 16
    }
  }

  /// Returns the kind whose bit is set in the flags of a register.
  fileprivate init(flags: UInt8) {
    self = [Self.publisher, .rule].first { flags & $0.flag != 0 } ?? .device
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

  mutating func register(_ register: ItemRegister, _ registers: ItemRegisters) throws {
    let (previous, change) = (register.previous(registers), register.lastChange(registers))
    let kind = change?.by.kind ?? .device
    bytes.append(
      (previous == nil ? 0 : 1) | (change == nil ? 0 : 2)
        | (change?.operation == nil ? 0 : 4) | kind.flag)
    if let previous {
      bytes.append(previous.code)
      if register.untilName != nil { integer(previous.until?.milliseconds ?? 0) }
      if let document = previous.document { text(try JSON.encode(document)) }
    }
    guard let change else { return }
    integer(change.at.milliseconds)
    text(change.by.id)
    text(change.by.name)
    if let operation = change.operation { bytes.append(contentsOf: operation.bytes) }
  }

  /// Writes the occurrences for which registers were set; nothing if there are none.
  ///
  /// - Parameter isRequired: Whether to write them always, because more follows.
  mutating func occurrences(_ registers: ItemRegisters, isRequired: Bool) {
    let labels = [
      registers.readState.change?.occurrence, registers.userActionState.change?.occurrence,
    ]
    guard isRequired || labels.contains(where: { $0 != nil }) else { return }
    for label in labels { text(label?.description ?? "") }
  }

  mutating func choice(_ choice: ActionChoice?) {
    guard let choice else { return bytes.append(0) }
    bytes.append(1 | (choice.title == nil ? 0 : 2) | (choice.text == nil ? 0 : 4))
    text(choice.id)
    if let title = choice.title { text(title) }
    if let text = choice.text { self.text(text) }
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

  mutating func register(
    _ register: ItemRegister, _ registers: inout ItemRegisters, hasOccurrence: Bool = false
  ) {
    let flags = byte()
    var previous: CodedValue?
    if flags & 1 != 0 {
      let code = byte()
      let until = register.untilName == nil ? nil : Timestamp(milliseconds: integer())
      previous =
        register.form == .document
        ? CodedValue(documentText: text()) : CodedValue(code: code, until: until)
    }
    var change: RegisterChange?
    if flags & 2 != 0 {
      let at = Timestamp(milliseconds: integer())
      let id = text()
      let author = Author(kind: Author.Kind(flags: flags), id: id, name: text())
      change = RegisterChange(
        at: at, by: author, operation: flags & 4 == 0 ? nil : operation())
    }
    if hasOccurrence {
      let label = occurrence()
      change?.occurrence = label
    }
    register.loadProvenance(previous, change, &registers)
  }

  mutating func occurrence() -> Occurrence.Label? { Occurrence.Label(text()) }

  mutating func choice() -> ActionChoice? {
    let flags = byte()
    guard flags & 1 != 0 else { return nil }
    var choice = ActionChoice(id: text())
    if flags & 2 != 0 { choice.title = text() }
    if flags & 4 != 0 { choice.text = text() }
    return choice
  }
}
