internal import BellhopModel
internal import Synchronization

/// Whether writes fail for reasons of the storage.
///
/// A damaged database may refuse every publication and still let something small be written
/// elsewhere in the file. So a write that failed is remembered until a rehearsal has succeeded,
/// which writes where publications write.
final class WriteHealth: Sendable {
  private let state = Mutex((failed: 0, settled: 0))

  /// How many writes have failed.
  var failedCount: Int { state.withLock(\.failed) }

  /// Whether a write has failed and no rehearsal that began later has succeeded.
  var hasFailed: Bool { state.withLock { $0.failed > $0.settled } }

  /// Remembers a failure, if it is the storage's and not the request's.
  func note(_ error: StoreError) {
    switch error {
    case .storageFull, .unavailable: state.withLock { $0.failed += 1 }
    case .invalid, .unauthenticated, .revoked, .accessDenied, .notFound, .alreadyExists, .modified,
      .idempotencyConflict, .resyncRequired, .outboxGap, .outboxDiverged, .notSupported, .busy,
      .tooManyStreams, .tooManyLists, .tooManySubscriptions, .quotaReached, .tooManyRequests,
      .newerSchema:
      break
    }
  }

  /// Forgets the failures up to the one with this number.
  func settle(through count: Int) {
    state.withLock { $0.settled = max($0.settled, count) }
  }
}

extension StoreLogic {
  /// Users whose rows a rehearsal writes: some milliseconds of work.
  private static let rehearsedUsersMax = 16

  /// Writes the newest item and the counters of some users again, as they are, and what
  /// ``StoreService/probe()`` writes. Nothing that a client sees changes.
  func rehearse(in transaction: any StoreTransaction) throws {
    for user in try transaction.users().prefix(Self.rehearsedUsersMax) {
      var ledger = try Ledger(user.id, in: transaction)
      let newest = ItemQuery(now: nil, limit: PageLimit(rows: 1, bytes: 1))
      for item in try transaction.items(newest, of: user.id) {
        try update(item, ledger: &ledger, in: transaction)
      }
      try transaction.setCounters(ledger.counters, of: user.id)
    }
    try probe(in: transaction)
  }

  fileprivate func probe(in transaction: any StoreTransaction) throws {
    try transaction.setMetadata(Array(String(now.milliseconds).utf8), for: .probe)
  }
}

extension StoreService {
  /// How many writes have failed for reasons of the storage.
  public var failedWriteCount: Int { writeHealth.failedCount }

  /// Writes something small and waits until it is on the disk. After a write has failed, it writes
  /// where publications write, until that has succeeded once.
  ///
  /// - Throws: ``StoreError/storageFull``, ``StoreError/unavailable(reason:)``.
  public func probe() async throws(StoreError) {
    let count = writeHealth.failedCount
    guard writeHealth.hasFailed else { return try await write { try $0.probe(in: $1) } }
    try await write { try $0.rehearse(in: $1) }
    writeHealth.settle(through: count)
  }
}
