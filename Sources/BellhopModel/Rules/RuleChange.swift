/// A change of a rule; nil leaves a part as it is.
public struct RuleChange: Hashable, Sendable {
  public var definition: RuleDefinition?
  public var order: RuleOrder?
  public var isEnabled: Bool?
  /// Whether the rule is removed. No other part is set with it.
  public var isRemoved = false

  public init(
    definition: RuleDefinition? = nil, order: RuleOrder? = nil, isEnabled: Bool? = nil
  ) {
    self.definition = definition
    self.order = order
    self.isEnabled = isEnabled
  }

  /// A change that removes the rule, for good.
  public static let removal = {
    var change = RuleChange()
    change.isRemoved = true
    return change
  }()

  /// Whether the change leaves everything as it is.
  public var isEmpty: Bool { self == RuleChange() }

  /// Returns the rule after the change; its sequence stays the same.
  ///
  /// Nil if the change removes the rule, and for a new rule without a definition. A new rule is the last
  /// one, unless the change has an order.
  ///
  /// - Parameters:
  ///   - rule: The rule before the change; nil for a new rule.
  ///   - operation: The operation that makes the change, which becomes the revision of a new definition.
  ///   - last: The order of the user's last rule.
  public func applied(
    to rule: Rule?, id: RuleID, by operation: OperationID, after last: RuleOrder?
  ) -> Rule? {
    guard !isRemoved else { return nil }
    guard var rule = rule ?? added(id, by: operation, after: last) else { return nil }
    if let definition, definition != rule.definition {
      rule.definition = definition
      rule.revision = operation
    }
    if let order { rule.order = order }
    if let isEnabled { rule.isEnabled = isEnabled }
    return rule
  }

  private func added(
    _ id: RuleID, by operation: OperationID, after last: RuleOrder?
  ) -> Rule? {
    definition.map { definition in
      // Without room after the last rule, both have its order, and their ids decide.
      let order = RuleOrder.between(last, nil) ?? last ?? .first
      return Rule(id: id, definition: definition, order: order, revision: operation)
    }
  }
}
