internal import BellhopModel
internal import BellhopStore

/// The row of an app.
struct MemoryApp: Sendable {
  var use = StorageUse()
  var settings: AppSettings?
  var pass: RetentionPass?
}

extension MemoryTransaction {
  func app(_ app: String, of user: UserID) -> AppRecord? {
    guard let row = partition(user).apps[app] else { return nil }
    return AppRecord(
      app: app, use: row.use, retentionDays: row.settings?.retentionDays,
      authorization: row.settings?.authorization ?? .authorized,
      repeats: row.settings?.repeatKey, resolutions: row.settings?.resolutions ?? .mark,
      isConfigured: row.settings != nil)
  }

  func appState(_ app: String, of user: UserID) -> AppState? {
    partition(user).apps[app].map { AppState($0, of: app) }
  }

  func appStates(of user: UserID) -> [AppState] {
    partition(user).apps.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { AppState($1, of: $0) }
  }

  func appSettings(of user: UserID, after: SequenceNumber, limit: Int) -> [AppSettings] {
    let settings = partition(user).apps.values.compactMap(\.settings)
    return Array(
      settings.filter { $0.sequence > after }.sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  func app(alias: String, of user: UserID) -> String? { partition(user).aliases[alias] }

  func profile(ofApp app: String, of user: UserID) -> AppProfile? {
    partition(user).profiles[app]
  }

  func profiles(of user: UserID) -> [String: AppProfile] { partition(user).profiles }

  func put(_ profile: AppProfile, ofApp app: String, of user: UserID) {
    set(\.profiles[app], of: user, to: profile.isEmpty ? nil : profile)
  }

  func items(
    ofApp app: String, above key: ArrivalKey?, limit: Int, of user: UserID
  ) -> [UserNotification] {
    let partition = partition(user)
    let start = key.map { partition.place(of: $0) } ?? 0
    var items: [UserNotification] = []
    for place in partition.byArrival[start...] where place != key {
      if items.count == limit { break }
      if let item = partition.live(place.id), item.content.app == app { items.append(item) }
    }
    return items
  }

  func retentionPass(ofApp app: String, of user: UserID) -> RetentionPass? {
    partition(user).apps[app]?.pass
  }

  func retentionPasses(limit: Int) -> [RetentionPass] {
    let passes = state.partitions.values.flatMap { $0.apps.values.compactMap(\.pass) }
    return Array(passes.sorted { ($0.user, $0.app) < ($1.user, $1.app) }.prefix(limit))
  }

  func setUse(_ use: StorageUse, ofApp app: String, of user: UserID) {
    var row = partition(user).apps[app] ?? MemoryApp()
    row.use = use
    set(\.apps[app], of: user, to: row)
  }

  func put(_ settings: AppSettings, of user: UserID) {
    var row = partition(user).apps[settings.app] ?? MemoryApp()
    row.settings = settings
    set(\.apps[settings.app], of: user, to: row)
    for (alias, app) in partition(user).aliases where app == settings.app {
      set(\.aliases[alias], of: user, to: nil)
    }
    for alias in settings.aliases { set(\.aliases[alias], of: user, to: settings.app) }
  }

  func removeApp(_ app: String, of user: UserID) {
    set(\.apps[app], of: user, to: nil)
    set(\.profiles[app], of: user, to: nil)
  }

  func put(_ pass: RetentionPass) {
    change(pass.app, of: pass.user) { $0.pass = pass }
  }

  func endRetentionPass(ofApp app: String, of user: UserID) {
    change(app, of: user) { $0.pass = nil }
  }

  func beginRetentionPasses() {
    for (user, partition) in state.partitions {
      for (app, row) in partition.apps where row.settings?.retentionDays == nil {
        ofAnyUser { put(RetentionPass(user: user, app: app)) }
      }
    }
  }

  func setLeaves(_ time: Timestamp?, of id: NotificationID, user: UserID) {
    set(\.leaves[id], of: user, to: time)
  }

  private func change(
    _ app: String, of user: UserID, _ body: (inout MemoryApp) -> Void
  ) {
    guard var row = partition(user).apps[app] else { return }
    body(&row)
    set(\.apps[app], of: user, to: row)
  }
}

extension AppState {
  fileprivate init(_ row: MemoryApp, of app: String) {
    self.init(settings: row.settings ?? AppSettings(app: app), use: row.use)
  }
}
