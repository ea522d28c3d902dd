internal import BellhopModel

/// The codec of the part of an item that changes without a publication.
enum StateCoding {
  static func encode(
    _ state: ItemState, into container: inout KeyedEncodingContainer<ItemKey>
  ) throws {
    try container.encode(state.sequence, forKey: .sequence)
    try container.encode(state.contentSequence, forKey: .contentSequence)
    try container.encode(state.changed, forKey: .lastModifiedDateTime)

    try container.encode(state.readState.value, forKey: .readState)
    try container.encodeIfPresent(
      ProvenanceBody(state.readState) { ($0.rawValue, nil) }, forKey: .readStateChange)

    let action = state.userActionState
    try container.encode(action.value.kind, forKey: .userActionState)
    try container.encodeIfPresent(action.value.snoozedUntil, forKey: .snoozedUntilDateTime)
    try container.encodeIfPresent(
      ProvenanceBody(action) { ($0.kind.rawValue, $0.snoozedUntil) },
      forKey: .userActionStateChange)

    try container.encode(state.kept.value, forKey: .kept)
    try container.encodeIfPresent(
      ProvenanceBody(state.kept) { ($0 ? "true" : "false", nil) }, forKey: .keptChange)
  }

  static func decode(from container: KeyedDecodingContainer<ItemKey>) throws -> ItemState {
    ItemState(
      sequence: try container.decode(SequenceNumber.self, forKey: .sequence),
      contentSequence: try container.decode(SequenceNumber.self, forKey: .contentSequence),
      changed: try container.decode(Timestamp.self, forKey: .lastModifiedDateTime),
      readState: try register(
        container.decode(ReadState.self, forKey: .readState), .readStateChange, in: container
      ) { text, _ in ReadState(rawValue: text) },
      userActionState: try register(
        userActionState(in: container), .userActionStateChange, in: container
      ) { text, until in
        UserActionState.Kind(rawValue: text).flatMap {
          UserActionState(kind: $0, snoozedUntil: until)
        }
      },
      kept: try register(
        container.decode(Bool.self, forKey: .kept), .keptChange, in: container
      ) { text, _ in text == "true" })
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
    _ value: Value, _ key: ItemKey, in container: KeyedDecodingContainer<ItemKey>,
    read: (String, Timestamp?) -> Value?
  ) throws -> Register<Value> {
    guard let body = try container.decodeIfPresent(ProvenanceBody.self, forKey: key) else {
      return Register(value)
    }
    return Register(
      value, previous: body.previousValue.flatMap { read($0, body.previousSnoozedUntilDateTime) },
      change: body.change)
  }
}

/// Who set a register, when, by which operation, and what it was before.
private struct ProvenanceBody: Codable {
  var dateTime: Timestamp?
  var deviceId: String?
  var deviceName: String?
  /// Instead of the device, when a publisher's replacement set the register.
  var publisherId: String?
  var publisherName: String?
  var operationId: OperationID?
  var previousValue: String?
  var previousSnoozedUntilDateTime: Timestamp?

  /// Nil for a register that nobody has set.
  init?<Value>(_ register: Register<Value>, write: (Value) -> (String, Timestamp?)) {
    if register.change == nil, register.previous == nil { return nil }
    if let previous = register.previous {
      (previousValue, previousSnoozedUntilDateTime) = write(previous)
    }
    guard let change = register.change else { return }
    dateTime = change.at
    operationId = change.operation
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
    return RegisterChange(at: dateTime, by: author, operation: operationId)
  }
}
