extension Operation {
  /// The member `matching` of an operation, by which it selects items.
  struct Matching: Codable {
    var predicate: Predicate?
    var rule: RuleID?
    var revision: OperationID?
    var definition: RuleDefinition?
    var throughSequence: SequenceNumber?
    var throughTime: Timestamp?
    /// The offset of the device's zone from UTC at that time, in seconds.
    var throughTimeOffset: Int?
    var setBy: OperationID?

    /// Creates the member for a target that selects items.
    init(_ target: Target, shown occurrences: SeenOccurrences?) {
      switch target {
      case .matching(let predicate, let through):
        self.predicate = predicate
        throughSequence = through
      case .matchingRule(let rule, let through):
        self.rule = rule.id
        revision = rule.revision
        definition = rule.definition
        throughSequence = through
      case .setBy(let operation): setBy = operation
      case .item, .items, .app, .rule: break
      }
      guard throughSequence != nil, case .through(let time, let offset)? = occurrences else {
        return
      }
      throughTime = time
      throughTimeOffset = offset
    }

    /// The target; nil if the members do not form one.
    var target: Target? {
      switch (predicate, rule, revision, definition, throughSequence, setBy) {
      case (let predicate?, nil, nil, nil, let through?, nil):
        .matching(predicate, through: through)
      case (nil, let rule?, let revision?, let definition?, let through?, nil):
        .matchingRule(
          RuleReference(id: rule, revision: revision, definition: definition), through: through)
      case (nil, nil, nil, nil, nil, let operation?): .setBy(operation)
      default: nil  // open: (Predicate?, RuleID?, OperationID?, RuleDefinition?, …)
      }
    }
  }
}

extension Operation.Target {
  /// The newest meaning of the items that are selected; nil for a target without such a bound.
  package var through: SequenceNumber? {
    switch self {
    case .matching(_, let through), .matchingRule(_, let through): through
    case .item, .items, .setBy, .app, .rule: nil
    }
  }
}
