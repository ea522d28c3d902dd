#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

extension PostgresTransaction {
  /// Sorts the few items with the key. Without `OFFSET 0`, a plan may walk along all items by arrival.
  func item(collapsedUnder key: [UInt8], of user: UserID) throws -> UserNotification? {
    let item = try first(
      """
      SELECT \(PostgresItemRow.columns) FROM (
        SELECT * FROM (
          SELECT * FROM item
          WHERE user_id = $1 AND collapse_key = $2 AND deleted IS NULL OFFSET 0) found
        ORDER BY arrival DESC, id DESC LIMIT 1) i
      \(PostgresItemRow.withState)
      """, [.user(user), .bytes(key)], PostgresItemRow.item)
    if let item { noteRead(item, of: user) }
    return item
  }

  func setCollapseKey(_ key: [UInt8]?, of id: NotificationID, user: UserID) throws {
    try write(
      "UPDATE item SET collapse_key = $3 WHERE user_id = $1 AND id = $2 AND deleted IS NULL",
      [.user(user), .id(id), .bytes(key)])
  }

  // MARK: - Aliases

  func alias(_ appNotificationID: String, app: String, of user: UserID) throws -> ItemAlias? {
    try first(
      """
      SELECT app, app_notification_id, item, is_resolved, at FROM item_alias
      WHERE user_id = $1 AND app = $2 AND app_notification_id = $3
      """, [.user(user), .text(app), .text(appNotificationID)], ItemAlias.init(row:))
  }

  func aliases(of item: NotificationID, user: UserID) throws -> [ItemAlias] {
    try all(
      """
      SELECT app, app_notification_id, item, is_resolved, at FROM item_alias
      WHERE user_id = $1 AND item = $2 ORDER BY at, app_notification_id
      """, [.user(user), .id(item)], ItemAlias.init(row:))
  }

  func put(_ alias: ItemAlias, of user: UserID) throws {
    try write(
      """
      INSERT INTO item_alias (user_id, app, app_notification_id, item, is_resolved, at)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (user_id, app, app_notification_id) DO UPDATE SET item = excluded.item,
        is_resolved = excluded.is_resolved, at = excluded.at
      """,
      [
        .user(user), .text(alias.app), .text(alias.appNotificationID), .id(alias.item),
        .flag(alias.isResolved), .time(alias.at),
      ])
  }

  func removeAlias(_ appNotificationID: String, app: String, of user: UserID) throws {
    try write(
      "DELETE FROM item_alias WHERE user_id = $1 AND app = $2 AND app_notification_id = $3",
      [.user(user), .text(app), .text(appNotificationID)])
  }

  func removeAliases(of item: NotificationID, user: UserID) throws {
    try write(
      "DELETE FROM item_alias WHERE user_id = $1 AND item = $2", [.user(user), .id(item)])
  }
}

extension ItemAlias {
  fileprivate init(row: PostgresRow) throws {
    self.init(
      app: try row.text("app"), appNotificationID: try row.text("app_notification_id"),
      item: try row.id("item"), isResolved: try row.value("is_resolved"), at: try row.time("at"))
  }
}
#endif
