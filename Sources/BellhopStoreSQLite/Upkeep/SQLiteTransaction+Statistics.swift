internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  func statistics(of user: UserID) throws -> UserStatistics {
    func number(_ sql: String) throws -> Int64 {
      try first(sql, [user.rawValue]) { $0[0] } ?? 0
    }
    let bytes = ["title", "subtitle", "body", "raw"]
      .map { "coalesce(length(CAST(\($0) AS BLOB)), 0)" }.joined(separator: " + ")
    return UserStatistics(
      items: Int(
        try number("SELECT count(*) FROM item WHERE user = ? AND deleted IS NULL")),
      tombstones: Int(
        try number("SELECT count(*) FROM item WHERE user = ? AND deleted IS NOT NULL")),
      bytes: try number(
        "SELECT coalesce(sum(\(bytes)), 0) FROM item WHERE user = ? AND deleted IS NULL"),
      devices: Int(try number("SELECT count(*) FROM device WHERE user = ?")),
      tokens: Int(
        try number("SELECT count(*) FROM access_token WHERE user = ? AND revoked IS NULL")))
  }
}
