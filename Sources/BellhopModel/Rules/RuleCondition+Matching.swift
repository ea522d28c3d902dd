extension RuleCondition {
  /// Returns whether published content meets the condition, and takes the steps from the budget.
  ///
  /// Tests without a search come first. The others follow in the order of the terms, and the first one
  /// that is false ends them. If a search is given up, so is the condition, whether the term is negated
  /// or not.
  public func matches(
    _ content: Content, budget: inout RegularExpression.StepBudget
  ) -> RegularExpression.Outcome {
    matches(RuleSubject(content), budget: &budget)
  }

  /// Returns whether content meets the condition, with all steps of an item for this condition alone.
  package func isMet(by content: Content) -> Bool {
    var budget = RegularExpression.StepBudget()
    return matches(content, budget: &budget) == .match
  }

  /// Returns the same for content that is prepared for many conditions.
  func matches(
    _ subject: RuleSubject, budget: inout RegularExpression.StepBudget
  ) -> RegularExpression.Outcome {
    var needsSearch = false
    for term in terms {
      if let holds = term.test.holds(for: subject) {
        if holds == term.isNegated { return .noMatch }
      } else {
        needsSearch = true
      }
    }
    guard needsSearch else { return .match }
    guard let visual = subject.content.visual else { return .noMatch }
    for term in terms {
      switch term.test.search(visual, budget: &budget) {
      case .givenUp: return .givenUp
      case .match: if term.isNegated { return .noMatch }
      case .noMatch: if !term.isNegated { return .noMatch }
      case nil: continue
      }
    }
    return .match
  }
}

/// Published content with its names as the tests of rules compare them.
struct RuleSubject {
  let content: Content
  /// The app's name with A to Z in lower case, as are the group's name and the tags.
  let app: String
  let group: String?
  let tags: [String]

  init(_ content: Content) {
    self.content = content
    app = content.app.asciiLowercased
    group = content.group?.asciiLowercased
    tags = content.tags.map(\.asciiLowercased)
  }
}

extension RuleCondition.Test {
  /// Returns the result of a test without a search; nil for the others.
  fileprivate func holds(for subject: RuleSubject) -> Bool? {
    switch self {
    case .app(let patterns): patterns.contains { $0.matches(lowercased: subject.app) }
    case .group(let patterns):
      subject.group.map { group in patterns.contains { $0.matches(lowercased: group) } } ?? false
    case .tag(let patterns):
      subject.tags.contains { tag in patterns.contains { $0.matches(lowercased: tag) } }
    case .level(let comparison, let level): comparison.holds(subject.content.priority, level)
    case .pattern, .phrase: nil
    }
  }

  /// Returns the result of a search; nil for a test without one.
  fileprivate func search(
    _ visual: VisualContent, budget: inout RegularExpression.StepBudget
  ) -> RegularExpression.Outcome? {
    switch self {
    case .app, .group, .tag, .level: return nil
    case .pattern(let part, let expression):
      return visual[part].map { expression.matches(in: $0, budget: &budget) } ?? .noMatch
    case .phrase(let phrase):
      for part in RuleCondition.Part.allCases {
        guard let text = visual[part] else { continue }
        let outcome = phrase.expression.matches(in: text, budget: &budget)
        if outcome != .noMatch { return outcome }
      }
      return .noMatch
    }
  }
}

extension VisualContent {
  fileprivate subscript(part: RuleCondition.Part) -> String? {
    switch part {
    case .title: title
    case .subtitle: subtitle
    case .body: body
    }
  }
}

extension ListFilter.Comparison {
  fileprivate func holds(_ left: Priority, _ right: Priority) -> Bool {
    switch self {
    case .atLeast: left >= right
    case .atMost: left <= right
    case .above: left > right
    case .below: left < right
    case .equal: left == right
    }
  }
}
