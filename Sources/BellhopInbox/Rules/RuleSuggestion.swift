package import BellhopModel

/// Conditions that an item meets, for a rule that its user makes from it.
package enum RuleSuggestion {
  /// Returns the conditions, the narrowest first.
  ///
  /// They test what was published: app and title, app and group, app and each of the tags, and the app
  /// alone. A title may have other numbers; of a long one, only the beginning is tested.
  package static func from(item: UserNotification) -> [RuleCondition] {
    let content = item.content
    let app = RuleCondition.Test.app([ListFilter.NamePattern(content.app)])
    var narrower: [RuleCondition.Test] = []
    if let title = content.visual?.title,
      let expression = try? RegularExpression(pattern(ofTitle: title))
    {
      narrower.append(.pattern(.title, expression))
    }
    if let group = content.group, isValue(group) {
      narrower.append(.group([ListFilter.NamePattern(group)]))
    }
    for tag in content.tags where isValue(tag) {
      narrower.append(.tag([ListFilter.NamePattern(tag)]))
    }
    return narrower.map { RuleCondition([.init(app), .init($0)]) } + [RuleCondition([.init(app)])]
  }

  /// Returns the condition of an app's items with a title, or with one that differs in numbers.
  package static func condition(ofTitle title: String, app: String) -> RuleCondition? {
    guard let expression = try? RegularExpression(pattern(ofTitle: title)) else { return nil }
    return RuleCondition([
      .init(.app([ListFilter.NamePattern(app)])), .init(.pattern(.title, expression)),
    ])
  }

  /// Returns the condition of an app's items with a group, or of those without one.
  ///
  /// - Parameter isOnlyGroup: Whether the app has no others, so that the app is enough.
  package static func condition(
    ofGroup group: String?, app: String, isOnlyGroup: Bool
  ) -> RuleCondition? {
    var terms: [RuleCondition.Term] = [.init(.app([ListFilter.NamePattern(app)]))]
    if let group {
      guard isValue(group) else { return nil }
      terms.append(.init(.group([ListFilter.NamePattern(group)])))
    } else if !isOnlyGroup {
      terms.append(.init(.group([ListFilter.NamePattern("*")]), isNegated: true))
    }
    return RuleCondition(terms)
  }

  private static func isValue(_ name: String) -> Bool {
    (1...RuleCondition.valueBytesMax).contains(name.utf8.count)
  }

  /// Returns the pattern of a title in which each run of digits may be any other.
  ///
  /// If the whole title is too long, the pattern is that of its beginning.
  static func pattern(ofTitle title: String) -> String {
    var pattern = "^"
    var isInNumber = false
    for scalar in title.unicodeScalars {
      let isDigit = ("0"..."9").contains(scalar)
      defer { isInNumber = isDigit }
      if isDigit, isInNumber { continue }
      let piece = isDigit ? "\\d+" : RegularExpression.escaped(String(scalar))
      guard pattern.utf8.count + piece.utf8.count <= RegularExpression.bytesMax else {
        return pattern
      }
      pattern += piece
    }
    return pattern.utf8.count < RegularExpression.bytesMax ? pattern + "$" : pattern
  }
}
