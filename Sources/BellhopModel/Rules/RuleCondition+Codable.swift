/// The coded form is the list of the terms.
extension RuleCondition: Codable {
  public init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    var terms: [Term] = []
    while !list.isAtEnd {
      guard terms.count < Self.termsMax else {
        throw DecodingError.dataCorruptedError(
          in: list, debugDescription: "expected at most \(Self.termsMax) terms")
      }
      terms.append(try list.decode(Term.self))
    }
    guard !terms.isEmpty else {
      throw DecodingError.dataCorruptedError(
        in: list, debugDescription: "expected one or more terms")
    }
    self.init(terms)
  }

  public func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for term in terms { try list.encode(term) }
  }
}

extension RuleCondition.Term: Codable {
  fileprivate enum CodingKeys: String, CodingKey { case field, values, comparison, pattern, not }

  /// The value of `field`.
  private enum Field: String, CaseIterable {
    case app, group, tag, level, title, subtitle, body, words

    /// The other members of a term with the field.
    var members: [CodingKeys] {
      switch self {
      case .app, .group, .tag, .words: [.values, .not]
      case .level: [.comparison, .values, .not]
      case .title, .subtitle, .body: [.pattern, .not]
      }
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let field = Field(rawValue: try container.decode(String.self, forKey: .field)) else {
      let known = Field.allCases.map(\.rawValue).joined(separator: ", ")
      throw container.invalid(.field, expected: "one of \(known)")
    }
    try decoder.refuseMembers(besides: ([.field] + field.members).map(\.stringValue))
    let test: RuleCondition.Test =
      switch field {
      case .app: .app(try container.namePatterns())
      case .group: .group(try container.namePatterns())
      case .tag: .tag(try container.namePatterns())
      case .level: .level(try container.comparison(), try container.level())
      case .title: .pattern(.title, try container.expression())
      case .subtitle: .pattern(.subtitle, try container.expression())
      case .body: .pattern(.body, try container.expression())
      case .words: .phrase(try container.phrase())
      }
    self.init(
      test, isNegated: try container.decodeIfPresent(Bool.self, forKey: .not) ?? false)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func encode(_ field: Field, _ values: [String]) throws {
      try container.encode(field.rawValue, forKey: .field)
      try container.encode(values, forKey: .values)
    }
    switch test {
    case .app(let patterns): try encode(.app, patterns.map(\.written))
    case .group(let patterns): try encode(.group, patterns.map(\.written))
    case .tag(let patterns): try encode(.tag, patterns.map(\.written))
    case .level(let comparison, let level):
      try encode(.level, [level.name])
      try container.encode(comparison.rawValue, forKey: .comparison)
    case .pattern(let part, let expression):
      try container.encode(part, forKey: .field)
      try container.encode(expression, forKey: .pattern)
    case .phrase(let phrase): try encode(.words, [phrase.text])
    }
    if isNegated { try container.encode(true, forKey: .not) }
  }
}

extension KeyedDecodingContainer<RuleCondition.Term.CodingKeys> {
  fileprivate func namePatterns() throws -> [ListFilter.NamePattern] {
    let texts = try decode([String].self, forKey: .values)
    guard (1...RuleCondition.valuesMax).contains(texts.count),
      texts.allSatisfy({ (1...RuleCondition.valueBytesMax).contains($0.utf8.count) })
    else {
      throw invalid(
        .values,
        expected: "1 to \(RuleCondition.valuesMax) names such as ci or build*, "
          + "each of 1 to \(RuleCondition.valueBytesMax) bytes")
    }
    return texts.map { ListFilter.NamePattern($0) }
  }

  fileprivate func comparison() throws -> ListFilter.Comparison {
    let text = try decode(String.self, forKey: .comparison)
    guard let comparison = ListFilter.Comparison(rawValue: text) else {
      let known = ListFilter.Comparison.allCases.map(\.rawValue).joined(separator: ", ")
      throw invalid(.comparison, expected: "one of \(known)")
    }
    return comparison
  }

  fileprivate func level() throws -> Priority {
    let texts = try decode([String].self, forKey: .values)
    guard texts.count == 1, let level = Priority(name: texts[0]) else {
      throw invalid(.values, expected: "one of min, low, normal, high and urgent")
    }
    return level
  }

  fileprivate func expression() throws -> RegularExpression {
    try decode(RegularExpression.self, forKey: .pattern)
  }

  fileprivate func phrase() throws -> RuleCondition.Phrase {
    let texts = try decode([String].self, forKey: .values)
    guard texts.count == 1, let phrase = RuleCondition.Phrase(texts[0]) else {
      throw invalid(
        .values,
        expected: "one word or phrase of at most \(RuleCondition.Phrase.bytesMax) bytes")
    }
    return phrase
  }
}
