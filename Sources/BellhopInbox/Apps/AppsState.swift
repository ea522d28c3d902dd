import BellhopModel

/// What the screen knows of the apps, and where the person is among them.
struct AppsState: Sendable {
  /// What the person wants of the apps of one account, as its cache shows it.
  struct Known: Sendable {
    var settings: [String: AppSettings]
    /// Those with a change that waits to be sent.
    var waiting: Set<String>
  }

  /// A change of settings that may not be in ``known`` yet.
  struct Pending: Sendable {
    var operation: OperationID
    var key: AppKey
    var change: AppSettingsChange
    /// Whether the cache has it.
    var isCommitted = false
  }

  /// More apps than anybody looks through; the rest is told as a number.
  static let rowsMax = 2_000

  /// The apps of the shown accounts, the last seen first.
  private(set) var rows: [AppOverview] = []
  /// How many there are beyond ``rows``.
  private(set) var omitted = 0
  private(set) var isLoaded = false
  var isStale = true
  var outstanding: Int?
  /// The cursor belongs to an app, wherever others go.
  private(set) var cursor: AppKey?
  private(set) var top = 0

  /// By account; one that is missing has not been read yet.
  private(set) var known: [AccountName: Known] = [:]
  private(set) var pending: [Pending] = []
  /// Mutes that hold or will end, by app: what the lists mark.
  private(set) var mutes: [AppKey: Mute] = [:]
  private var overviews: [AppOverview] = []
  /// What the person is told of an app that is new.
  var question: AppQuestion?
  /// New apps of which the person is still to be told.
  private var unasked: [AppKey] = []
  /// More new apps at once are nobody's question.
  private static let unaskedMax = 100

  // MARK: - New apps

  mutating func note(unasked key: AppKey) {
    guard unasked.count < Self.unaskedMax, !unasked.contains(key) else { return }
    unasked.append(key)
  }

  /// The new apps of which it is known by now that nobody has decided what they may do.
  mutating func takeUndecided() -> [AppKey] {
    let ready = unasked.filter { known[$0.account] != nil }
    unasked.removeAll { known[$0.account] != nil }
    return ready.filter { key in
      known[key.account]?.settings[key.app] == nil && !pending.contains { $0.key == key }
    }
  }

  // MARK: - Settings

  /// What the person wants of an app: as everybody has it until they say otherwise.
  func settings(of key: AppKey) -> AppSettings {
    let base = known[key.account]?.settings[key.app] ?? AppSettings(app: key.app)
    return pending.reduce(base) { $1.key == key ? $1.change.applied(to: $0) : $0 }
  }

  /// Whether a change of its settings is still to be sent.
  func isWaiting(_ key: AppKey) -> Bool {
    known[key.account]?.waiting.contains(key.app) == true || pending.contains { $0.key == key }
  }

  func isMuted(_ key: AppKey, at now: Timestamp) -> Bool { mutes[key]?.holds(at: now) ?? false }

  /// Takes in the settings as a cache shows them: with every change that was committed before.
  mutating func accept(_ settings: [AppSettings], waiting: Set<String>, of account: AccountName) {
    let known = Known(
      settings: settings.reduce(into: [:]) { $0[$1.app] = $1 }, waiting: waiting)
    self.known[account] = known
    pending.removeAll { $0.key.account == account && $0.isCommitted }
    // Somebody has decided elsewhere.
    if let key = question?.key, known.settings[key.app] != nil,
      key.account == account, self.settings(of: key).permissions != AppPermissions()
    {
      question = nil
    }
    noteMutes()
  }

  /// Shows a change at once.
  mutating func add(_ change: Pending) {
    pending.append(change)
    noteMutes()
  }

  mutating func commit(_ operations: [OperationID]) {
    for index in pending.indices where operations.contains(pending[index].operation) {
      pending[index].isCommitted = true
    }
  }

  mutating func takeBack(_ operations: [OperationID]) {
    pending.removeAll { operations.contains($0.operation) }
    noteMutes()
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

  /// Takes in what the caches count.
  mutating func accept(_ overviews: [AppOverview]) {
    outstanding = nil
    isLoaded = true
    self.overviews = overviews
  }

  /// Puts the rows of an account, or of all, in their order.
  mutating func arrange(_ account: AccountName?) {
    // The cursor begins at the first of all, not of those that happen to be known.
    guard isLoaded else { return }
    var all: [AppKey: AppOverview] = [:]
    for overview in overviews where account == nil || overview.key.account == account {
      all[overview.key] = overview
    }
    for (name, known) in known where account == nil || name == account {
      for (app, settings) in known.settings {
        let key = AppKey(account: name, app: app)
        // Whoever was configured is shown even before anything of it arrives.
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

  /// Forgets the rows, because others are wanted.
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

  /// Keeps the cursor among what is drawn.
  mutating func settleView(height: Int) {
    let height = max(1, height)
    let index = cursorIndex ?? 0
    top = min(max(top, index - height + 1), index)
    top = max(0, min(top, rows.count - height))
  }
}
