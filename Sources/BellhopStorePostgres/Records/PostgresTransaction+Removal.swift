#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

extension PostgresTransaction {
  func removeRows(of user: UserID, limit: Int) throws -> Int {
    noteAccess(user)
    context.kept.items = [:]
    var count = 0
    for statement in UserTable.removals where count < limit {
      count += try self.count(statement, [.user(user), .count(limit - count)])
    }
    return count
  }

  func removeUser(_ user: UserID) throws {
    noteAccess(user)
    try write("DELETE FROM users WHERE id = $1", [.user(user)])
  }
}

/// The tables with rows of users, which are all tables with a column `user_id`.
enum UserTable: String, CaseIterable {
  case item
  case itemState = "item_state"
  case rule
  case bulkWork = "bulk_work"
  case awaitedResponse = "awaited_response"
  case publication
  case outboxNumber = "outbox_number"
  case outbox
  case operation
  case subscription
  case app
  case appAlias = "app_alias"
  case appProfile = "app_profile"
  // Before the use, which a trigger subtracts from.
  case file
  case fileUse = "file_use"
  case subject
  case signIn = "sign_in"
  case deviceGrant = "device_grant"
  case forgottenToken = "forgotten_token"
  case accessToken = "access_token"
  case device
  case startSequence = "start_sequence"
  case itemAlias = "item_alias"
  case resolution

  /// The statements that delete some of a user's rows, one for each table.
  static let removals = allCases.map { table in
    """
    DELETE FROM \(table.rawValue) WHERE user_id = $1 AND ctid = ANY (ARRAY(
      SELECT ctid FROM \(table.rawValue) WHERE user_id = $1 LIMIT $2))
    """
  }
}
#endif
