#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// Apps with their settings, profiles and retention.
extension PostgresTransaction {
  func app(_ app: String, of user: UserID) throws -> AppRecord? {
    try first(
      """
      SELECT items, tombstones, bytes, retention_days, sequence IS NOT NULL AS is_configured,
        "authorization", repeats, resolutions
      FROM app WHERE user_id = $1 AND app = $2
      """, [.user(user), .text(app)]
    ) { row in
      let authorization = try row.textIfAny("authorization").flatMap {
        AppAuthorization(rawValue: $0)
      }
      return AppRecord(
        app: app, use: try StorageUse(row: row), retentionDays: try row.optional("retention_days"),
        authorization: authorization ?? .authorized,
        repeats: try row.textIfAny("repeats").flatMap { RepeatKey(column: $0) },
        resolutions: try row.textIfAny("resolutions").flatMap { ResolutionPolicy(rawValue: $0) }
          ?? .mark,
        isConfigured: try row.value("is_configured"))
    }
  }

  func appState(_ app: String, of user: UserID) throws -> AppState? {
    try first(
      "SELECT items, tombstones, bytes, app, settings FROM app WHERE user_id = $1 AND app = $2",
      [.user(user), .text(app)], AppState.init(row:))
  }

  func appStates(of user: UserID) throws -> [AppState] {
    try all(
      "SELECT items, tombstones, bytes, app, settings FROM app WHERE user_id = $1 ORDER BY app",
      [.user(user)], AppState.init(row:))
  }

  func appSettings(
    of user: UserID, after: SequenceNumber, limit: Int
  ) throws -> [AppSettings] {
    try all(
      """
      SELECT settings FROM app WHERE user_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
      """, [.user(user), .sequence(after), .count(limit)]
    ) { try $0.json("settings") }
  }

  func app(alias: String, of user: UserID) throws -> String? {
    try first(
      "SELECT app FROM app_alias WHERE user_id = $1 AND alias = $2", [.user(user), .text(alias)]
    ) { try $0.text("app") }
  }

  func setUse(_ use: StorageUse, ofApp app: String, of user: UserID) throws {
    try write(
      """
      INSERT INTO app (user_id, app, items, tombstones, bytes) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (user_id, app) DO UPDATE SET items = excluded.items,
        tombstones = excluded.tombstones, bytes = excluded.bytes
      """,
      [.user(user), .text(app), .count(use.items), .count(use.tombstones), .count(use.bytes)])
  }

  func put(_ settings: AppSettings, of user: UserID) throws {
    try write(
      """
      INSERT INTO app (user_id, app, sequence, settings, retention_days, "authorization", repeats,
        resolutions)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (user_id, app) DO UPDATE SET sequence = excluded.sequence,
        settings = excluded.settings, retention_days = excluded.retention_days,
        "authorization" = excluded."authorization", repeats = excluded.repeats,
        resolutions = excluded.resolutions
      """,
      [
        .user(user), .text(settings.app), .sequence(settings.sequence), try .json(settings),
        .integer(settings.retentionDays.map { Int64($0) }),
        .text(
          settings.authorization == .authorized ? nil : settings.authorization.rawValue),
        .text(settings.repeatKey?.column), .text(settings.resolutions.column),
      ])
    try write(
      "DELETE FROM app_alias WHERE user_id = $1 AND app = $2",
      [.user(user), .text(settings.app)])
    guard !settings.aliases.isEmpty else { return }
    try write(
      "INSERT INTO app_alias (user_id, alias, app) SELECT $1, alias, $2 FROM unnest($3) AS alias",
      [.user(user), .text(settings.app), .texts(settings.aliases.map { Optional($0) })])
  }

  func removeApp(_ app: String, of user: UserID) throws {
    try write("DELETE FROM app WHERE user_id = $1 AND app = $2", [.user(user), .text(app)])
    try removeProfile(ofApp: app, of: user)
  }

  // MARK: - Profiles

  func profile(ofApp app: String, of user: UserID) throws -> AppProfile? {
    try first(
      """
      SELECT app, description, default_priority FROM app_profile WHERE user_id = $1 AND app = $2
      """, [.user(user), .text(app)], AppProfile.init(row:))
  }

  func profiles(of user: UserID) throws -> [String: AppProfile] {
    let found: [(String, AppProfile)] = try all(
      "SELECT app, description, default_priority FROM app_profile WHERE user_id = $1",
      [.user(user)]
    ) { row in (try row.text("app"), try AppProfile(row: row)) }
    return Dictionary(found) { first, _ in first }
  }

