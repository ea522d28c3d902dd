internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

extension Commands {
  private static let rhythmCells = 28
  private static let appCells = 16
  private static let timeCells = 16
  /// The number of rows read at a time.
  private static let pageRows = 256

  /// Runs `bellhop requests`, which lists the items that will be delivered, soonest first.
  ///
  /// - Parameter app: The name of an app, or the user's name for it; nil for all apps.
  /// - Throws: `ClientError`.
  package static func requests(
    _ context: ClientContext, app: String?, isOffline: Bool, asJSON: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let synced = try access.freshen(isOffline: isOffline).synced
    let reader = try access.reader()
    let names = try reader.displayNames()
    let categories = try reader.categories()
    let hosts = app.map { name in [name] + names.filter { $0.value == name }.keys }
    let now = try access.storeTime()
    var (window, count) = (BellhopCache.ListWindow.first, 0)
    while true {
      let page = try failing { try reader.rows(of: .later, window, limit: pageRows) }
      for row in page where hosts?.contains(row.app) != false {
        // Snoozed items stand in the same list. They are delivered again only with a trigger.
        guard row.nextOccurrence != nil || row.placement == .scheduled,
          let item = try failing({ try reader.item(row.id) }), let next = row.due
        else { continue }
        count += 1
        if asJSON {
          var line = ItemJSON(
            item.notification, account: access.account.name, appName: names[row.app],
            categories: categories, isWaiting: item.isPending, at: now)
          line.synced = synced?.description
          try StandardOutput.jsonLine(line)
        } else {
          StandardOutput.line(
            requestLine(row, item, appName: names[row.app], next: row.nextOccurrence ?? next))
        }
      }
      guard page.count == pageRows, let last = page.last else { break }
      window = .below(last.position(in: .later))
    }
    if count == 0, !asJSON, StandardOutput.isTerminal {
      StandardError.say("Nothing will be delivered.")
    }
  }

  /// Runs `bellhop requests zone`, which shows or sets the user's time zone at the store.
  ///
  /// - Parameter name: The zone's name, or `store` for the store's own; nil to show the setting.
  /// - Throws: `ClientError`, also for a zone that this machine or the store does not know.
  package static func requestZone(
    _ context: ClientContext, _ name: String?, waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    if let name {
      var change = AppSettingsChange()
      if name == "store" {
        change.timeZone = .clear
      } else {
        guard !name.isEmpty, SystemClock.knows(zone: name) else {
          throw ClientError(
            .usage, "\"\(name.prefix(64))\" is not a known time zone.",
            next: "Nothing was changed. Use a name from /usr/share/zoneinfo, such as "
              + "Europe/Berlin, or store.")
        }
        change.timeZone = .set(name)
      }
      try configure(access, app: AppSettings.everyApp, change, waits: waits)
    } else {
      _ = try access.freshen(isOffline: false)
    }
    let known = try access.newReader().appSettings(of: AppSettings.everyApp)?.timeZone
    StandardOutput.line(SafeText("time zone of requests: " + (known ?? "store")))
  }

  /// Returns a line such as `2026-11-30 09:00  #12  every 2 h  ci  tidy up`.
  private static func requestLine(
    _ row: CachedRow, _ item: CachedItem, appName: String?, next: Timestamp
  ) -> SafeText {
    let rhythm: SafeText = item.notification.content.trigger.map(TriggerText.phrase) ?? "once"
    let app = SafeText(appName ?? row.app).truncated(to: appCells).padded(to: appCells)
    let number = SafeText(ItemNumber.text(row.shortNumber)).padded(to: 7) + " "
    let isKnown = next != Occurrence.unknownTime
    let time = SafeText(isKnown ? MomentText.localTime(next) : "at a place")
    let line =
      time.padded(to: timeCells) + "  " + number + rhythm.padded(to: rhythmCells) + " "
      + app + " " + SafeText(row.hasVisualContent ? row.title : "data")
    return StandardOutput.width.map { line.truncated(to: $0) } ?? line
  }

  /// Runs `bellhop requests cancel` and `resume`.
  ///
  /// An item that was never delivered is deleted: nothing of it would be left to see.
  ///
  /// - Throws: `ClientError` that names the first item that has no deliveries to cancel or resume.
  package static func changeRequests(
    _ context: ClientContext, isCancelled: Bool, names: [String], waits: Bool
  ) throws {
    let command: ItemCommand = isCancelled ? .cancel : .resume
    try change(context, command, names: names, waits: waits) { item in
      let label = item.notification.numberOrID
      let isKnown = item.notification.state.cancelled.value
      if item.placement == .scheduled, isCancelled { return .delete }
      guard item.notification.content.trigger != nil, isKnown || item.nextOccurrence != nil else {
        throw ClientError(
          .usage, "\(label) has no deliveries to \(isCancelled ? "cancel" : "resume").",
          next: "See bellhop requests. Nothing was changed.")
      }
      return command
    }
  }
}
