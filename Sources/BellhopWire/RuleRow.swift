internal import BellhopModel

/// A row of the annotation `@bellhop.rules`: a rule as it is now, or the removal of one.
enum RuleRow: Hashable {
  case rule(Rule)
  case removed(RuleID, sequence: SequenceNumber)

  /// Creates the row of a change; nil for a change of an item or of an app.
  init?(_ change: Change) {
    switch change {
    case .rule(let rule): self = .rule(rule)
    case .ruleRemoved(let id, let sequence): self = .removed(id, sequence: sequence)
    case .item, .state, .removed, .app: return nil
    }
  }

  var change: Change {
    switch self {
    case .rule(let rule): .rule(rule)
    case .removed(let id, let sequence): .ruleRemoved(id, sequence: sequence)
    }
  }

  /// Decodes the next row of an array.
  ///
  /// Nil for a row that this version cannot read, such as a rule with an action of a later version. The
  /// other rows of the page count all the same.
  static func next(in json: inout QuickReader) throws(WireError) -> RuleRow? {
    let bytes = Array(try json.value())
    return try? WireJSON.decode(RuleRow.self, from: bytes)
  }
}

extension RuleRow: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, sequence
    case removed = "@removed"
  }

  private struct Removal: Codable {
    var reason = "deleted"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard container.contains(.removed) else {
      self = .rule(try Rule(from: decoder))
      return
    }
    self = .removed(
      try container.decode(RuleID.self, forKey: .id),
      sequence: try container.decode(SequenceNumber.self, forKey: .sequence))
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .rule(let rule): try rule.encode(to: encoder)
    case .removed(let id, let sequence):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(sequence, forKey: .sequence)
      try container.encode(Removal(), forKey: .removed)
    }
  }
}
