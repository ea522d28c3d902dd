internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// A rule as `bellhop rules` lists it.
struct ListedRule {
  var rule: Rule
  /// The place among the rules, from 1.
  var position: Int
  /// The number of items of the last days that meet the condition.
  var matches: Int
  /// Whether a change of the rule waits in the outbox.
  var isWaiting = false

  private static let positionCells = 3
  private static let nameCells = 24
  /// Enough for 99,999 matches.
  private static let matchesCells = 6

  /// Returns all rules in the order in which they act.
  ///
  /// - Parameter since: The arrival from which items count as matches.
  static func all(in reader: CacheReader, since: Timestamp) throws -> [ListedRule] {
    let waiting = try reader.rulesWithPendingChanges()
    let rules = try reader.rules()
    guard !rules.isEmpty else { return [] }
    let matches = try Commands.failing {
      try reader.matches(of: rules.map(\.definition.condition), since: since)
    }
    return zip(rules, matches).enumerated().map { index, pair in
      let (rule, matches) = pair
      return ListedRule(
        rule: rule, position: index + 1, matches: matches, isWaiting: waiting.contains(rule.id))
    }
  }

  func line(width: Int?) -> SafeText {
    let name = SafeText(rule.definition.name)
    var facts = [RuleText.words(rule.definition)]
    if !rule.isEnabled { facts.append("disabled") }
    if isWaiting { facts.append("not sent yet") }
    let line =
      SafeText("\(position)").padded(to: Self.positionCells) + " "
      + name.padded(to: max(Self.nameCells, name.width)) + " "
      + SafeText(matches.grouped).leftPadded(to: Self.matchesCells)
      + SafeText(" in \(RulePreviewText.days)d") + "  "
      + SafeText(facts.joined(separator: " · "), byteLimit: SafeText.bodyBytesMax)
    guard let width else { return line }
    return line.truncated(to: width)
  }
}

/// Sentences about rules.
enum RuleText {
  /// Returns the condition and the actions: `app:ci title~/passed/ → level low, silent`.
  static func words(_ definition: RuleDefinition) -> String {
    let zone = definition.timeZone.map { " (\($0))" } ?? ""
    return definition.condition.phrase + " → " + definition.actions.phrase + zone
  }

  /// Returns the rule as the object of a sentence: `the rule “passed builds”`.
  static func object(_ name: String) -> String { "the rule “\(name)”" }

  /// Returns the rule at the beginning of a sentence.
  static func subject(_ name: String) -> String { "The rule “\(name)”" }

  /// Returns what the rules do with content, a line for each rule that matches.
  ///
  /// - Parameters:
  ///   - now: The time of the publication.
  ///   - clock: The user's time zones.
  static func verdict(
    of rules: [Rule], on content: Content, at now: Timestamp, clock: WallClock
  ) -> [String] {
    let outcome = RuleSet(rules).outcome(for: content, at: now, on: clock)
    var lines = outcome.matched.compactMap { mark in
      rules.first { $0.id == mark.id }.map { "\(mark.name): \($0.definition.actions.phrase)" }
    }
    if lines.count > 1 { lines.append("together: " + together(outcome, now: now)) }
    lines += outcome.effect.exhausted.map { rule in
      "\(rule.name): not evaluated, because it takes too many steps"
    }
    return lines.isEmpty ? ["no rule matches"] : lines
  }

  /// Returns the actions that count in the end, of which a later rule may replace earlier ones.
  private static func together(_ outcome: RuleOutcome, now: Timestamp) -> String {
    var actions = RuleActions()
    actions.level = outcome.effect.level
    actions.isSilent = outcome.effect.isSilent
    actions.tags = outcome.effect.tags
    actions.group = outcome.effect.group
    actions.app = outcome.effect.app
    actions.marksRead = outcome.readRule != nil
    actions.dismisses = outcome.action?.value == .dismissed
    actions.pins = outcome.pinRule != nil
    actions.collapse = outcome.collapse
    let end = outcome.action?.value.snoozedUntil.map { "until " + MomentText.moment($0, now: now) }
    let words = ([actions.phrase] + [end].compactMap(\.self)).filter { !$0.isEmpty }
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  /// Returns whether a condition matches content, as the end of a sentence.
  static func verdict(of condition: RuleCondition, on content: Content) -> String {
    var budget = RegularExpression.StepBudget()
    return switch condition.matches(content, budget: &budget) {
    case .match: "matches"
    case .noMatch: "does not match"
    case .givenUp: "does not match, because the patterns take too many steps"
    }
  }
}

/// A rule as one line of `--json`. The keys are stable; the topic `watch` lists them.
struct RuleJSON: Encodable {
  var account: String
  var position: Int
  var id: String
  var name: String
  /// The condition, as it is typed.
  var when: String
  var enabled: Bool
  /// The number of items of the last 30 days that meet the condition.
  var matches: Int
  var level: String?
  var silent: Bool?
  var read: Bool?
  var dismiss: Bool?
  /// The span of a snooze, or the time of its end.
  var snooze: String?
  var timeZone: String?
  var pin: Bool?
  var tags: [String]?
  var group: String?
  var moveTo: String?
  var collapse: String?
  var stop: Bool?
  var waiting: Bool
  /// The time when the cache last matched the store; nil if it never did.
  var synced: String?

  init(_ listed: ListedRule, account: AccountName) {
    let (rule, definition) = (listed.rule, listed.rule.definition)
    let actions = definition.actions
    self.account = account.rawValue
    position = listed.position
    id = rule.id.description
    name = definition.name
    when = definition.condition.phrase
    enabled = rule.isEnabled
    matches = listed.matches
    level = actions.level?.name
    silent = actions.isSilent ? true : nil
    read = actions.marksRead ? true : nil
    dismiss = actions.dismisses ? true : nil
    snooze = actions.snooze?.words
    timeZone = definition.timeZone
    pin = actions.pins ? true : nil
    tags = actions.tags.isEmpty ? nil : actions.tags
    group = actions.group
    moveTo = actions.app
    collapse = actions.collapse?.word
    stop = actions.stops ? true : nil
    waiting = listed.isWaiting
  }
}
