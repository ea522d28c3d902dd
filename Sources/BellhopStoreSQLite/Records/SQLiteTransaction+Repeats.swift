internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  func item(collapsedUnder key: [UInt8], of user: UserID) throws -> UserNotification? {
    try first(
      """
      SELECT \(ItemRow.columns) FROM item INDEXED BY item_collapse
      WHERE user = ? AND collapse_key = ? AND deleted IS NULL
      ORDER BY arrival DESC, id DESC LIMIT 1
      """, [user.rawValue, key.blob], ItemRow.item)
  }

  func setCollapseKey(_ key: [UInt8]?, of id: NotificationID, user: UserID) throws {
    try run(
      "UPDATE item SET collapse_key = ? WHERE user = ? AND id = ? AND deleted IS NULL",
      [key?.blob, user.rawValue, id.blob])
  }

  // MARK: - Aliases

  func alias(_ appNotificationID: String, app: String, of user: UserID) throws -> ItemAlias? {
    try first(
      """
      SELECT \(AliasColumn.list) FROM item_alias
      WHERE user = ? AND app = ? AND app_notification_id = ?
      """, [user.rawValue, app, appNotificationID], ItemAlias.init(row:))
  }

  func aliases(of item: NotificationID, user: UserID) throws -> [ItemAlias] {
    try all(
      """
      SELECT \(AliasColumn.list) FROM item_alias INDEXED BY item_alias_item
      WHERE user = ? AND item = ? ORDER BY at, app_notification_id
      """, [user.rawValue, item.blob], ItemAlias.init(row:))
  }

  func put(_ alias: ItemAlias, of user: UserID) throws {
    try run(
      """
      INSERT OR REPLACE INTO item_alias (user, \(AliasColumn.list)) VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        user.rawValue, alias.app, alias.appNotificationID, alias.item.blob, alias.isResolved,
        alias.at.milliseconds,
      ])
  }

  func removeAlias(_ appNotificationID: String, app: String, of user: UserID) throws {
    try run(
      "DELETE FROM item_alias WHERE user = ? AND app = ? AND app_notification_id = ?",
      [user.rawValue, app, appNotificationID])
  }

  func removeAliases(of item: NotificationID, user: UserID) throws {
    try run(
      "DELETE FROM item_alias WHERE user = ? AND item = ?", [user.rawValue, item.blob])
  }
}

private enum AliasColumn: Int, TableColumn {
  case app, appNotificationId, item, isResolved, at
}

extension ItemAlias {
  fileprivate init(row: Row) throws {
    let row = NamedRow<AliasColumn>(row)
    self.init(
      app: row[.app], appNotificationID: row[.appNotificationId], item: try row.id(.item),
      isResolved: row[.isResolved], at: row.time(.at))
  }
}
