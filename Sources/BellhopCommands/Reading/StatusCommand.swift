internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText

extension Commands {
  /// An account as `bellhop status --json` prints it. The topic `watch` lists the keys.
  private struct StatusLine: Encodable {
    var account: String
    var url: String
    var tray: Int
    var unread: Int
    /// The sum of the apps' badges: the number in the window's title.
    var badge: Int
    var snoozed: Int
    var scheduled: Int
    var kept: Int
    var waiting: Int
    /// The state of do-not-disturb: `off`, `on` until it is turned off, or a time.
    var doNotDisturb: String
    var quiet: Bool
    var connection: String
    var problem: String?
    /// The time when the cache last matched the store; nil if it never did.
    var synced: String?
  }

  /// Runs `bellhop status`, which prints counts and the state of the connection to the store.
  ///
  /// - Throws: `ClientError`. It has exit code 77, after everything is printed, if the store no
  ///   longer accepts this device.
  package static func status(
    _ context: ClientContext, isOfAllAccounts: Bool = false, isOffline: Bool, asJSON: Bool
  ) throws {
    var signedOut: [Account] = []
    for (index, access) in try CacheAccess.chosen(context, all: isOfAllAccounts).enumerated() {
      if index > 0, !asJSON { StandardOutput.line("") }
      let freshness = try access.freshen(isOffline: isOffline, warns: false)
      try status(access, freshness, asJSON: asJSON)
      if freshness.needsSignIn { signedOut.append(access.account) }
    }
    guard let account = signedOut.first else { return }
    throw ClientError(
      .notAllowed, "The account \(account.name) is signed out on this device.",
      next: "Your local data can still be read. To sign in again: bellhop login \(account.url)")
  }

  private static func status(
    _ access: CacheAccess, _ freshness: Freshness, asJSON: Bool
  ) throws {
    let totals = try access.reader().totals()
    let shares = try access.reader().badgeShares()
    let attention = try Attention(access)
    let line = StatusLine(
      account: access.account.name.rawValue, url: access.account.url, tray: totals.tray.count,
      unread: totals.tray.unread, badge: shares.badge(ofUnread: totals.tray.unread),
      snoozed: totals.snoozed.count,
      scheduled: totals.scheduled.count,
      kept: totals.history.count,
      waiting: try access.reader().outboxCounts().unsent,
      doNotDisturb: attention.word, quiet: attention.silence != .none,
      connection: word(for: freshness, access),
      problem: freshness.connection?.isSignedOut == true ? nil : freshness.problem,
      synced: freshness.synced?.description)
    guard !asJSON else { return try StandardOutput.jsonLine(line) }
    let now = try access.storeTime()
    let synced = freshness.synced.map { MomentText.moment($0, now: now) } ?? "never"
    for (label, value) in [
      ("account", "\(line.account) (\(line.url))"),
      ("tray", "\(line.tray), \(line.unread) unread"),
      ("later", "\(line.snoozed + line.scheduled)"),
      ("in all", "\(line.kept)"),
      ("ringing", attention.sentence),
      ("not sent", "\(line.waiting)"),
      ("synced", synced),
      ("connection", line.connection + (line.problem.map { ": \($0)" } ?? "")),
    ] {
      StandardOutput.line(SafeText(label).padded(to: 12) + SafeText(value))
    }
  }

  private static func word(for freshness: Freshness, _ access: CacheAccess) -> String {
    let url = access.account.url
    guard let connection = freshness.connection else {
      return freshness.hasEngine ? "the running bellhop does not answer" : notSyncing
    }
    switch connection {
    case .offline, .signInAgain, .signedOut, .firstSync: return word(for: connection, url: url)
    case .connecting, .live, .polling:
      if freshness.hasEngine { return word(for: connection, url: url) }
      return freshness.delay?.words ?? notSyncing
    }
  }

  private static let notSyncing = "not syncing (open bellhop, or run bellhop agent)"

  private static func word(for state: ConnectionState, url: String) -> String {
    switch state {
    case .connecting: "connecting"
    case .live: "live"
    case .polling(let interval): "polling every \(interval.components.seconds) s"
    case .firstSync(let received, let total):
      "first synchronisation, \(received)" + (total.map { " of \($0)" } ?? " so far")
    case .offline(let since): "offline since \(MomentText.localTime(since))"
    case .signInAgain: "sign in again: bellhop login \(url)"
    case .signedOut(let by, let at):
      "signed out by \(by ?? "the store's administrator"), \(MomentText.localTime(at)); "
        + "bellhop login \(url) signs in again"
    }
  }
}

extension ConnectionState {
  /// Whether the state names what signed this device out, so that no reason needs to follow.
  fileprivate var isSignedOut: Bool {
    if case .signedOut = self { true } else { false }
  }
}
