internal import BellhopModel

/// The codec of the part of an item that changes without a publication.
enum StateCoding {
  static func encode(
    _ state: ItemState, into container: inout ItemWriter
  ) throws {
    try container.encode(state.sequence, forKey: .sequence)
    try container.encode(state.contentSequence, forKey: .contentSequence)
    try container.encode(state.changed, forKey: .lastModifiedDateTime)
    for member in RegisterMember.all {
      let (register, value) = (member.register, member.register.value(state.registers))
      if register.isFlag {
        try container.encode(value.code == 1, forKey: member.key)
      } else {
        try container.encode(register.word(value), forKey: member.key)
      }
      if let key = member.untilKey { try container.encodeIfPresent(value.until, forKey: key) }
      try container.encodeIfPresent(
        ProvenanceBody(of: register, in: state.registers), forKey: member.changeKey)
    }
  }

  static func decode(from container: KeyedDecodingContainer<ItemKey>) throws -> ItemState {
    var state = ItemState(
      sequence: try container.decode(SequenceNumber.self, forKey: .sequence),
      contentSequence: try container.decode(SequenceNumber.self, forKey: .contentSequence),
      changed: try container.decode(Timestamp.self, forKey: .lastModifiedDateTime))
    for member in RegisterMember.all {
      let register = member.register
      let word =
        register.isFlag
        ? String(try container.decode(Bool.self, forKey: member.key))
        : try container.decode(String.self, forKey: member.key)
      let until = try member.untilKey.flatMap {
        try container.decodeIfPresent(Timestamp.self, forKey: $0)
      }
      guard let value = register.value(word, until: until) else {
        throw DecodingError.dataCorruptedError(
          forKey: member.key, in: container, debugDescription: "expected \(register.expectation)")
      }
      let provenance = try container.decodeIfPresent(ProvenanceBody.self, forKey: member.changeKey)
      guard load(value, provenance, of: register, into: &state.registers) else {
        throw DecodingError.dataCorruptedError(
          forKey: member.untilKey ?? member.key, in: container,
          debugDescription: "expected a time with \(register.name) \(word)")
      }
    }
    return state
  }

  /// Gives a register what was read; false where a value that ends lacks its time.
  static func load(
    _ value: CodedValue, _ provenance: ProvenanceBody?, of register: ItemRegister,
    into registers: inout ItemRegisters
  ) -> Bool {
    register.load(
      value, provenance?.previous(of: register), provenance?.change, &registers)
  }
}

/// The members of an item that hold a register.
struct RegisterMember {
  let register: ItemRegister
  let key: ItemKey
  /// The member with the time at which the value ends; nil where no value does.
  let untilKey: ItemKey?
  let changeKey: ItemKey

  static let all: [RegisterMember] = ItemRegister.all.compactMap { register in
    guard let key = ItemKey(rawValue: register.name),
      let changeKey = ItemKey(rawValue: register.changeName)
    else { return nil }
    return RegisterMember(
      register: register, key: key, untilKey: register.untilName.flatMap { ItemKey(rawValue: $0) },
      changeKey: changeKey)
  }
}

/// Who set a register, when, by which operation, and what it was before.
struct ProvenanceBody: Codable {
  var dateTime: Timestamp?
  var deviceId: String?
  var deviceName: String?
  /// Instead of the device, when a publisher's replacement set the register.
  var publisherId: String?
  var publisherName: String?
  var operationId: OperationID?
  var previousValue: String?
  var previousSnoozedUntilDateTime: Timestamp?
  /// The item's action that was chosen by it.
  var actionId: String?
  var actionTitle: String?
  var actionText: String?

  init() {}

  /// Nil for a register that was never set.
  init?(of register: ItemRegister, in registers: ItemRegisters) {
    let (previous, change) = (register.previous(registers), register.lastChange(registers))
    if change == nil, previous == nil { return nil }
    if let previous {
      previousValue = register.word(previous)
      previousSnoozedUntilDateTime = previous.until
    }
    guard let change else { return }
    dateTime = change.at
    operationId = change.operation
    (actionId, actionTitle) = (change.choice?.id, change.choice?.title)
    actionText = change.choice?.text
    switch change.by.kind {
    case .device: (deviceId, deviceName) = (change.by.id, change.by.name)
    case .publisher: (publisherId, publisherName) = (change.by.id, change.by.name)
    }
  }

  /// The value before the last change; nil where none, or an unknown one, is named.
  func previous(of register: ItemRegister) -> CodedValue? {
    previousValue.flatMap { register.value($0, until: previousSnoozedUntilDateTime) }
  }

  var change: RegisterChange? {
    guard let dateTime else { return nil }
    let author =
      if let deviceId {
        Author(kind: .device, id: deviceId, name: deviceName ?? deviceId)
      } else {
        Author(
          kind: .publisher, id: publisherId ?? "", name: publisherName ?? publisherId ?? "")
      }
    let choice = actionId.map { ActionChoice(id: $0, title: actionTitle, text: actionText) }
    return RegisterChange(at: dateTime, by: author, operation: operationId, choice: choice)
  }
}
