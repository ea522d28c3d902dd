internal import BellhopModel

/// The provenance of a register: author, time, operation and the value before.
struct ProvenanceBody {
  var dateTime: Timestamp?
  var deviceId: String?
  var deviceName: String?
  /// The publisher, instead of the device, when a publisher's replacement set the register.
  var publisherId: String?
  var publisherName: String?
  /// The rule, instead of the device, when a rule set the register at a publication.
  var ruleId: String?
  var ruleName: String?
  var operationId: OperationID?
  var previousValue: String?
  var previousSnoozedUntilDateTime: Timestamp?
  /// The value before, instead of its word, in a register of documents.
  var previousDocument: AppliedEffect?
  /// The item's action that this change chose.
  var actionId: String?
  var actionTitle: String?
  var actionText: String?
  /// The occurrence of the item's trigger for which the register was set.
  var occurrence: Occurrence.Label?

  init() {}

  /// Returns nil for a register that was never set.
  init?(of register: ItemRegister, in registers: ItemRegisters) {
    let (previous, change) = (register.previous(registers), register.lastChange(registers))
    if change == nil, previous == nil { return nil }
    if let previous {
      switch register.form {
      case .words, .flag:
        previousValue = register.word(previous)
        previousSnoozedUntilDateTime = previous.until
      case .document: previousDocument = previous.document
      }
    }
    guard let change else { return }
    dateTime = change.at
    operationId = change.operation
    (actionId, actionTitle) = (change.choice?.id, change.choice?.title)
    actionText = change.choice?.text
    occurrence = change.occurrence
    switch change.by.kind {
    case .device: (deviceId, deviceName) = (change.by.id, change.by.name)
    case .publisher: (publisherId, publisherName) = (change.by.id, change.by.name)
    case .rule: (ruleId, ruleName) = (change.by.id, change.by.name)
    }
  }

  /// Returns the value before the last change; nil if it is missing or unknown.
  func previous(of register: ItemRegister) -> CodedValue? {
    switch register.form {
    case .words, .flag:
      previousValue.flatMap { register.value($0, until: previousSnoozedUntilDateTime) }
    case .document: previousDocument.map { CodedValue(document: $0) }
    }
  }

  var change: RegisterChange? {
    guard let dateTime else { return nil }
    let author =
      if let deviceId {
        Author(kind: .device, id: deviceId, name: deviceName ?? deviceId)
      } else if let ruleId {
        Author(kind: .rule, id: ruleId, name: ruleName ?? ruleId)
      } else {
        Author(
          kind: .publisher, id: publisherId ?? "", name: publisherName ?? publisherId ?? "")
      }
    let choice = actionId.map { ActionChoice(id: $0, title: actionTitle, text: actionText) }
    return RegisterChange(
      at: dateTime, by: author, operation: operationId, choice: choice, occurrence: occurrence)
  }
}
