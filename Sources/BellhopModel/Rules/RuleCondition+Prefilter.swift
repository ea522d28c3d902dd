extension RuleCondition {
  /// A condition on published fields that every item meets whose content meets this one.
  ///
  /// Databases evaluate it before the searches. It leaves out tests of tags and of texts, and is exact
  /// without any.
  package var prefilter: Condition<ItemTest> {
    .all(
      terms.compactMap { term -> Condition<ItemTest>? in
        guard let test = term.test.prefilter else { return nil }
        return term.isNegated ? .not(.test(test)) : .test(test)
      })
  }
}

extension RuleCondition.Test {
  /// The test of a published field; nil for tags and texts.
  fileprivate var prefilter: ItemTest? {
    switch self {
    case .app(let patterns): .name(.publishedHostName, patterns)
    case .group(let patterns): .name(.publishedGroupName, patterns)
    case .level(let comparison, let level):
      .compare(.publishedPriority, comparison.comparison, .priority(level))
    case .tag, .pattern, .phrase: nil
    }
  }
}