  func put(_ profile: AppProfile, ofApp app: String, of user: UserID) throws {
    guard !profile.isEmpty else { return try removeProfile(ofApp: app, of: user) }
    try write(
      """
      INSERT INTO app_profile (user_id, app, description, default_priority)
      VALUES ($1, $2, $3, $4)
      ON CONFLICT (user_id, app) DO UPDATE SET description = excluded.description,
        default_priority = excluded.default_priority
      """,
      [
        .user(user), .text(app), .text(profile.description),
        .integer(profile.defaultPriority.map { Int64($0) }),
      ])
  }

  private func removeProfile(ofApp app: String, of user: UserID) throws {
    try write("DELETE FROM app_profile WHERE user_id = $1 AND app = $2", [.user(user), .text(app)])
  }

  // MARK: - Retention

  func items(
    ofApp app: String, above key: ArrivalKey?, limit: Int, of user: UserID
  ) throws -> [UserNotification] {
    // Every item is above the least key, so one statement covers both cases.
    let arrival: Int64 = key.map { $0.arrival.milliseconds } ?? Int64.min
    let id: [UInt8] = key.map { $0.id.bytes } ?? []
    return try all(
      """
      SELECT \(PostgresItemRow.columns) FROM \(PostgresItemRow.tables)
      WHERE i.user_id = $1 AND i.app = $2 AND i.deleted IS NULL AND (i.arrival, i.id) > ($3, $4)
      ORDER BY i.arrival, i.id LIMIT $5
      """,
      [.user(user), .text(app), .integer(arrival), .bytes(id), .count(limit)],
      PostgresItemRow.item)
  }

  func setLeaves(_ time: Timestamp?, of id: NotificationID, user: UserID) throws {
    try write(
      """
      UPDATE item_state SET leaves = $3
      WHERE user_id = $1 AND id = $2 AND leaves IS DISTINCT FROM $3
        AND EXISTS (SELECT FROM item WHERE user_id = $1 AND id = $2 AND deleted IS NULL)
      """, [.user(user), .id(id), .time(time)])
  }

  func retentionPass(ofApp app: String, of user: UserID) throws -> RetentionPass? {
    try first(
      """
      SELECT user_id, app, retained_arrival, retained_id FROM app
      WHERE user_id = $1 AND app = $2 AND is_retaining
      """, [.user(user), .text(app)], RetentionPass.init(row:))
  }

  func retentionPasses(limit: Int) throws -> [RetentionPass] {
    try all(
      """
      SELECT user_id, app, retained_arrival, retained_id FROM app
      WHERE is_retaining ORDER BY user_id, app LIMIT $1
      """, [.count(limit)], RetentionPass.init(row:))
  }

  func put(_ pass: RetentionPass) throws {
    try write(
      """
      UPDATE app SET is_retaining = true, retained_arrival = $3, retained_id = $4
      WHERE user_id = $1 AND app = $2
      """,
      [.user(pass.user), .text(pass.app), .time(pass.above?.arrival), .id(pass.above?.id)])
  }

  func endRetentionPass(ofApp app: String, of user: UserID) throws {
    try write(
      """
      UPDATE app SET is_retaining = false, retained_arrival = NULL, retained_id = NULL
      WHERE user_id = $1 AND app = $2
      """, [.user(user), .text(app)])
  }

  /// Begins a pass for every app without a retention of its own.
  ///
  /// It locks a user's apps in the order of their names, as other transactions do, so that no two
  /// transactions wait for each other.
  func beginRetentionPasses() throws {
    try write(
      """
      WITH waiting AS MATERIALIZED (
        SELECT user_id, app FROM app WHERE retention_days IS NULL
        ORDER BY user_id, app FOR NO KEY UPDATE
      )
      UPDATE app SET is_retaining = true, retained_arrival = NULL, retained_id = NULL
      FROM waiting
      WHERE app.user_id = waiting.user_id AND app.app = waiting.app
        AND app.retention_days IS NULL
      """)
  }
}

extension AppState {
  fileprivate init(row: PostgresRow) throws {
    let settings: AppSettings? = try row.jsonIfAny("settings")
    self.init(
      settings: try settings ?? AppSettings(app: row.text("app")), use: try StorageUse(row: row))
  }
}

extension StorageUse {
  fileprivate init(row: PostgresRow) throws {
    self.init(
      items: try row.value("items"), tombstones: try row.value("tombstones"),
      bytes: try row.value("bytes"))
  }
}

extension AppProfile {
  fileprivate init(row: PostgresRow) throws {
    self.init(
      description: try row.textIfAny("description"),
      defaultPriority: try row.optional("default_priority"))
  }
}

extension RetentionPass {
  fileprivate init(row: PostgresRow) throws {
    self.init(user: try row.user("user_id"), app: try row.text("app"))
    if let arrival = try row.timeIfAny("retained_arrival") {
      above = ArrivalKey(arrival: arrival, id: try row.id("retained_id"))
    }
  }
}
#endif
