internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  /// Removes rows from every table with a column `user`, so that tables of later migrations are
  /// included.
  func removeRows(of user: UserID, limit: Int) throws -> Int {
    noteAccess(user)
    // The index needs the texts to remove them.
    var count = try unindexSome(of: user, limit: limit)
    for table in try tablesOfUsers() where count < limit {
      let key = try primaryKey(of: table)
      count += try self.count(
        """
        DELETE FROM "\(table)" WHERE (\(key)) IN
          (SELECT \(key) FROM "\(table)" WHERE user = ? LIMIT ?)
        """, [user.rawValue, limit - count])
    }
    return count
  }

  func removeUser(_ user: UserID) throws {
    noteAccess(user)
    try run("DELETE FROM user WHERE id = ?", [user.rawValue])
  }

  /// Returns the tables with rows of users. Tables that refer to others come first, so that no row
  /// refers to a deleted one.
  private func tablesOfUsers() throws -> [String] {
    try all(
      """
      SELECT t.name FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND c.name = 'user' AND t.sql NOT LIKE 'CREATE VIRTUAL%'
      ORDER BY (SELECT count(*) FROM pragma_foreign_key_list(t.name)) DESC, t.name
      """
    ) { $0[0] }
  }

  private func primaryKey(of table: String) throws -> String {
    let columns: [String] = try all(
      "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [table]
    ) { $0[0] }
    return columns.isEmpty ? "rowid" : columns.map { "\"\($0)\"" }.joined(separator: ", ")
  }
}
