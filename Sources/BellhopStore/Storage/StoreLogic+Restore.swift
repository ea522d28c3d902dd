internal import BellhopModel

/// What a store knew when another state of it was put in its place.
package struct FormerState: Hashable, Sendable {
  struct FormerUser: Hashable, Sendable {
    var name: String
    var counters: UserCounters
    var revoked: [AccessToken]
    /// Revoked tokens of which it remembered no more.
    var forgotten: [AccessTokenID]
  }

  var users: [UserID: FormerUser] = [:]
  var clock: ClockRecord?
}

/// What a restore found out, for who ordered it.
package struct RestoreReport: Hashable, Sendable {
  /// Everybody in the restored store.
  package var users: Int
  /// Names that came after the backup, and are not there any more.
  package var lost: [String] = []
  /// Names that had been removed after the backup, and are there again.
  package var returned: [String] = []
  /// Tokens that were revoked after the backup, and stay so.
  package var revokedAgain = 0
}

extension StoreLogic {
  /// Added to every user's sequence by a restore, so that no number is given out twice even where
  /// the state before it can't be read: more than any user's changes between two backups.
  package static let restoreGap: Int64 = 1_000_000_000
  /// The same for short numbers, which people read and type; only where that state can't be read.
  static let restoreNumberGap: Int64 = 1000

  /// What is to be remembered of a store that is about to be replaced.
  package func formerState(in state: any StoreReading) throws -> FormerState {
    var former = FormerState()
    former.clock = try Self.clockRecord(in: state)
    for user in try state.users() {
      former.users[user.id] = FormerState.FormerUser(
        name: user.name, counters: try state.counters(of: user.id) ?? UserCounters(),
        revoked: try state.accessTokens(of: user.id).filter { $0.revoked != nil },
        forgotten: try state.forgottenTokens(of: user.id))
    }
    return former
  }

  /// Makes a restored state fit to serve: another epoch, so that every client starts again and
  /// sends what it still holds; sequences above all that were given out before; tokens that were
  /// revoked since stay revoked. The logic that called this is to be opened anew.
  ///
  /// - Parameter former: the state that was replaced; nil when it can't be read.
  package func adopt(
    after former: FormerState?, in transaction: any StoreTransaction
  ) throws -> RestoreReport {
    try beginEpoch(in: transaction)
    // A backup knows the time at which it was made; wall-clock time went on since.
    if let clock = former?.clock { try save(clock, in: transaction) }
    let users = try transaction.users()
    var report = RestoreReport(users: users.count)
    for user in users {
      let known = former?.users[user.id].flatMap { $0.name == user.name ? $0 : nil }
      if former != nil, known == nil { report.returned.append(user.name) }
      var counters = try transaction.counters(of: user.id) ?? UserCounters()
      let sequence = max(counters.sequence, known?.counters.sequence ?? .zero)
      counters.sequence = SequenceNumber(sequence.rawValue + Self.restoreGap)
      counters.shortNumber =
        known.map { max($0.counters.shortNumber, counters.shortNumber) }
        ?? counters.shortNumber + Self.restoreNumberGap
      try transaction.setCounters(counters, of: user.id)
      for revoked in known?.revoked ?? [] {
        guard var token = try transaction.accessToken(revoked.id, of: user.id),
          token.revoked == nil
        else { continue }
        token.revoked = revoked.revoked
        token.revokedBy = revoked.revokedBy
        try transaction.update(token)
        report.revokedAgain += 1
      }
      for id in known?.forgotten ?? []
      where try transaction.accessToken(id, of: user.id)?.revoked == nil {
        guard var token = try transaction.accessToken(id, of: user.id) else { continue }
        token.revoked = now
        try transaction.update(token)
        report.revokedAgain += 1
      }
    }
    let names = Set(users.map(\.name))
    report.lost = former.map { $0.users.values.map(\.name).filter { !names.contains($0) } } ?? []
    report.lost.sort()
    return report
  }
}

extension StoreService {
  /// What is to be remembered of this store before it is replaced.
  package func formerState() async throws(StoreError) -> FormerState {
    try await read { try $0.formerState(in: $1) }
  }

  /// See ``StoreLogic/adopt(after:in:)``. This service is to be closed then.
  package func adopt(after former: FormerState?) async throws(StoreError) -> RestoreReport {
    try await write { try $0.adopt(after: former, in: $1) }
  }
}
