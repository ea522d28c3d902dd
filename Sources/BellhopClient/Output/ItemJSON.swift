package import BellhopCache
package import BellhopModel
internal import BellhopText
internal import FoundationEssentials

/// An item as one line of `--json`. The keys are stable; the topic `watch` lists them.
package struct ItemJSON: Encodable {
  /// The number; nil for an item that the store has not sent yet.
  package var number: Int64?
  package var id: String
  package var account: String
  /// The app under which the item is listed. Group, level and tags are as listed, too.
  package var app: String
  package var appName: String?
  package var appNotificationId: String?
  package var group: String?
  package var title: String?
  package var subtitle: String?
  package var body: String?
  package var raw: String?
  package var priority: String
  package var tags: [String]
  /// The same fields as published; nil if no rule changed one of them.
  package var published: PublishedFields?
  /// The rules that set how the item is listed and announced; nil if there are none.
  package var rules: [RuleLine]?
  /// The number of its occurrences since it was last handled; nil for an item that does not repeat.
  package var repeatCount: Int?
  /// The times of the first and the last of these occurrences.
  package var repeatedFirst: String?
  package var repeatedLast: String?
  /// The time at which the alert was resolved, as its publisher says.
  package var resolved: String?
  package var url: String?
  package var category: String?
  package var userInfo: [String: InfoValue]?
  /// The environment; nil for production.
  package var environment: String?
  package var actions: [ContentExtras.Action]?
  package var placement: String
  package var read: Bool
  package var action: String
  package var snoozedUntil: String?
  package var pinned: Bool
  package var handledBy: String?
  package var handledAt: String?
  /// The action that handled the item. The title and the entered text follow.
  package var chosenAction: String?
  package var chosenTitle: String?
  package var chosenText: String?
  package var arrival: String
  package var deliverAt: String?
  package var trigger: Trigger?
  /// Whether the deliveries by the trigger were cancelled; nil without a trigger.
  package var cancelled: Bool?
  /// The latest and the next delivery by the trigger.
  package var lastOccurrence: String?
  package var nextOccurrence: String?
  package var created: String
  package var changed: String
  package var expires: String?
  package var waiting: Bool
  /// Descriptions of this device's changes that had no effect; only if a single item is shown.
  package var notDone: [String]?
  /// The time when the cache last matched the store; nil if it never did.
  package var synced: String?

  /// The keys, in the order in which they are printed.
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case number, id, account, app, appName, appNotificationId, group, title, subtitle, body, raw
    case priority, tags, published, rules, repeatCount, repeatedFirst, repeatedLast, resolved
    case url, category, userInfo, environment, actions, placement, read, action, snoozedUntil
    case pinned = "kept"
    case handledBy, handledAt, chosenAction, chosenTitle, chosenText, arrival, deliverAt
    case trigger, cancelled, lastOccurrence, nextOccurrence, created, changed, expires, waiting
    case notDone, synced
  }

  /// - Parameters:
  ///   - appName: The user's name for the app; nil for its host.
  ///   - categories: The categories from which the item's actions come, besides its own.
  package init(
    _ item: UserNotification, account: AccountName, appName: String?,
    categories: AppCategories = AppCategories(), isWaiting: Bool, at now: Timestamp
  ) {
    number = Self.number(item.shortNumber)
    id = item.id.description
    self.account = account.rawValue
    app = item.effectiveApp
    self.appName = appName
    appNotificationId = item.content.appNotificationID
    group = item.effectiveGroup
    title = item.content.visual?.title
    subtitle = item.content.visual?.subtitle
    body = item.content.visual?.body
    raw = item.content.raw
    priority = item.effectivePriority.name
    tags = item.effectiveTags
    published = PublishedFields(item)
    let rules = item.state.applied.value.rules.map { RuleLine($0) }
    self.rules = rules.isEmpty ? nil : rules
    repeatCount = item.repeats?.count
    repeatedFirst = item.repeats?.first.description
    repeatedLast = item.repeats?.last.description
    resolved = item.state.resolved?.description
    url = item.content.clickURL
    category = item.content.extras.category
    userInfo = item.content.extras.userInfo
    environment = item.content.extras.environment?.rawValue
    let actions = categories.actions(of: item)
    self.actions = actions.isEmpty ? nil : actions
    placement = Self.name(
      BellhopModel.placement(item, at: now, on: SystemClock.wallClock).placement)
    read = item.state.readState.value == .read
    let action = item.state.userActionState
    self.action = action.value.kind.rawValue
    snoozedUntil = action.value.snoozedUntil?.description
    pinned = item.state.pinned.value
    handledBy = action.change?.by.name
    handledAt = action.change?.at.description
    chosenAction = action.change?.choice?.id
    chosenTitle = action.change?.choice?.title
    chosenText = action.change?.choice?.text
    arrival = item.arrival.description
    deliverAt = item.content.deliverAt?.description
    trigger = item.content.trigger
    cancelled = trigger == nil ? nil : item.state.cancelled.value
    let times = item.triggerTimes(at: now, on: SystemClock.wallClock)
    lastOccurrence = times?.latest?.description
    nextOccurrence = times?.next?.description
    created = item.created.description
    changed = item.state.changed.description
    expires = item.expires?.description
    waiting = isWaiting
  }

  /// Returns the number as it is printed; nil for an item that has none yet.
  package static func number(_ shortNumber: Int64) -> Int64? {
    shortNumber == 0 ? nil : shortNumber
  }

  package static func name(_ placement: Placement) -> String {
    switch placement {
    case .scheduled: "scheduled"
    case .tray: "tray"
    case .snoozed: "snoozed"
    case .handled: "history"
    case .gone: "gone"
    }
  }
}

extension ItemJSON {
  /// The fields that rules can change, as their publisher wrote them.
  package struct PublishedFields: Encodable {
    package var app: String
    package var group: String?
    package var priority: String
    package var tags: [String]

    /// Returns nil if they are as the item is listed.
    init?(_ item: UserNotification) {
      let content = item.content
      guard item.effectiveContent != content else { return nil }
      app = content.app
      group = content.group
      priority = content.priority.name
      tags = content.tags
    }
  }

  /// A rule with an effect on an item.
  package struct RuleLine: Encodable {
    package var id: String
    package var name: String
    /// The parts of the effect that come from the rule, by the names that the store uses.
    package var set: [String]

    init(_ contribution: AppliedEffect.Contribution) {
      id = contribution.rule.id.description
      name = contribution.rule.name
      set = contribution.parts.map(\.rawValue)
    }
  }
}

/// One JSON object per line, safe to print on a terminal.
package enum JSONLine {
  /// Returns the line with sorted keys, without its line end.
  ///
  /// - Throws: ``ClientError`` if a value cannot be represented in JSON.
  package static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return SafeJSON.escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    } catch {
      throw ClientError(.software, "The value cannot be represented in JSON.")
    }
  }
}
