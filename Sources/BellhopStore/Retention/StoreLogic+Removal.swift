internal import BellhopModel

/// The operations that the removal of a user needs from a backend.
package protocol RemovalRecords: AnyObject {
  /// Deletes at most `limit` of the rows that belong to the user, of every kind.
  ///
  /// - Returns: the number of deleted rows; 0 when only the user is left.
  func removeRows(of user: UserID, limit: Int) throws -> Int
  /// Deletes a user without rows. The id is never used again.
  func removeUser(_ user: UserID) throws
}

extension StoreLogic {
  /// Revokes every token of a user, so that nothing is added while the user is removed.
  package func lockOut(_ user: UserID, in transaction: any StoreTransaction) throws {
    for token in try transaction.unrevokedTokens(of: user) {
      try revokeToken(token.id, of: user, in: transaction)
    }
  }

  /// Deletes some rows of a locked-out user, and finally the user.
  ///
  /// - Returns: the number of deleted rows; 0 when the user is removed.
  package func removeSome(of user: UserID, in transaction: any StoreTransaction) throws -> Int {
    let count = try transaction.removeRows(of: user, limit: limits.removalRowsMax)
    if count == 0, try transaction.user(user) != nil { try transaction.removeUser(user) }
    return count
  }
}
