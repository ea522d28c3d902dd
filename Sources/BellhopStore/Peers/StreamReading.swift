package import BellhopModel

/// Read access for comparing the open streams of a process with the storage. Part of
/// ``StoreReading``.
///
/// The defaults read row by row. A storage for several processes answers each with one statement.
package protocol StreamReading: AnyObject {
  /// Returns the sequences of those of the users who exist.
  func sequences(of users: [UserID]) throws -> [UserID: SequenceNumber]
  /// Returns those of the tokens that exist and are neither revoked nor expired.
  func tokens(among tokens: [UserToken], holdingAt now: Timestamp) throws -> Set<UserToken>
}

/// The key of an access token: its user and its id.
package struct UserToken: Hashable, Sendable {
  package var user: UserID
  package var id: AccessTokenID

  package init(user: UserID, id: AccessTokenID) {
    self.user = user
    self.id = id
  }
}

extension StoreReading {
  package func sequences(of users: [UserID]) throws -> [UserID: SequenceNumber] {
    try users.reduce(into: [:]) { found, user in found[user] = try counters(of: user)?.sequence }
  }

  package func tokens(
    among tokens: [UserToken], holdingAt now: Timestamp
  ) throws -> Set<UserToken> {
    let holding = try tokens.filter { key in
      guard let token = try accessToken(key.id, of: key.user) else { return false }
      return token.end.map { $0 > now } ?? true
    }
    return Set(holding)
  }

  /// Returns the life of the data that the latest start began; nil in a new database.
  func dataLife() throws -> DataLife? {
    guard let epoch = try metadata(.epoch), let start = try latestStart() else { return nil }
    return DataLife(epoch: Epoch(String(decoding: epoch, as: UTF8.self)), start: start.id)
  }
}
