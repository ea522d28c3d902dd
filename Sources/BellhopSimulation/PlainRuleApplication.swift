import BellhopModel

/// A second implementation of what applying a rule does, independent of `RuleCondition.matches` and
/// `RuleDefinition.stateChange`.
///
/// Only the searches are those of the product. Tests of the model cover them.
enum PlainRuleApplication {
  /// Returns whether published content meets each term of a condition.
  static func matches(_ condition: RuleCondition, _ content: Content) -> Bool {
    condition.terms.allSatisfy { term in
      switch term.test {
      case .app(let names): isNamed(content.app, names) != term.isNegated
      case .group(let names):
        (content.group.map { isNamed($0, names) } ?? false) != term.isNegated
      case .tag(let names):
        content.tags.contains { isNamed($0, names) } != term.isNegated
      case .level(let comparison, let level):
        compares(content.priority, comparison, level) != term.isNegated
      case .pattern(let part, let expression):
        // Data has no text, and meets neither the test nor its negation.
        content.visual.map { has(text(part, of: $0), expression) != term.isNegated } ?? false
      case .phrase(let phrase):
        content.visual.map { has($0, phrase.text) != term.isNegated } ?? false
      }
    }
  }

  private static func isNamed(_ name: String, _ patterns: [ListFilter.NamePattern]) -> Bool {
    patterns.contains { pattern in
      // The names of the simulation have no letters but A to Z.
      let (name, text) = (name.lowercased(), pattern.text.lowercased())
      return pattern.isPrefix ? name.hasPrefix(text) : name == text
    }
  }

  private static func compares(
    _ left: Priority, _ comparison: ListFilter.Comparison, _ right: Priority
  ) -> Bool {
    let difference = left.rawValue - right.rawValue
    return switch comparison {
    case .atLeast: difference >= 0
    case .atMost: difference <= 0
    case .above: difference > 0
    case .below: difference < 0
    case .equal: difference == 0
    }
  }

  private static func text(_ part: RuleCondition.Part, of visual: VisualContent) -> String? {
    switch part {
    case .title: visual.title
    case .subtitle: visual.subtitle
    case .body: visual.body
    }
  }

  private static func has(_ text: String?, _ expression: RegularExpression) -> Bool {
    guard let text else { return false }
    var budget = RegularExpression.StepBudget()
    return expression.matches(in: text, budget: &budget) == .match
  }

  private static func has(_ visual: VisualContent, _ words: String) -> Bool {
    let texts = [visual.title, visual.subtitle, visual.body].compactMap { $0?.lowercased() }
    return texts.contains { $0.contains(words.lowercased()) }
  }

  /// Returns the registers that a rule sets on an item that it matches.
  ///
  /// - Parameters:
  ///   - made: The time of the user's change.
  ///   - label: The occurrence that the user was shown; nil for an item without a trigger.
  ///   - zone: The offset from UTC of the user's zone, in seconds.
  static func change(
    _ rule: RuleReference, of item: UserNotification, at made: Timestamp,
    for label: Occurrence.Label?, zone: Int
  ) -> StateChange {
    let actions = rule.definition.actions
    var change = StateChange()
    let effect = effect(of: rule, on: item)
    if effect != item.state.applied.value { change.applied = effect }
    guard item.content.visual != nil else { return change }
    if actions.pins { change.pinned = true }
    if label == .beforeFirst { return change }
    if actions.marksRead { change.readState = .read }
    let shown = label.map { PlainOccurrence.counted(item, for: $0) } ?? item
    let action = shown.state.userActionState.value
    if action == .activated || action == .dismissed { return change }
    if actions.dismisses {
      change.userActionState = .dismissed
    } else if let snooze = actions.snooze {
      let end = end(of: snooze, rule.definition.timeZone, after: made, zone)
      let isKept = actions.pins || item.state.pinned.value
      if isKept || item.content.expiration.map({ end <= $0 }) ?? true {
        change.userActionState = .snoozed(until: end)
      }
    }
    return change
  }

  private static func end(
    of snooze: RuleSnooze, _ name: String?, after made: Timestamp, _ zone: Int
  ) -> Timestamp {
    switch snooze {
    case .for(let duration): return made.advanced(by: duration)
    case .until(let time):
      let day: Int64 = 86_400_000
      let shift = Int64(name.flatMap { PlainOccurrence.zones[$0] } ?? zone) * 1000
      let start = (made.milliseconds + shift) / day * day - shift
      let end = start + Int64(time.minutes) * 60_000
      return Timestamp(milliseconds: end > made.milliseconds ? end : end + day)
    }
  }

  /// Returns the effect of rules on an item, with that of one more rule.
  private static func effect(
    of rule: RuleReference, on item: UserNotification
  ) -> AppliedEffect {
    let actions = rule.definition.actions
    var effect = item.state.applied.value
    var parts: [AppliedEffect.Part] = []
    if let level = actions.level {
      effect.level = level
      parts.append(.priority)
    }
    if let group = actions.group {
      effect.group = group
      parts.append(.groupName)
    }
    if let app = actions.app {
      effect.app = app
      parts.append(.targetHostName)
    }
    if actions.isSilent {
      effect.isSilent = true
      parts.append(.silent)
    }
    // Each of these has one source. Tags may have several.
    for index in effect.rules.indices {
      effect.rules[index].parts = effect.rules[index].parts.filter { !parts.contains($0) }
    }
    for tag in actions.tags where effect.tags.count < 16 {
      if item.content.tags.contains(tag) || effect.tags.contains(tag) { continue }
      effect.tags.append(tag)
      if !parts.contains(.tags) { parts.append(.tags) }
    }
    let before = effect.rules.first { $0.rule == rule.mark }?.parts ?? []
    if !parts.isEmpty { effect.rules.removeAll { $0.rule == rule.mark } }
    effect.rules.removeAll { $0.parts.isEmpty }
    if !parts.isEmpty {
      let order: [AppliedEffect.Part] = [.priority, .groupName, .tags, .targetHostName, .silent]
      let all = order.filter { parts.contains($0) || before.contains($0) }
      effect.rules.append(AppliedEffect.Contribution(rule: rule.mark, parts: all))
    }
    effect.exhausted.removeAll { $0.id == rule.id }
    return effect
  }
}
