/// A rule of a user, by which the store changes how publications are listed and announced.
///
/// The rules of a user act in the order of ``order``, and of ``id`` where that is equal. The coded form
/// is that of a row in the store's delta; <doc:RulesForPublications> has an example.
public struct Rule: Hashable, Sendable, Identifiable {
  public let id: RuleID
  public var definition: RuleDefinition
  public var order: RuleOrder
  public var isEnabled: Bool
  /// The operation that made the definition.
  public var revision: OperationID
  /// The change counter at the last change; zero on a device before the store has it.
  public var sequence: SequenceNumber

  public init(
    id: RuleID, definition: RuleDefinition, order: RuleOrder, isEnabled: Bool = true,
    revision: OperationID, sequence: SequenceNumber = .zero
  ) {
    self.id = id
    self.definition = definition
    self.order = order
    self.isEnabled = isEnabled
    self.revision = revision
    self.sequence = sequence
  }

  /// The name and revision of the rule, for the provenance of its effects.
  public var mark: RuleMark { RuleMark(id: id, revision: revision, name: definition.name) }
}

extension Sequence<Rule> {
  /// Returns the rules in the order in which they act.
  package func inOrder() -> [Rule] { sorted { ($0.order, $0.id) < ($1.order, $1.id) } }
}

/// The part of a rule that its user writes as a whole: name, condition and actions.
///
/// A change replaces all of it. The condition of one edit with the actions of another would be a rule
/// that no user wrote.
public struct RuleDefinition: Hashable, Sendable {
  /// One line of 1 to ``nameBytesMax`` bytes. Two rules may have the same name.
  public var name: String
  public var condition: RuleCondition
  public var actions: RuleActions
  /// The time zone of ``RuleSnooze/until(_:)``, by its IANA name; nil for that of the user.
  public var timeZone: String?

  /// The longest name in bytes: one that fits beside its effect on a narrow screen.
  public static let nameBytesMax = 64

  public init(
    name: String, condition: RuleCondition, actions: RuleActions, timeZone: String? = nil
  ) {
    self.name = name
    self.condition = condition
    self.actions = actions
    self.timeZone = timeZone
  }
}

/// A revision of a rule, with the rule's name at that time.
public struct RuleMark: Hashable, Sendable, Codable {
  public var id: RuleID
  public var revision: OperationID
  public var name: String

  public init(id: RuleID, revision: OperationID, name: String) {
    self.id = id
    self.revision = revision
    self.name = name
  }
}

extension OperationID {
  /// Creates the id under which a rule sets registers of an item with this content.
  ///
  /// It follows from the three, so that every process derives the same one. RFC 9562 §5.8 (version 8).
  package init(of rule: RuleMark, on item: NotificationID, content: SequenceNumber) {
    var hash = StableHash()
    for number in [rule.id.high, rule.id.low, rule.revision.high, rule.revision.low] {
      hash.combine(number)
    }
    hash.combine(item.high)
    hash.combine(item.low)
    hash.combine(UInt64(bitPattern: content.rawValue))
    self.init(
      high: hash.high & ~0xf000 | 0x8000,
      low: hash.low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
  }
}
