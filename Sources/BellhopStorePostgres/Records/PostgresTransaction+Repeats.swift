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
}
#endif
