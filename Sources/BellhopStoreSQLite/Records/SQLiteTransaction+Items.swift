internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  func row(_ id: NotificationID, of user: UserID) throws -> StoredRow? {
    try first(
      "SELECT \(ItemRow.columns) FROM item WHERE user = ? AND id = ?",
      [user.rawValue, id.blob], ItemRow.row)
  }

  func item(
    app: String, appNotificationID: String, of user: UserID
  ) throws -> UserNotification? {
    try first(
      """
      SELECT \(ItemRow.columns) FROM item
      WHERE user = ? AND app = ? AND app_notification_id = ? AND deleted IS NULL
      """, [user.rawValue, app, appNotificationID], ItemRow.item)
  }

  func item(number: Int64, of user: UserID) throws -> UserNotification? {
    try first(
      """
      SELECT \(ItemRow.columns) FROM item
      WHERE user = ? AND short_number = ? AND deleted IS NULL
      """, [user.rawValue, number], ItemRow.item)
  }

  func items(_ query: ItemQuery, of user: UserID) throws -> [UserNotification] {
    var walk = SQLCondition(text: "user = ? AND deleted IS NULL", values: [user.rawValue])
    if let now = query.now {
      walk =
        walk
        + SQLCondition(
          text: " AND (leaves IS NULL OR leaves > ?)", values: [now.milliseconds])
    }
    if let key = query.below { walk = walk + .below(key) }
    return try page(
      """
      SELECT \(ItemRow.columns) FROM item INDEXED BY item_arrival WHERE \(walk.text)
      ORDER BY arrival DESC, id DESC
      """, walk.values, query.limit, bytes: \.byteCount, ItemRow.item)
  }

  func triggeredItems(of user: UserID) throws -> [UserNotification] {
    try all(
      """
      SELECT \(ItemRow.columns) FROM item INDEXED BY item_triggered
      WHERE user = ? AND delivery_trigger IS NOT NULL ORDER BY short_number
      """, [user.rawValue], ItemRow.item)
  }

  func rows(
    of user: UserID, after: SequenceNumber, limit: PageLimit
  ) throws -> [StoredRow] {
    try page(
      """
      SELECT \(ItemRow.columns) FROM item WHERE user = ? AND sequence > ? ORDER BY sequence
      """, [user.rawValue, after.rawValue], limit,
      bytes: \.byteCount, ItemRow.row)
  }

  func leaving(by now: Timestamp, limit: Int) throws -> [UserItem] {
    try all(
      "SELECT user, id FROM item WHERE leaves <= ? ORDER BY leaves LIMIT ?",
      [now.milliseconds, limit], UserItem.init(row:))
  }

  func tombstones(deletedBefore time: Timestamp, limit: Int) throws -> [UserItem] {
    try all(
      "SELECT user, id FROM item WHERE deleted < ? ORDER BY deleted LIMIT ?",
      [time.milliseconds, limit], UserItem.init(row:))
  }

  func put(_ item: UserNotification, leaves: Timestamp?, of user: UserID) throws {
    try unindex(item.id, of: user, unless: item.state.contentSequence)
    try run(ItemRow.upsert, try ItemRow.arguments(item, leaves: leaves, of: user))
  }

  func put(_ tombstone: Tombstone, of user: UserID) throws {
    try unindex(tombstone.id, of: user)
    try run(ItemRow.replaceWithTombstone, ItemRow.arguments(tombstone, of: user))
  }

  func removeTombstone(_ id: NotificationID, of user: UserID) throws {
    try run(
      "DELETE FROM item WHERE user = ? AND id = ? AND deleted IS NOT NULL",
      [user.rawValue, id.blob])
  }
}

extension SQLCondition {
  /// Returns the condition for rows after a place, newest first; it follows another condition.
  static func below(_ key: ArrivalKey) -> SQLCondition {
    SQLCondition(
      text: " AND (arrival, id) < (?, ?)", values: [key.arrival.milliseconds, key.id.blob])
  }
}

extension UserItem {
  fileprivate init(row: Row) throws {
    self.init(user: UserID(rawValue: row[0]), id: try row.id(1))
  }
}
