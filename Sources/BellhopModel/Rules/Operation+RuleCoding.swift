extension Operation {
  /// The rule that the operation changes; nil for an operation on items or on settings.
  public var rule: RuleID? { if case .rule(let id) = target { id } else { nil } }
}

// The members of an operation on a rule: `ruleId`, `changeRule`, and `expect` with the revision; or
// `matching` with a rule, and `applyRule`.
extension Operation {
  /// The member `applyRule`.
  struct RuleApplication: Codable {
    private enum CodingKeys: String, CodingKey { case made = "dateTime" }

    /// The time of the user's change.
    var made: Timestamp
  }

  /// Decodes the rule that an operation names; nil for an operation with another target.
  static func ruleTarget(in container: KeyedDecodingContainer<CodingKeys>) throws -> Target? {
    guard let id = try container.decodeIfPresent(RuleID.self, forKey: .ruleId) else { return nil }
    let others: [CodingKeys] = [.notificationId, .notificationIds, .matching, .targetHostName]
    guard try container.lacks(others) else {
      throw container.invalid(.ruleId, expected: "this member as the only target")
    }
    return .rule(id)
  }

  /// Decodes the change of a rule, or its application; nil for an operation that makes another change.
  static func ruleMutation(in container: KeyedDecodingContainer<CodingKeys>) throws -> Mutation? {
    let others: [CodingKeys] = [.set, .delete, .restore, .configure, .reschedule, .publish]
    if let application = try container.decodeIfPresent(RuleApplication.self, forKey: .applyRule) {
      guard try container.lacks(others + [.changeRule]) else {
        throw container.invalid(.applyRule, expected: "this member as the only change")
      }
      return .applyRule(at: application.made)
    }
    guard let change = try container.decodeIfPresent(RuleChange.self, forKey: .changeRule) else {
      return nil
    }
    guard try container.lacks(others) else {
      throw container.invalid(.changeRule, expected: "this member as the only change")
    }
    guard !change.isEmpty else {
      throw container.invalid(
        .changeRule, expected: "at least one of definition, order, isEnabled and remove")
    }
    return .changeRule(change)
  }

  /// Returns whether the operation changes a rule, and checks that it does nothing else.
  func isRuleChange(in container: KeyedDecodingContainer<CodingKeys>) throws -> Bool {
    let changesRule = if case .changeRule = mutation { true } else { false }
    guard changesRule || rule != nil else { return false }
    guard changesRule, rule != nil, seen == nil else {
      throw container.invalid(
        changesRule ? .changeRule : .ruleId,
        expected: "ruleId with changeRule, and nothing else but expect")
    }
    return true
  }

  /// Returns whether the operation applies a rule, and checks that it does nothing else.
  func isRuleApplication(in container: KeyedDecodingContainer<CodingKeys>) throws -> Bool {
    let appliesRule = if case .applyRule = mutation { true } else { false }
    guard appliesRule || appliedRule != nil else { return false }
    guard appliesRule, appliedRule != nil, seen == nil, expect == nil else {
      throw container.invalid(
        appliesRule ? .applyRule : .matching,
        expected: "applyRule with matching of a rule, and nothing else")
    }
    return true
  }
}

extension KeyedDecodingContainer {
  /// Returns whether each of the members is missing or null.
  fileprivate func lacks(_ keys: [Key]) throws -> Bool {
    try keys.allSatisfy { try !contains($0) || decodeNil(forKey: $0) }
  }
}
