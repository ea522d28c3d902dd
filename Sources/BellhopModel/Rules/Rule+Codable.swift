/// The members of the definition are those of the rule itself. Unknown members are passed over here, but
/// refused within `terms` and `actions`: a rule without one of its parts would act on other items.
extension Rule: Codable {
  private enum CodingKeys: String, CodingKey { case id, order, isEnabled, revision, sequence }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(RuleID.self, forKey: .id),
      definition: try RuleDefinition(from: decoder),
      order: try container.decode(RuleOrder.self, forKey: .order),
      isEnabled: try container.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? true,
      revision: try container.decode(OperationID.self, forKey: .revision),
      sequence: try container.decodeIfPresent(SequenceNumber.self, forKey: .sequence) ?? .zero)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(order, forKey: .order)
    if !isEnabled { try container.encode(false, forKey: .isEnabled) }
    try container.encode(revision, forKey: .revision)
    try container.encode(sequence, forKey: .sequence)
    try definition.encode(to: encoder)
  }
}

extension RuleDefinition: Codable {
  private enum CodingKeys: String, CodingKey {
    case name
    case condition = "terms"
    case actions, timeZone
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .name)
    guard (1...Self.nameBytesMax).contains(name.utf8.count) else {
      throw container.invalid(.name, expected: "1 to \(Self.nameBytesMax) bytes")
    }
    self.init(
      name: name, condition: try container.decode(RuleCondition.self, forKey: .condition),
      actions: try container.decode(RuleActions.self, forKey: .actions),
      timeZone: try container.decodeIfPresent(String.self, forKey: .timeZone))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(condition, forKey: .condition)
    try container.encode(actions, forKey: .actions)
    try container.encodeIfPresent(timeZone, forKey: .timeZone)
  }
}

extension RuleChange: Codable {
  private enum CodingKeys: String, CodingKey {
    case definition, order, isEnabled
    case isRemoved = "remove"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      definition: try container.decodeIfPresent(RuleDefinition.self, forKey: .definition),
      order: try container.decodeIfPresent(RuleOrder.self, forKey: .order),
      isEnabled: try container.decodeIfPresent(Bool.self, forKey: .isEnabled))
    guard try container.decodeIfPresent(Bool.self, forKey: .isRemoved) ?? false else { return }
    guard isEmpty else { throw container.invalid(.isRemoved, expected: "this member alone") }
    isRemoved = true
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(definition, forKey: .definition)
    try container.encodeIfPresent(order, forKey: .order)
    try container.encodeIfPresent(isEnabled, forKey: .isEnabled)
    if isRemoved { try container.encode(true, forKey: .isRemoved) }
  }
}
