import BellhopCache
import BellhopModel

/// The rows of a delta that are not items, and the operations on rules.
extension RandomHistory {
  mutating func settings(at sequence: Int64) -> AppSettings {
    AppSettings(
      app: ["ci", "nas", "mail"].randomElement(using: &numbers) ?? "ci",
      // Sometimes an old row, late.
      sequence: SequenceNumber(
        Bool.random(using: &numbers) ? sequence : max(1, sequence - 9)),
      displayName: [nil, "Name \(sequence)"].randomElement(using: &numbers) ?? nil,
      mute: [.off, .forever, .until(now.advanced(by: .seconds(900)))]
        .randomElement(using: &numbers) ?? .off)
  }

  private mutating func anyRule() -> RuleID { ruleID(Int64.random(in: 1...4, using: &numbers)) }

  /// The id of an operation that was made, or of one that other devices made.
  private mutating func anyRevision() -> OperationID {
    operationID(Int64.random(in: 0...max(1, operations), using: &numbers))
  }

  private mutating func anyOrder() -> RuleOrder {
    RuleOrder.evenly(3).randomElement(using: &numbers) ?? .first
  }

  /// Makes the row of a rule, or of its removal.
  mutating func ruleRow(at sequence: Int64) -> Change {
    // Sometimes an old row, late.
    let sequence = SequenceNumber(
      Bool.random(using: &numbers) ? sequence : max(1, sequence - 9))
    let id = anyRule()
    if Int.random(in: 0..<4, using: &numbers) == 0 { return .ruleRemoved(id, sequence: sequence) }
    return .rule(
      Rule(
        id: id, definition: makeDefinition("row \(sequence)"), order: anyOrder(),
        isEnabled: Bool.random(using: &numbers), revision: anyRevision(), sequence: sequence))
  }

  /// Makes an operation that creates, edits, moves, enables or removes a rule.
  mutating func ruleOperation() -> BellhopModel.Operation {
    let changes: [RuleChange] = [
      RuleChange(definition: makeDefinition("made \(operations)")),
      RuleChange(definition: makeDefinition("placed \(operations)"), order: anyOrder()),
      RuleChange(order: anyOrder()), RuleChange(isEnabled: Bool.random(using: &numbers)), .removal,
    ]
    return BellhopModel.Operation(
      id: operationID(operations), target: .rule(anyRule()),
      mutation: .changeRule(changes.randomElement(using: &numbers) ?? .removal),
      expect: Bool.random(using: &numbers) ? anyRevision() : nil)
  }
}
