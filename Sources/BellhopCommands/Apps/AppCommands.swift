internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
package import BellhopModel
internal import BellhopSettings
internal import BellhopSync
internal import BellhopText

extension Commands {
  /// Runs `bellhop apps`, which lists the apps that have items here or were configured.
  ///
  /// - Throws: `ClientError`.
  package static func apps(_ context: ClientContext, isOffline: Bool, asJSON: Bool) throws {
    let access = try CacheAccess(context, startsStore: false)
    let synced = try access.freshen(isOffline: isOffline).synced
    let now = try access.storeTime()
    for row in try AppRow.all(in: try access.reader()) {
      if asJSON {
        var line = AppJSON(row, account: access.account.name, at: now)
        line.synced = synced?.description
        try StandardOutput.jsonLine(line)
      } else {
        StandardOutput.line(row.line(at: now, width: StandardOutput.width))
      }
    }
  }

  /// Runs `bellhop apps set`, which changes the cache immediately and lets the engine send the
  /// change.
  package static func setApp(
    _ context: ClientContext, app name: String, _ request: AppRequest, waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let freshness = try access.freshen(isOffline: false)
    let change = try request.change(now: try access.storeTime())
    // If the cache is behind the store, an app may only seem to be unknown.
    let app = try access.appName(name, mayBeNew: request.mayBeNew || freshness.delay != nil)
    try configure(access, app: app, change, waits: waits)
    var row = try appRow(access, app)
    if freshness.hasEngine, row?.isWaiting == true {
      // The running engine sends it now. Its next round shows whether the store has it.
      _ = try access.freshness(isOffline: false)
      row = try appRow(access, app)
    }
    if let row { StandardError.say(row.line(at: try access.storeTime(), width: nil)) }
  }

  /// Runs `bellhop apps new`, which shows or sets what apps may do that publish for the first time.
  package static func newApps(
    _ context: ClientContext, _ authorization: AppAuthorization?, waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    if let authorization {
      var change = AppSettingsChange()
      change.authorization = authorization
      try configure(access, app: AppSettings.everyApp, change, waits: waits)
    } else {
      _ = try access.freshen(isOffline: false)
    }
    let known = try access.newReader().appSettings(of: AppSettings.everyApp)?.authorization
    StandardOutput.line(SafeText("new apps: " + Self.newAppRule(known ?? .authorized)))
  }

  private static func newAppRule(_ authorization: AppAuthorization) -> String {
    switch authorization {
    case .notDetermined: "ask"
    case .denied: "never"
    case .provisional: "quiet"
    case .authorized: "allow"
    }
  }

  private static func appRow(_ access: CacheAccess, _ app: String) throws -> AppRow? {
    try AppRow.all(in: try access.newReader()).first { $0.settings.app == app }
  }

  /// Changes settings of an app in the cache and sends the change. `bellhop undo` reverts it.
  ///
  /// - Throws: `ClientError`, also if the store refuses the change.
  static func configure(
    _ access: CacheAccess, app: String, _ change: AppSettingsChange, waits: Bool
  ) throws {
    let context = access.context
    let now = try access.storeTime()
    let operation = Operation(id: context.newID(), target: .app(app), mutation: .configure(change))
    let before = try access.newReader().appSettings(of: app) ?? AppSettings(app: app)
    var made = CommandChange(summary: summary(of: change, app: app))
    if change.applied(to: before) != before {
      made.subject = app == AppSettings.everyApp ? "all apps" : before.name
      made.settings = operation
      made.undo = [
        Operation(
          id: context.newID(), target: .app(app), mutation: .configure(change.values(of: before)))
      ]
    }
    try failing { try access.storage().enqueue([operation], remembering: made, now: now) }
    let rejected = try send(access, waits: waits, operations: [operation])
    let result = rejected.first { $0.operation.id == operation.id }?.result
    if case .unacceptable(let fault) = result {
      // If this fails, the next screen reports it again.
      try? access.storage().markReported([operation.id])
      try? access.storage().forgetCommandChange(of: operation.id)
      throw ClientError(
        .badData, "Not set: \(RejectionText.words(fault))", next: "Nothing was changed.")
    }
  }

