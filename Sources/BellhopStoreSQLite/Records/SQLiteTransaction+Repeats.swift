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
}
