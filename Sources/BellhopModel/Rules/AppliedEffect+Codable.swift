/// The members are those of an item, and are left out if rules do not change them.
extension AppliedEffect: Codable {
  private enum CodingKeys: String, CodingKey {
    case level = "priority"
    case group = "groupName"
    case app = "targetHostName"
    case tags
    case isSilent = "silent"
    case rules, exhausted
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    level = try container.priorityIfPresent(forKey: .level)
    group = try container.decodeIfPresent(String.self, forKey: .group)
    app = try container.decodeIfPresent(String.self, forKey: .app)
    tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
    isSilent = try container.decodeIfPresent(Bool.self, forKey: .isSilent) ?? false
    rules = try container.decodeIfPresent([Contribution].self, forKey: .rules) ?? []
    exhausted = try container.decodeIfPresent([RuleMark].self, forKey: .exhausted) ?? []
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(level?.name, forKey: .level)
    try container.encodeIfPresent(group, forKey: .group)
    try container.encodeIfPresent(app, forKey: .app)
    if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
    if isSilent { try container.encode(true, forKey: .isSilent) }
    if !rules.isEmpty { try container.encode(rules, forKey: .rules) }
    if !exhausted.isEmpty { try container.encode(exhausted, forKey: .exhausted) }
  }
}

extension AppliedEffect.Contribution: Codable {
  private enum CodingKeys: String, CodingKey { case rule, parts }

  /// Decodes a contribution without the parts that this version does not know, of a later one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      rule: try container.decode(RuleMark.self, forKey: .rule),
      parts: try container.decode([String].self, forKey: .parts)
        .compactMap(AppliedEffect.Part.init))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(rule, forKey: .rule)
    try container.encode(parts, forKey: .parts)
  }
}
