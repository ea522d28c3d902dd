internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopKit
internal import BellhopModel
internal import BellhopText

/// The output of `bellhop watch` for changes.
struct WatchLines {
  private let account: AccountName
  private let names: [String: String]
  private let categories: AppCategories
  private let now: Timestamp
  private let width: Int?

  /// The longest body. The environment has room for a summary, not for a whole text.
  private static let bodyCharactersMax = 4096

  init(_ access: CacheAccess) throws {
    account = access.account.name
    let reader = try access.reader()
    names = try reader.displayNames()
    categories = try reader.categories()
    now = try access.storeTime()
    width = StandardOutput.width
  }

  /// Returns a line for users.
  func text(_ change: NotificationChange) -> String {
    switch change {
    case .active(let item):
      return ItemLine.text(
        item.notification, appName: names[item.notification.effectiveApp], at: now, width: width
      ).string
    case .deleted(let item):
      let number = ItemNumber.text(item.shortNumber)
      return SafeText("\(number) deleted \(names[item.effectiveApp] ?? item.effectiveApp)").string
    }
  }

  /// Returns the item's keys, as in `bellhop list --json`, and `status`.
  func json(_ change: NotificationChange) throws -> String {
    switch change {
    case .active(let item):
      return try JSONLine.encode(Active(status: "active", item: line(item)))
    case .deleted(let item):
      return try JSONLine.encode(
        Deleted(
          status: "deleted", number: ItemJSON.number(item.shortNumber), id: item.id.description,
          account: account.rawValue, app: item.effectiveApp, appName: names[item.effectiveApp],
          appNotificationId: item.appNotificationID, group: item.effectiveGroup))
    }
  }

  /// Returns the environment variables of a command.
  ///
  /// They are cleaned in the same way as the input of a command by `|`, because they end up on
  /// terminals and in the arguments of other programs.
  func variables(_ change: NotificationChange) throws -> [String: String] {
    var variables: [String: String?] = [
      "STATUS": change.status.rawValue, "ID": change.id.description, "ACCOUNT": account.rawValue,
    ]
    switch change {
    case .active(let item):
      let line = line(item)
      variables.merge([
        "NUMBER": line.number.map { "\($0)" }, "APP": line.app, "GROUP": line.group,
        "TITLE": line.title,
        "BODY": line.body.map { String($0.prefix(Self.bodyCharactersMax)) },
        "PRIORITY": line.priority, "PLACEMENT": line.placement, "READ": "\(line.read)",
        "ACTION": line.action, "URL": line.url,
      ]) { $1 }
    case .deleted(let item):
      variables.merge([
        "NUMBER": ItemJSON.number(item.shortNumber).map { "\($0)" }, "APP": item.effectiveApp,
        "GROUP": item.effectiveGroup,
      ]) { $1 }
    }
    return variables.reduce(into: [:]) { variables, entry in
      variables["BELLHOP_" + entry.key] = entry.value.map(ItemText.cleaned)
    }
  }

  private func line(_ item: FeedNotification) -> ItemJSON {
    var line = ItemJSON(
      item.notification, account: account, appName: names[item.notification.effectiveApp],
      categories: categories, isWaiting: item.isPending, at: now)
    // A delete that waits in the outbox.
    if item.placement == .gone { line.placement = ItemJSON.name(.gone) }
    return line
  }

  private struct Active: Encodable {
    enum CodingKeys: CodingKey { case status }
    var status: String
    var item: ItemJSON

    func encode(to encoder: any Encoder) throws {
      try item.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(status, forKey: .status)
    }
  }

  private struct Deleted: Encodable {
    var status: String
    var number: Int64?
    var id: String
    var account: String
    var app: String
    var appName: String?
    var appNotificationId: String?
    var group: String?
  }
}
