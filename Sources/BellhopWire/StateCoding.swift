internal import BellhopModel

/// The codec of the part of an item that changes without a publication.
enum StateCoding {
  static func encode(
    _ state: ItemState, into container: inout ItemWriter
  ) throws {
    try container.encode(state.sequence, forKey: .sequence)
    try container.encode(state.contentSequence, forKey: .contentSequence)
    try container.encode(state.changed, forKey: .lastModifiedDateTime)

    try container.encode(state.readState.value, forKey: .readState)
    try container.encodeIfPresent(
      provenance(state.readState), forKey: .readStateChange)

    let action = state.userActionState
    try container.encode(action.value.kind, forKey: .userActionState)
    try container.encodeIfPresent(action.value.snoozedUntil, forKey: .snoozedUntilDateTime)
    try container.encodeIfPresent(
      provenance(action), forKey: .userActionStateChange)

    try container.encode(state.kept.value, forKey: .kept)
    try container.encodeIfPresent(
      provenance(state.kept), forKey: .keptChange)
  }

  static func decode(from container: KeyedDecodingContainer<ItemKey>) throws -> ItemState {
    ItemState(
      sequence: try container.decode(SequenceNumber.self, forKey: .sequence),
      contentSequence: try container.decode(SequenceNumber.self, forKey: .contentSequence),
      changed: try container.decode(Timestamp.self, forKey: .lastModifiedDateTime),
      readState: readState(
        try container.decode(ReadState.self, forKey: .readState),
        try container.decodeIfPresent(ProvenanceBody.self, forKey: .readStateChange)),
      userActionState: userActionState(
        try userActionState(in: container),
        try container.decodeIfPresent(ProvenanceBody.self, forKey: .userActionStateChange)),
      kept: kept(
        try container.decode(Bool.self, forKey: .kept),
        try container.decodeIfPresent(ProvenanceBody.self, forKey: .keptChange)))
  }

  // MARK: Registers

  static func readState(
    _ value: ReadState, _ provenance: ProvenanceBody?
  ) -> Register<ReadState> {
    register(value, provenance) { text, _ in ReadState(rawValue: text) }
  }

  static func userActionState(
    _ value: UserActionState, _ provenance: ProvenanceBody?
  ) -> Register<UserActionState> {
    register(value, provenance) { text, until in
      UserActionState.Kind(rawValue: text).flatMap {
        UserActionState(kind: $0, snoozedUntil: until)
      }
    }
  }

  static func kept(_ value: Bool, _ provenance: ProvenanceBody?) -> Register<Bool> {
    register(value, provenance) { text, _ in text == "true" }
  }

  static func provenance(_ register: Register<ReadState>) -> ProvenanceBody? {
    ProvenanceBody(register) { ($0.rawValue, nil) }
  }

  static func provenance(_ register: Register<UserActionState>) -> ProvenanceBody? {
    ProvenanceBody(register) { ($0.kind.rawValue, $0.snoozedUntil) }
  }

  static func provenance(_ register: Register<Bool>) -> ProvenanceBody? {
    ProvenanceBody(register) { ($0 ? "true" : "false", nil) }
  }

  private static func userActionState(
    in container: KeyedDecodingContainer<ItemKey>
  ) throws -> UserActionState {
    let kind = try container.decode(UserActionState.Kind.self, forKey: .userActionState)
    let until = try container.decodeIfPresent(Timestamp.self, forKey: .snoozedUntilDateTime)
    guard let state = UserActionState(kind: kind, snoozedUntil: until) else {
      throw DecodingError.dataCorruptedError(
        forKey: .snoozedUntilDateTime, in: container,
        debugDescription: "expected a time with userActionState snoozed")
    }
    return state
  }

  private static func register<Value: Hashable & Sendable>(
    _ value: Value, _ provenance: ProvenanceBody?, read: (String, Timestamp?) -> Value?
  ) -> Register<Value> {
    guard let body = provenance else { return Register(value) }
    return Register(
      value, previous: body.previousValue.flatMap { read($0, body.previousSnoozedUntilDateTime) },
      change: body.change)
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

  /// Nil for a register that nobody has set.
  init?<Value>(_ register: Register<Value>, write: (Value) -> (String, Timestamp?)) {
    if register.change == nil, register.previous == nil { return nil }
    if let previous = register.previous {
      (previousValue, previousSnoozedUntilDateTime) = write(previous)
    }
    guard let change = register.change else { return }
    dateTime = change.at
    operationId = change.operation
    (actionId, actionTitle) = (change.choice?.id, change.choice?.title)
    actionText = change.choice?.text
    switch change.by.kind {
    case .device: (deviceId, deviceName) = (change.by.id, change.by.name)
    case .publisher: (publisherId, publisherName) = (change.by.id, change.by.name)
    }
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
