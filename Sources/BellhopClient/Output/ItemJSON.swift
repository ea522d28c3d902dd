internal import BellhopModel
internal import BellhopText
internal import FoundationEssentials

/// An item as one line of `--json`. The keys are a promise; the README lists them.
struct ItemJSON: Encodable {
  var number: Int64
  var id: String
  var account: String
  var app: String
  var appName: String?
  var appNotificationId: String?
  var group: String?
  var title: String?
  var subtitle: String?
  var body: String?
  var raw: String?
  var priority: String
  var tags: [String]
  var url: String?
  var actions: [ContentExtras.Action]?
  var placement: String
  var read: Bool
  var action: String
  var snoozedUntil: String?
  var kept: Bool
  var handledBy: String?
  var handledAt: String?
  /// The action by which it was handled, and what was typed.
  var chosenAction: String?
  var chosenTitle: String?
  var chosenText: String?
  var arrival: String
  var deliverAt: String?
  var created: String
  var changed: String
  var expires: String?
  var waiting: Bool
  /// Changes of this device's that did not come to anything, in words; only where one item is shown.
  var notDone: [String]?
  /// When the cache last equalled the store; nil where it never did.
  var synced: String?

  /// The keys, in the order in which the README lists them.
  enum CodingKeys: String, CodingKey, CaseIterable {
    case number, id, account, app, appName, appNotificationId, group, title, subtitle, body, raw
    case priority, tags, url, actions, placement, read, action, snoozedUntil, kept, handledBy
    case handledAt, chosenAction, chosenTitle, chosenText, arrival, deliverAt, created, changed
    case expires, waiting, notDone, synced
  }

  /// - Parameter appName: what the person calls the app; nil for its host.
  init(
    _ item: UserNotification, account: AccountName, appName: String?, isWaiting: Bool,
    at now: Timestamp
  ) {
    number = item.shortNumber
    id = item.id.description
    self.account = account.rawValue
    app = item.content.app
    self.appName = appName
    appNotificationId = item.content.appNotificationID
    group = item.content.group
    title = item.content.visual?.title
    subtitle = item.content.visual?.subtitle
    body = item.content.visual?.body
    raw = item.content.raw
    priority = item.content.priority.name
    tags = item.content.tags
    url = item.content.clickURL
    actions = item.content.extras.actions
    placement = Self.name(BellhopModel.placement(item, at: now).placement)
    read = item.state.readState.value == .read
    let action = item.state.userActionState
    self.action = action.value.kind.rawValue
    snoozedUntil = action.value.snoozedUntil?.description
    kept = item.state.kept.value
    handledBy = action.change?.by.name
    handledAt = action.change?.at.description
    chosenAction = action.change?.choice?.id
    chosenTitle = action.change?.choice?.title
    chosenText = action.change?.choice?.text
    arrival = item.arrival.description
    deliverAt = item.content.deliverAt?.description
    created = item.created.description
    changed = item.state.changed.description
    expires = item.expires?.description
    waiting = isWaiting
  }

  static func name(_ placement: Placement) -> String {
    switch placement {
    case .scheduled: "scheduled"
    case .tray: "tray"
    case .snoozed: "snoozed"
    case .history: "history"
    case .gone: "gone"
    }
  }
}

/// One JSON object a line, safe to print on a terminal.
enum JSONLine {
  /// The line, keys sorted, without its end.
  ///
  /// - Throws: ``ClientError`` when a value has no JSON form.
  static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return SafeJSON.escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    } catch {
      throw ClientError(.software, "Something of it cannot be written as JSON.")
    }
  }
}