  /// Returns a phrase such as `changed the settings of ci.example.com`, without a period.
  private static func summary(of change: AppSettingsChange, app: String) -> String {
    guard app == AppSettings.everyApp else { return "changed the settings of \(app.prefix(64))" }
    if change.authorization != nil { return "changed what new apps may do" }
    if change.timeZone != nil { return "changed the time zone of requests" }
    if change.places != nil { return "changed your places" }
    return change.mute == nil ? "changed your quiet hours" : "changed do-not-disturb"
  }
}

extension CacheAccess {
  /// Returns the app that the user names by its host, its topic or an alias.
  ///
  /// - Parameter mayBeNew: Whether to accept an app that has not published yet.
  /// - Throws: `ClientError` with exit code 64 if the name is not valid, and 66 if the app is not
  ///   known here.
  fileprivate func appName(_ name: String, mayBeNew: Bool) throws -> String {
    guard AppName.isValid(name) else {
      throw ClientError(
        .usage, "\"\(name.prefix(64))\" is not a valid app.",
        next: "Nothing was changed. Use a host or a topic, such as ci.example.com; bellhop apps "
          + "lists them.")
    }
    let settings = try reader().appSettings()
    if settings.contains(where: { $0.app == name }) { return name }
    if let app = settings.first(where: { $0.aliases.contains(name) })?.app { return app }
    let known = try AppRow.all(in: reader()).map(\.settings)
    guard !mayBeNew, !known.contains(where: { $0.app == name }) else { return name }
    let names = known.flatMap { [$0.app] + $0.aliases }
    let meant = Spelling.nearest(name, in: names).map { " Did you mean \($0)?" } ?? ""
    throw ClientError(
      .noSuchItem, "\"\(name)\" is not a known app.\(meant)",
      next: "Nothing was changed. bellhop apps lists the apps; --new sets up one that has not "
        + "published yet.")
  }
}

/// The syntax of app names as publishers write them.
enum AppName {
  private static let bytesMax = 253

  /// Whether the text is a valid host or topic of an app.
  static func isValid(_ name: String) -> Bool {
    (1...bytesMax).contains(name.utf8.count)
      && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part.isASCIIAlphanumeric(or: "-_")
      }
  }
}

/// An app with its settings and the number of its items here.
struct AppRow {
  var settings: AppSettings
  var totals = CacheTotals()
  /// Whether a change of the settings waits in the outbox.
  var isWaiting = false

  private static let nameCells = 24
  private static let countCells = 24

  /// Returns the apps with items or settings, sorted by name.
  static func all(in reader: CacheReader) throws -> [AppRow] {
    var rows: [String: AppRow] = [:]
    for settings in try reader.appSettings() { rows[settings.app] = AppRow(settings: settings) }
    for summary in try reader.apps() {
      rows[summary.app, default: AppRow(settings: AppSettings(app: summary.app))].totals =
        summary.totals
    }
    for app in try reader.appsWithPendingSettings() { rows[app]?.isWaiting = true }
    rows[AppSettings.everyApp] = nil
    return rows.values.filter { $0.isListed }.sorted { $0.settings.app < $1.settings.app }
  }

  /// Whether the app has items or settings. Counters of an app without items remain at zero.
  private var isListed: Bool {
    settings != AppSettings(app: settings.app) || itemCount > 0
  }

  private var itemCount: Int { totals.history.count + totals.scheduled.count }

