package import BellhopModel
package import BellhopText

/// Sentences about what rules did to how an item is listed and announced.
package enum RuleEffectText {
  /// Returns a line for each rule, such as `lowered to low by the rule “passed builds”`.
  ///
  /// They follow each other as the rules acted. Rules that took too many steps come last.
  package static func lines(_ item: UserNotification) -> [SafeText] {
    let effect = item.state.applied.value
    let acted = effect.rules.map { contribution in
      let parts = contribution.parts.compactMap { words(for: $0, in: effect, on: item.content) }
      let what = parts.isEmpty ? "changed" : parts.joined(separator: ", ")
      return SafeText(what) + " by the rule " + name(contribution.rule)
    }
    return acted
      + effect.exhausted.map { rule in
        "not evaluated: the rule " + name(rule) + " takes too many steps"
      }
  }

  private static func name(_ rule: RuleMark) -> SafeText {
    "“" + SafeText(rule.name, byteLimit: Provenance.nameBytesMax) + "”"
  }

  /// Returns a participle with its object; nil for a part without a value.
  private static func words(
    for part: AppliedEffect.Part, in effect: AppliedEffect, on content: Content
  ) -> String? {
    switch part {
    case .priority: effect.level.map { words(for: $0, insteadOf: content.priority) }
    case .groupName: effect.group.map { "put into the group \($0)" }
    case .tags: tagged(effect)
    case .targetHostName: effect.app.map { "moved to \($0)" }
    case .silent: effect.isSilent ? "silenced" : nil
    }
  }

  private static func words(for level: Priority, insteadOf published: Priority) -> String {
    if level == published { return "kept at \(level.name)" }
    return (level < published ? "lowered to " : "raised to ") + level.name
  }

  /// Returns the words for the tags, which are named if they come from one rule.
  private static func tagged(_ effect: AppliedEffect) -> String {
    let isOfOne = effect.rules.count(where: { $0.parts.contains(.tags) }) == 1
    return isOfOne ? "tagged \(effect.tags.joined(separator: ", "))" : "tagged"
  }
}
