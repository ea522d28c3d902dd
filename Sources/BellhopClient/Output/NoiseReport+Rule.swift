package import BellhopCache
internal import BellhopInbox
package import BellhopModel
internal import BellhopText

extension NoiseReport.Line {
  /// The rule that would help; nil without advice, and for names that no condition can hold.
  package var suggestedRule: RuleDefinition? {
    guard let advice, let condition else { return nil }
    var actions = RuleActions()
    switch advice {
    case .collapse: actions.collapse = .ignoringNumbers
    case .lower: actions.level = .low
    case .silence: actions.isSilent = true
    }
    let detail = title.map { ": " + $0 } ?? group.map { " " + $0 } ?? ""
    let name = SafeText(
      "\(advice.rawValue) \(app)\(detail)", byteLimit: RuleDefinition.nameBytesMax)
    return RuleDefinition(name: name.string, condition: condition, actions: actions)
  }

  private var condition: RuleCondition? {
    if let exampleTitle { return RuleSuggestion.condition(ofTitle: exampleTitle, app: app) }
    return RuleSuggestion.condition(ofGroup: group, app: app, isOnlyGroup: !hasOtherGroups)
  }
}