  func line(at now: Timestamp, width: Int?) -> SafeText {
    var facts: [String] = []
    if settings.displayName != nil { facts.append(settings.app) }
    if !settings.aliases.isEmpty {
      facts.append("also " + settings.aliases.joined(separator: ", "))
    }
    switch settings.authorization {
    case .notDetermined: facts.append("new, silent until you decide")
    case .denied: facts.append("may not publish")
    case .provisional: facts.append("arrives silently")
    case .authorized: break
    }
    if let badge = settings.badge, badge > 0 { facts.append("badge \(badge)") }
    switch settings.mute {
    case .forever: facts.append("muted")
    case .until(let end) where end > now: facts.append("muted until " + MomentText.localTime(end))
    case .until, .off: break
    }
    if let hours = settings.quietHours { facts.append("quiet " + hours.words) }
    facts += [
      ("alert", settings.permissions.alert), ("sound", settings.permissions.sound),
      ("badge", settings.permissions.badge),
    ].filter { !$0.1 }.map { "no " + $0.0 }
    switch settings.whenFocused {
    case .list: break
    case .line: facts.append("shows a line when focused")
    case .ring: facts.append("rings when focused")
    }
    if let days = settings.retentionDays {
      facts.append("retention " + days.counted("day"))
    }
    switch settings.responses {
    case .none: facts.append("no responses")
    case .actions: break
    case .all: facts.append("all responses")
    }
    if settings.usesPlaces { facts.append("places") }
    switch settings.repeatKey {
    case nil: break
    case .exact: facts.append("collapses repeats")
    case .ignoringNumbers: facts.append("collapses repeats, ignoring numbers")
    }
    switch settings.resolutions {
    case .mark: break
    case .publish: facts.append("resolutions as items")
    }
    if isWaiting { facts.append("not sent yet") }
    let counts = "\(totals.tray.count) in tray, \(itemCount) in all"
    var columns = SafeText(settings.name, byteLimit: 256).padded(to: Self.nameCells) + " "
    if facts.isEmpty {
      columns = columns + SafeText(counts)
    } else {
      columns =
        columns + SafeText(counts).padded(to: Self.countCells) + " "
        + SafeText(facts.joined(separator: " · "), byteLimit: 1024)
    }
    guard let width else { return columns }
    return columns.truncated(to: width)
  }
}

/// An app as one line of `--json`. The keys are stable; the topic `watch` lists them.
private struct AppJSON: Encodable {
  var account: String
  var app: String
  var name: String
  var aliases: [String]
  var mute: String
  var mutedUntil: String?
  var muted: Bool
  var authorization: String
  var alert: Bool
  var sound: Bool
  var badge: Bool
  /// The number that the app shows as its badge.
  var badgeNumber: Int?
  var whenFocused: String
  var quietFrom: String?
  var quietTo: String?
  var quietDays: [String]?
  var timeZone: String?
  var retentionDays: Int?
  var responses: String
  var places: Bool
  var repeats: String
  var ignoreNumbers: Bool
  var resolutions: String
  var tray: Int
  var unread: Int
  /// The number of handled items. The JSON member keeps its first name.
  var history: Int
  var snoozed: Int
  var scheduled: Int
  var waiting: Bool
  /// The time when the cache last matched the store; nil if it never did.
  var synced: String?

  init(_ row: AppRow, account: AccountName, at now: Timestamp) {
    let (settings, totals) = (row.settings, row.totals)
    self.account = account.rawValue
    app = settings.app
    name = settings.name
    aliases = settings.aliases
    mute = settings.mute.kind.rawValue
    mutedUntil = settings.mute.end?.description
    muted = settings.mute.holds(at: now)
    alert = settings.permissions.alert
    sound = settings.permissions.sound
    badge = settings.permissions.badge
    authorization = settings.authorization.rawValue
    badgeNumber = settings.badge
    whenFocused = settings.whenFocused.rawValue
    quietFrom = settings.quietHours?.from.description
    quietTo = settings.quietHours?.to.description
    quietDays = settings.quietHours.map { hours in
      Weekday.allCases.filter(hours.days.contains).map(\.rawValue)
    }
    timeZone = settings.quietHours?.timeZone
    retentionDays = settings.retentionDays
    responses = settings.responses.rawValue
    places = settings.usesPlaces
    repeats = settings.repeats.rawValue
    ignoreNumbers = settings.repeatsIgnoreNumbers
    resolutions = settings.resolutions.rawValue
    tray = totals.tray.count
    unread = totals.tray.unread
    history = totals.handled.count
    snoozed = totals.snoozed.count
    scheduled = totals.scheduled.count
    waiting = row.isWaiting
  }
}
