/// A revision of a rule with its definition, as a user confirmed it.
///
/// The definition travels with the operation that applies the rule, so that a device shows the effect
/// before the store has answered.
public struct RuleReference: Hashable, Sendable {
  public var id: RuleID
  public var revision: OperationID
  public var definition: RuleDefinition

  public init(id: RuleID, revision: OperationID, definition: RuleDefinition) {
    self.id = id
    self.revision = revision
    self.definition = definition
  }

  public init(_ rule: Rule) {
    self.init(id: rule.id, revision: rule.revision, definition: rule.definition)
  }

  /// The name and revision of the rule, for the provenance of its effects.
  public var mark: RuleMark { RuleMark(id: id, revision: revision, name: definition.name) }
}
