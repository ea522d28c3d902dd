internal import BellhopModel

/// The facts about a store's state that a restore needs after replacing it.
package struct FormerState: Hashable, Sendable {
  struct FormerUser: Hashable, Sendable {
    var name: String
    var counters: UserCounters
    var revoked: [AccessToken]
    /// The ids of revoked tokens of which nothing else was remembered.
    var forgotten: [AccessTokenID]
  }

  var users: [UserID: FormerUser] = [:]
  var clock: ClockRecord?
}

/// The result of a restore, for the administrator who requested it.
package struct RestoreReport: Hashable, Sendable {
  /// The number of users in the restored store.
  package var users: Int
  /// The names of users who were added after the backup and no longer exist.
  package var lost: [String] = []
  /// The names of users who were removed after the backup and exist again.
  package var returned: [String] = []
  /// The number of tokens that were revoked after the backup and stay revoked.
  package var revokedAgain = 0
}

extension StoreLogic {
  /// The gap that a restore adds to every user's sequence.
  ///
  /// It ensures that no number is issued twice even if the previous state cannot be read: it
  /// exceeds any user's changes between two backups.
  package static let restoreGap: Int64 = 1_000_000_000
  /// The gap for short numbers, which users read and type; added only if the previous state cannot
  /// be read.
  static let restoreNumberGap: Int64 = 1000

  /// Returns the facts to remember about a store that is about to be replaced.
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

  /// Prepares a restored state for serving.
  ///
  /// It begins another epoch, so that every client starts again and sends what it still holds. It
  /// raises sequences above all that were issued before. Tokens that were revoked after the backup
  /// stay revoked. Afterwards the logic must be opened again.
  ///
  /// - Parameter former: the state that was replaced; nil when it cannot be read.
  package func adopt(
    after former: FormerState?, in transaction: any StoreTransaction
  ) throws -> RestoreReport {
    try beginEpoch(in: transaction)
    // A backup contains the time at which it was made; wall-clock time has advanced since.
    if let clock = former?.clock { try save(clock, in: transaction) }
    let users = try transaction.users()
    var report = RestoreReport(users: users.count)
    for user in users {
      try transaction.lock(user.id)
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
  /// Returns the facts to remember about this store before it is replaced.
  package func formerState() async throws(StoreError) -> FormerState {
    try await read { try $0.formerState(in: $1) }
  }

  /// See ``StoreLogic/adopt(after:in:)``. The service must be closed afterwards.
  package func adopt(after former: FormerState?) async throws(StoreError) -> RestoreReport {
    try await write(in: .users) { try $0.adopt(after: former, in: $1) }
  }
}
