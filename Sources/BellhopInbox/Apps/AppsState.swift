import BellhopModel

/// The apps known to the screen, with the cursor among them.
struct AppsState: Sendable {
  /// The user's settings for the apps of one account, as its cache shows them.
  struct Known: Sendable {
    var settings: [String: AppSettings]
    /// The apps with a change that has not been sent yet.
    var waiting: Set<String>
  }

  /// A change of settings that ``known`` may not contain yet.
  struct Pending: Sendable {
    var operation: OperationID
    var key: AppKey
    var change: AppSettingsChange
    /// Whether the change is committed to the cache.
    var isCommitted = false
  }

  /// The maximum number of rows, more than users look through; the rest is shown as a number.
  static let rowsMax = 2_000

  /// The apps of the shown accounts, most recently seen first.
  private(set) var rows: [AppOverview] = []
  /// The number of apps beyond ``rows``.
  private(set) var omitted = 0
  private(set) var isLoaded = false
  var isStale = true
  var outstanding: Int?
  /// The app under the cursor, which stays on it when rows move.
  private(set) var cursor: AppKey?
  private(set) var top = 0

  /// The settings by account; a missing account has not been read yet.
  private(set) var known: [AccountName: Known] = [:]
  private(set) var pending: [Pending] = []
  /// The active and timed mutes by app, which the lists mark.
  private(set) var mutes: [AppKey: Mute] = [:]
  private var overviews: [AppOverview] = []
  /// The new apps about which the user has to decide, in the order in which they came.
  private(set) var undecided: [AppKey] = []
  /// The new apps about which the user does not want to decide now.
  private var postponed: Set<AppKey> = []

  // MARK: - New apps

  mutating func postponeUndecided() {
    postponed.formUnion(undecided)
    undecided = []
  }

  private mutating func noteUndecided() {
    let open = known.flatMap { account, known in
      known.settings.values.filter { $0.authorization == .notDetermined && !$0.areOfEveryApp }
        .map { (key: AppKey(account: account, app: $0.app), sequence: $0.sequence) }
    }
    undecided = open.sorted { ($0.sequence, $0.key.app) < ($1.sequence, $1.key.app) }.map(\.key)
      .filter { settings(of: $0).authorization == .notDetermined && !postponed.contains($0) }
  }

  // MARK: - Settings

  /// Returns the user's settings for an app, or the defaults.
  func settings(of key: AppKey) -> AppSettings {
    let base = known[key.account]?.settings[key.app] ?? AppSettings(app: key.app)
    return pending.reduce(base) { $1.key == key ? $1.change.applied(to: $0) : $0 }
  }

  /// Whether a change of the app's settings has not been sent yet.
  func isWaiting(_ key: AppKey) -> Bool {
    known[key.account]?.waiting.contains(key.app) == true || pending.contains { $0.key == key }
  }

  func isMuted(_ key: AppKey, at now: Timestamp) -> Bool { mutes[key]?.holds(at: now) ?? false }

  /// Accepts the settings from a cache, which include every change committed before.
  mutating func accept(_ settings: [AppSettings], waiting: Set<String>, of account: AccountName) {
    let known = Known(
      settings: settings.reduce(into: [:]) { $0[$1.app] = $1 }, waiting: waiting)
    self.known[account] = known
    pending.removeAll { $0.key.account == account && $0.isCommitted }
    noteMutes()
    noteUndecided()
  }

  /// Shows a change immediately.
  mutating func add(_ change: Pending) {
    pending.append(change)
    noteMutes()
    noteUndecided()
  }

  mutating func commit(_ operations: [OperationID]) {
    for index in pending.indices where operations.contains(pending[index].operation) {
      pending[index].isCommitted = true
    }
  }

  mutating func takeBack(_ operations: [OperationID]) {
    pending.removeAll { operations.contains($0.operation) }
    noteMutes()
    noteUndecided()
  }

  private mutating func noteMutes() {
    mutes = [:]
    for (account, known) in known {
      for (app, settings) in known.settings where settings.mute != .off {
        mutes[AppKey(account: account, app: app)] = settings.mute
      }
    }
    for change in pending {
      if let mute = change.change.mute { mutes[change.key] = mute == .off ? nil : mute }
    }
  }

  // MARK: - Rows

  /// Accepts the counts of the caches.
  mutating func accept(_ overviews: [AppOverview]) {
    outstanding = nil
    isLoaded = true
    self.overviews = overviews
  }

  /// Sorts the rows of an account, or of all.
  mutating func arrange(_ account: AccountName?) {
    // Place the cursor on the first of all apps, not on the first one that happens to be known.
    guard isLoaded else { return }
    var all: [AppKey: AppOverview] = [:]
    for overview in overviews where account == nil || overview.key.account == account {
      all[overview.key] = overview
    }
    for (name, known) in known where account == nil || name == account {
      for (app, settings) in known.settings {
        let key = AppKey(account: name, app: app)
        // An app with settings is shown even before its first item arrives.
        guard all[key] == nil, settings != AppSettings(app: app, sequence: settings.sequence)
        else { continue }
        all[key] = AppOverview(key: key)
      }
    }
    let sorted = all.values.sorted { left, right in
      let (seen, other) = (left.lastSeen ?? .distantPast, right.lastSeen ?? .distantPast)
      if seen != other { return seen > other }
      return (left.key.app, left.key.account) < (right.key.app, right.key.account)
    }
    let before = cursorIndex ?? 0
    rows = Array(sorted.prefix(Self.rowsMax))
    omitted = sorted.count - rows.count
    if cursorIndex == nil {
      cursor = rows.isEmpty ? nil : rows[min(before, rows.count - 1)].key
    }
  }

  /// Discards the rows, because the screen shows another account.
  mutating func leaveRows() {
    (overviews, rows, isLoaded, outstanding, isStale) = ([], [], false, nil, true)
    (cursor, top) = (nil, 0)
  }

  // MARK: - The cursor

  var cursorIndex: Int? { cursor.flatMap { key in rows.firstIndex { $0.key == key } } }

  mutating func setCursor(_ index: Int) {
    guard rows.indices.contains(index) else { return }
    cursor = rows[index].key
  }

  mutating func move(by step: Int) {
    guard !rows.isEmpty else { return }
    setCursor(min(max(0, (cursorIndex ?? 0) + step), rows.count - 1))
  }

  /// Keeps the cursor visible.
  mutating func settleView(height: Int) {
    let height = max(1, height)
    let index = cursorIndex ?? 0
    top = min(max(top, index - height + 1), index)
    top = max(0, min(top, rows.count - height))
  }
}
