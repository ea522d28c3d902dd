internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  func app(_ app: String, of user: UserID) throws -> AppRecord? {
    try first(
      """
      SELECT items, tombstones, bytes, \(AppRecordColumn.list) FROM app WHERE user = ? AND app = ?
      """, [user.rawValue, app]
    ) { row in
      let columns = NamedRow<AppRecordColumn>(row, from: 3)
      let authorization: String? = columns[.authorization]
      let repeats: String? = columns[.repeats]
      let resolutions: String? = columns[.resolutions]
      return AppRecord(
        app: app, use: row.use(0), retentionDays: columns[.retentionDays],
        authorization: authorization.flatMap { AppAuthorization(rawValue: $0) } ?? .authorized,
        repeats: repeats.flatMap { RepeatKey(column: $0) },
        resolutions: resolutions.flatMap { ResolutionPolicy(rawValue: $0) } ?? .mark,
        isConfigured: !columns.isNull(.sequence))
    }
  }

  func appState(_ app: String, of user: UserID) throws -> AppState? {
    try first(
      "SELECT items, tombstones, bytes, app, settings FROM app WHERE user = ? AND app = ?",
      [user.rawValue, app], AppState.init(row:))
  }

  func appStates(of user: UserID) throws -> [AppState] {
    try all(
      "SELECT items, tombstones, bytes, app, settings FROM app WHERE user = ? ORDER BY app",
      [user.rawValue], AppState.init(row:))
  }

  func appSettings(
    of user: UserID, after: SequenceNumber, limit: Int
  ) throws -> [AppSettings] {
    try all(
      """
      SELECT settings FROM app WHERE user = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """, [user.rawValue, after.rawValue, limit]
    ) { try JSONColumn.decode(AppSettings.self, $0[0]) }
  }

  func app(alias: String, of user: UserID) throws -> String? {
    try first(
      "SELECT app FROM app_alias WHERE user = ? AND alias = ?", [user.rawValue, alias]
    ) { $0[0] }
  }

  func profile(ofApp app: String, of user: UserID) throws -> AppProfile? {
    try first(
      "SELECT description, default_priority FROM app_profile WHERE user = ? AND app = ?",
      [user.rawValue, app]
    ) { AppProfile(description: $0[0], defaultPriority: $0[1]) }
  }

  func profiles(of user: UserID) throws -> [String: AppProfile] {
    let all: [(String, AppProfile)] = try all(
      "SELECT app, description, default_priority FROM app_profile WHERE user = ?",
      [user.rawValue]
    ) { ($0[0], AppProfile(description: $0[1], defaultPriority: $0[2])) }
    return Dictionary(uniqueKeysWithValues: all)
  }

  func put(_ profile: AppProfile, ofApp app: String, of user: UserID) throws {
    guard !profile.isEmpty else { return try removeProfile(ofApp: app, of: user) }
    try run(
      """
      INSERT INTO app_profile (user, app, description, default_priority) VALUES (?, ?, ?, ?)
      ON CONFLICT (user, app) DO UPDATE SET description = excluded.description,
        default_priority = excluded.default_priority
      """, [user.rawValue, app, profile.description, profile.defaultPriority])
  }

  private func removeProfile(ofApp app: String, of user: UserID) throws {
    try run("DELETE FROM app_profile WHERE user = ? AND app = ?", [user.rawValue, app])
  }

  func items(
    ofApp app: String, above key: ArrivalKey?, limit: Int, of user: UserID
  ) throws -> [UserNotification] {
    // Nothing arrives before the first key, so one statement covers both cases.
    let key =
      key
      ?? ArrivalKey(
        arrival: Timestamp(milliseconds: .min), id: NotificationID(high: 0, low: 0))
    return try all(
      """
      SELECT \(ItemRow.columns) FROM item INDEXED BY item_app_arrival
      WHERE user = ? AND app = ? AND deleted IS NULL AND (arrival, id) > (?, ?)
      ORDER BY arrival, id LIMIT ?
      """, [user.rawValue, app, key.arrival.milliseconds, key.id.blob, limit], ItemRow.item)
  }

  func retentionPass(ofApp app: String, of user: UserID) throws -> RetentionPass? {
    try first(
      """
      SELECT user, app, retained_arrival, retained_id FROM app
      WHERE user = ? AND app = ? AND is_retaining = 1
      """, [user.rawValue, app], RetentionPass.init(row:))
  }

  func retentionPasses(limit: Int) throws -> [RetentionPass] {
    try all(
      """
      SELECT user, app, retained_arrival, retained_id FROM app
      WHERE is_retaining = 1 ORDER BY user, app LIMIT ?
      """, [limit], RetentionPass.init(row:))
  }

  func setUse(_ use: StorageUse, ofApp app: String, of user: UserID) throws {
    try run(
      """
      INSERT INTO app (user, app, items, tombstones, bytes) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (user, app) DO UPDATE SET items = excluded.items,
        tombstones = excluded.tombstones, bytes = excluded.bytes
      """, [user.rawValue, app, use.items, use.tombstones, use.bytes])
  }

  func put(_ settings: AppSettings, of user: UserID) throws {
    try run(
      """
      INSERT INTO app (user, app, sequence, settings, retention_days, authorization, repeats,
        resolutions)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (user, app) DO UPDATE SET sequence = excluded.sequence,
        settings = excluded.settings, retention_days = excluded.retention_days,
        authorization = excluded.authorization, repeats = excluded.repeats,
        resolutions = excluded.resolutions
      """,
      [
        user.rawValue, settings.app, settings.sequence.rawValue,
        try JSONColumn.encode(settings), settings.retentionDays,
        settings.authorization == .authorized ? nil : settings.authorization.rawValue,
        settings.repeatKey?.column, settings.resolutions.column,
      ])
    try run(
      "DELETE FROM app_alias WHERE user = ? AND app = ?", [user.rawValue, settings.app])
    for alias in settings.aliases {
      try run(
        "INSERT INTO app_alias (user, alias, app) VALUES (?, ?, ?)",
        [user.rawValue, alias, settings.app])
    }
  }

  func removeApp(_ app: String, of user: UserID) throws {
    try run("DELETE FROM app WHERE user = ? AND app = ?", [user.rawValue, app])
    try removeProfile(ofApp: app, of: user)
  }

  func put(_ pass: RetentionPass) throws {
    try run(
      """
      UPDATE app SET is_retaining = 1, retained_arrival = ?, retained_id = ?
      WHERE user = ? AND app = ?
      """,
      [
        pass.above?.arrival.milliseconds, pass.above?.id.blob, pass.user.rawValue, pass.app,
      ])
  }

  func endRetentionPass(ofApp app: String, of user: UserID) throws {
    try run(
      """
      UPDATE app SET is_retaining = 0, retained_arrival = NULL, retained_id = NULL
      WHERE user = ? AND app = ?
      """, [user.rawValue, app])
  }

  func beginRetentionPasses() throws {
    try run(
      """
      UPDATE app SET is_retaining = 1, retained_arrival = NULL, retained_id = NULL
      WHERE retention_days IS NULL
      """, [])
  }

  func setLeaves(_ time: Timestamp?, of id: NotificationID, user: UserID) throws {
    try run(
      """
      UPDATE item SET leaves = ?
      WHERE user = ? AND id = ? AND deleted IS NULL AND leaves IS NOT ?
      """, [time?.milliseconds, user.rawValue, id.blob, time?.milliseconds])
  }
}

/// The columns of an app's record, apart from its use.
private enum AppRecordColumn: Int, TableColumn {
  case retentionDays, sequence, authorization, repeats, resolutions
}

extension RetentionPass {
  /// Creates the pass from the user, the app, and the place up to which items are done.
  fileprivate init(row: Row) throws {
    self.init(user: UserID(rawValue: row[0]), app: row[1])
    if let arrival = row.optionalTime(2) { above = ArrivalKey(arrival: arrival, id: try row.id(3)) }
  }
}

extension AppState {
  /// Creates the state from the use, the app and its settings.
  fileprivate init(row: Row) throws {
    let settings = try (row[4] as String?).map { try JSONColumn.decode(AppSettings.self, $0) }
    self.init(settings: settings ?? AppSettings(app: row[3]), use: row.use(0))
  }
}

extension Row {
  /// Returns the items, tombstones and bytes from the three columns that begin at `index`.
  func use(_ index: Int) -> StorageUse {
    StorageUse(items: self[index], tombstones: self[index + 1], bytes: self[index + 2])
  }
}
