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
    var conditions = ["user = ?", "deleted IS NULL"]
    var arguments: [(any DatabaseValueConvertible)?] = [user.rawValue]
    func require(_ condition: String, _ values: (any DatabaseValueConvertible)...) {
      conditions.append(condition)
      arguments += values
    }
    if let now = query.now { require("(leaves IS NULL OR leaves > ?)", now.milliseconds) }
    if let key = query.below {
      require("(arrival, id) < (?, ?)", key.arrival.milliseconds, key.id.blob)
    }
    if let through = query.through { require("content_sequence <= ?", through.rawValue) }
    if let id = query.setBy {
      require(
        "? IN (read_operation, action_operation, kept_operation)", id.blob)
    }
    let predicate = query.predicate ?? Predicate()
    if let app = predicate.app { require("app = ?", app) }
    if let group = predicate.group { require("group_name = ?", group) }
    if let state = predicate.readState { require("read_state = ?", state.rawValue) }
    if let kind = predicate.userActionState { require("action = ?", kind.rawValue) }
    if let least = predicate.minimumPriority { require("priority >= ?", least.rawValue) }
    if let end = predicate.arrivedBefore { require("arrival < ?", end.milliseconds) }
    if let start = predicate.arrivedSince { require("arrival >= ?", start.milliseconds) }
    let index = predicate.app == nil ? "item_arrival" : "item_app_arrival"
    let sql = """
      SELECT \(ItemRow.columns) FROM item INDEXED BY \(index)
      WHERE \(conditions.joined(separator: " AND "))
      ORDER BY arrival DESC, id DESC
      """
    return try page(
      sql, arguments, query.limit, bytes: { $0.content.byteCount }, ItemRow.item)
  }

  func rows(
    of user: UserID, after: SequenceNumber, limit: PageLimit
  ) throws -> [StoredRow] {
    try page(
      """
      SELECT \(ItemRow.columns) FROM item WHERE user = ? AND sequence > ? ORDER BY sequence
      """, [user.rawValue, after.rawValue], limit,
      bytes: { if case .live(let item) = $0 { item.content.byteCount } else { 0 } },
      ItemRow.row)
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
    try run(
      ItemRow.bury,
      [
        tombstone.sequence.rawValue, tombstone.deleted.milliseconds, tombstone.app,
        tombstone.appNotificationID, user.rawValue, tombstone.id.blob,
      ])
  }

  func removeTombstone(_ id: NotificationID, of user: UserID) throws {
    try run(
      "DELETE FROM item WHERE user = ? AND id = ? AND deleted IS NOT NULL",
      [user.rawValue, id.blob])
  }
}

extension UserItem {
  fileprivate init(row: Row) throws {
    self.init(user: UserID(rawValue: row[0]), id: try row.id(1))
  }
}
