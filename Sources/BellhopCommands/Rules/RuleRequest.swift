internal import BellhopClient
internal import BellhopModel

/// The options of `bellhop rules add` and `edit`, as typed.
package struct RuleRequest: Sendable {
  /// The condition; nil leaves it unchanged.
  package var condition: String?
  /// The new name; nil leaves it unchanged.
  package var newName: String?
  package var level: String?
  package var isSilent = false
  package var marksRead = false
  package var dismisses = false
  /// The span of a snooze, such as `2h`.
  package var snoozeSpan: String?
  /// The end of a snooze, such as `18:00`.
  package var snoozeEnd: String?
  /// The time zone of ``snoozeEnd``.
  package var timeZone: String?
  package var pins = false
  /// All tags; none leaves them unchanged.
  package var tags: [String] = []
  package var group: String?
  package var app: String?
  package var collapse: String?
  package var stops = false
  /// The names of actions to take out.
  package var removedActions: [String] = []
  /// Whether the rule is enabled; nil leaves it unchanged.
  package var isEnabled: Bool?
  /// The place of a new rule; nil for the last one.
  package var place: RulePlace?
  /// Whether to apply a new rule to the items that are there, too.
  package var isApplied = false
  /// Whether the user has already confirmed the rule. Otherwise the command shows a preview and asks.
  package var isConfirmed = false

  package init() {}

  private static let consequence = "Nothing was changed."

  /// Returns the definition of a new rule.
  ///
  /// Detects every error that can be found without the store, because a change sent later cannot be
  /// corrected.
  ///
  /// - Parameter appNames: The user's names for the apps, by the apps' own names.
  /// - Throws: `ClientError` that names the accepted form.
  func definition(
    named name: String, appNames: [String: String]
  ) throws(ClientError) -> RuleDefinition {
    try applied(
      to: RuleDefinition(name: name, condition: RuleCondition([]), actions: RuleActions()),
      appNames: appNames)
  }

  /// Returns a definition with the parts that the options give.
  ///
  /// - Throws: `ClientError`, as ``definition(named:appNames:)`` does.
  func applied(
    to definition: RuleDefinition, appNames: [String: String]
  ) throws(ClientError) -> RuleDefinition {
    var definition = definition
    if let newName { definition.name = newName }
    guard RuleDefinition.isName(definition.name) else {
      throw invalid(definition.name, "name of a rule", "Use \(RuleDefinition.nameForm).")
    }
    if let condition {
      definition.condition = try FilterOption.condition(
        condition, appNames: appNames, consequence: Self.consequence)
    }
    guard !definition.condition.terms.isEmpty else {
      throw ClientError(
        .usage, "The condition is missing.",
        next: "\(Self.consequence) Use --when, such as --when 'app:ci title~/passed|fixed/'.")
    }
    for name in removedActions {
      guard let action = RuleActionName(rawValue: name) else {
        throw invalid(
          name, "--without", "Use \(Self.list(RuleActionName.allCases.map(\.rawValue))).")
      }
      action.remove(from: &definition.actions)
    }
    try setEffect(&definition.actions)
    if isSilent { definition.actions.isSilent = true }
    if marksRead { definition.actions.marksRead = true }
    if dismisses { definition.actions.dismisses = true }
    if pins { definition.actions.pins = true }
    if stops { definition.actions.stops = true }
    try setSnooze(&definition)
    guard !definition.actions.isEmpty else {
      throw ClientError(
        .usage, "A rule needs an action.",
        next: "\(Self.consequence) Use one or more of --level, --silent, --read, --dismiss, "
          + "--snooze-for, --snooze-until, --pin, --tag, --group, --move-to, --collapse and --stop."
      )
    }
    return definition
  }

  private func setEffect(_ actions: inout RuleActions) throws(ClientError) {
    if let level {
      let known = Priority(name: level) ?? Int(level).flatMap { Priority(rawValue: $0) }
      guard let known else {
        throw invalid(level, "--level", "Use \(Self.list(Priority.allCases.map(\.name))).")
      }
      actions.level = known
    }
    if !tags.isEmpty {
      guard tags.count <= RuleActions.tagsMax,
        tags.allSatisfy({ (1...RuleActions.tagBytesMax).contains($0.utf8.count) })
      else {
        throw ClientError(
          .usage,
          "A rule adds at most \(RuleActions.tagsMax) tags of 1 to \(RuleActions.tagBytesMax) bytes.",
          next: Self.consequence)
      }
      actions.tags = tags
    }
    if let group {
      guard !group.isEmpty else { throw invalid(group, "--group", "Use --without group.") }
      actions.group = group
    }
    if let app {
      guard AppName.isValid(app) else {
        throw invalid(app, "--move-to", "Use a host or a topic, such as noise.")
      }
      actions.app = app
    }
    if let collapse {
      guard let key = RepeatKey.allCases.first(where: { $0.word == collapse }) else {
        throw invalid(collapse, "--collapse", "Use \(Self.list(RepeatKey.words)).")
      }
      actions.collapse = key
    }
  }

  private func setSnooze(_ definition: inout RuleDefinition) throws(ClientError) {
    switch (snoozeSpan, snoozeEnd) {
    case (nil, nil): break
    case (let text?, nil):
      guard let span = RuleSnooze.span(text) else {
        throw invalid(text, "--snooze-for", "Use a span of at most 365 days, such as 15m or 2h.")
      }
      definition.actions.snooze = .for(span)
    case (nil, let text?):
      guard let time = LocalTime(text) else {
        throw invalid(text, "--snooze-until", "Use a time of day, such as 18:00.")
      }
      definition.actions.snooze = .until(time)
    case (_?, _?):
      throw ClientError(
        .usage, "Use --snooze-for or --snooze-until, not both.", next: Self.consequence)
    }
    let endsAtTime = if case .until? = definition.actions.snooze { true } else { false }
    if !endsAtTime { definition.timeZone = nil }
    guard let timeZone else { return }
    guard endsAtTime else {
      throw ClientError(
        .usage, "--time-zone needs --snooze-until.", next: Self.consequence)
    }
    guard SystemClock.wallClock.offsetSeconds(.distantPast, timeZone) != nil else {
      throw invalid(
        timeZone, "--time-zone", "Use a name from /usr/share/zoneinfo, such as Europe/Berlin.")
    }
    definition.timeZone = timeZone
  }

  private func invalid(_ text: String, _ what: String, _ form: String) -> ClientError {
    ClientError(
      .usage, "\"\(text.prefix(64))\" is not a valid \(what).", next: "\(Self.consequence) \(form)")
  }

  private static func list(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
  }
}
