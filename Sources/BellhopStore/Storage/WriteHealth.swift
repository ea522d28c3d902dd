internal import BellhopModel
internal import Synchronization

/// A record of writes that failed because of the storage.
///
/// A damaged database may refuse every publication and still accept small writes elsewhere in the
/// file, or refuse the writes of only one user. So a failed write is remembered, with its user,
/// until a rehearsal has succeeded, which writes where publications write.
final class WriteHealth: Sendable {
  private struct State {
    /// The number of failed writes.
    var failed = 0
    /// The number of the last failure that was forgotten.
    var settled = 0
    /// The users whose writes have failed, in the order of their first failures, with the number of
    /// the last one. Users beyond ``usersMax`` are omitted.
    var users: [(user: UserID, failure: Int)] = []
  }

  private let state = Mutex(State())

  /// The maximum number of remembered users whose rows a rehearsal writes: a few milliseconds of
  /// work.
  static let usersMax = 16

  /// The number of failed writes.
  var failedCount: Int { state.withLock(\.failed) }

  /// Whether a write has failed and no rehearsal that began later has succeeded.
  var hasFailed: Bool { state.withLock { $0.failed > $0.settled } }

  /// The known users whose writes have failed since; the first one first.
  var failedUsers: [UserID] { state.withLock { $0.users.map(\.user) } }

  /// Records a failure if it was caused by the storage and not by the request.
  ///
  /// - Parameter user: the user whose items the write changed; nil if unknown.
  func note(_ error: StoreError, user: UserID?) {
    switch error {
    case .storageFull, .outcomeUnknown, .unavailable:
      state.withLock { state in
        state.failed += 1
        guard let user else { return }
        if let place = state.users.firstIndex(where: { $0.user == user }) {
          state.users[place].failure = state.failed
        } else if state.users.count < Self.usersMax {
          state.users.append((user, state.failed))
        }
      }
    case .invalid, .unauthenticated, .revoked, .accessDenied, .notFound, .alreadyExists, .modified,
      .idempotencyConflict, .resyncRequired, .outboxGap, .outboxDiverged, .notSupported, .busy,
      .tooManyStreams, .tooManyLists, .tooManySubscriptions, .quotaReached, .tooManyRequests,
      .newerSchema, .moved, .unfinishedCopy, .inUse:
      break
    }
  }

  /// Forgets the failures up to the one with this number.
  func settle(through count: Int) {
    state.withLock { state in
      state.settled = max(state.settled, count)
      state.users.removeAll { $0.failure <= count }
    }
  }
}

extension StoreLogic {
  /// Performs the same writes as publications, changes and ``StoreService/probe()``.
  ///
  /// It writes for the users whose writes failed and for some others. Nothing that a client sees
  /// changes.
  ///
  /// - Parameter failed: the users to begin with. Users who were removed since are omitted.
  func rehearse(first failed: [UserID], in transaction: any StoreTransaction) throws {
    let users = try transaction.users().map(\.id)
    let known = Set(users)
    let others = users.filter { !failed.contains($0) }
    let chosen = (failed.filter(known.contains) + others).prefix(WriteHealth.usersMax)
    for user in chosen.sorted() { try transaction.lock(user) }
    // Another process may have removed a user before the lock.
    for user in chosen where try transaction.user(user) != nil {
      var ledger = try CounterUpdates(user, in: transaction)
      let newest = try transaction.items(
        ItemQuery(now: nil, limit: PageLimit(rows: 1, bytes: 1)), of: user
      ).first
      if let newest { try update(newest, ledger: &ledger, in: transaction) }
      try insertAndRemove(like: newest, ledger: &ledger, in: transaction)
      try ledger.close(in: transaction)
    }
    try probe(in: transaction)
  }

  /// Inserts an item and removes it again without a tombstone. It uses the number and the sequence
  /// of the user's next item, which remain unused.
  private func insertAndRemove(
    like other: UserNotification?, ledger: inout CounterUpdates,
    in transaction: any StoreTransaction
  ) throws {
    var content = other?.content ?? Content(app: "bellhop", visual: VisualContent(title: "Check"))
    content.appNotificationID = nil
    let sequence = ledger.counters.sequence.next
    let item = UserNotification(
      id: newID(), shortNumber: ledger.counters.shortNumber + 1, created: now, arrival: now,
      content: content,
      state: ItemState(sequence: sequence, contentSequence: sequence, changed: now))
    try insert(item, ledger: &ledger, in: transaction)
    try ledger.count(
      items: -1, bytes: -content.storedByteCount, of: content.app, in: transaction)
    try transaction.put(Tombstone(of: item, sequence: sequence, deleted: now), of: ledger.user)
    try transaction.removeTombstone(item.id, of: ledger.user)
  }

  fileprivate func probe(in transaction: any StoreTransaction) throws {
    try transaction.setMetadata(Array(String(now.milliseconds).utf8), for: .probe)
  }
}

extension StoreService {
  /// The number of writes that failed because of the storage.
  package var failedWriteCount: Int { writeHealth.failedCount }

  /// Performs a small write and waits until it is on the disk.
  ///
  /// It locks no user. It shares one row of the metadata with the other processes.
  ///
  /// After a write has failed, it writes where publications write, for the users whose writes
  /// failed, until that has succeeded once.
  ///
  /// - Throws: ``StoreError/storageFull``, ``StoreError/unavailable(reason:)``.
  package func probe() async throws(StoreError) {
    let count = writeHealth.failedCount
    guard writeHealth.hasFailed else {
      return try await write(in: .users) { try $0.probe(in: $1) }
    }
    let users = writeHealth.failedUsers
    try await write(in: .users) { try $0.rehearse(first: users, in: $1) }
    writeHealth.settle(through: count)
  }
}
