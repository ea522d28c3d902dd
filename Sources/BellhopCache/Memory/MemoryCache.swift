package import BellhopModel
import Synchronization

/// The cache in memory: the counterpart of ``SQLiteCache`` for simulations and tests.
///
/// It applies the same rules to plain values and is deterministic. It remembers what a disk would
/// hold: ``loseUnsynced()`` simulates a power loss, and ``failWrite(after:keeping:_:)`` a full disk
/// or a process killed at any write.
package final class MemoryCache: CacheStorage, CacheReading {
  private struct Storage {
    var current: MemoryContents
    /// The contents that survive a power loss.
    var synced: MemoryContents
    var failure: Failure?
  }

  private struct Failure {
    /// The number of transactions that still succeed.
    var after: Int
    /// Whether the failing transaction is committed: the process is killed before it learns of it.
    var isCommitted: Bool
    var error: CacheError
  }

  /// The contents that all handles of one cache share.
  private final class Shared: Sendable {
    let storage: Mutex<Storage>
    init(_ contents: MemoryContents) {
      storage = Mutex(Storage(current: contents, synced: contents))
    }
  }

  package let account: AccountName
  private let identity: CacheIdentity
  private let shared: Shared

  /// Creates an empty cache of the account.
  package init(identity: CacheIdentity) {
    account = identity.account
    self.identity = identity
    shared = Shared(MemoryContents(state: .fresh(identity)))
  }

  private init(_ original: MemoryCache, owner: OutboxOwner, _ shared: Shared) {
    account = original.account
    var identity = original.identity
    identity.owner = owner
    self.identity = identity
    self.shared = shared
  }

  /// Returns the same cache as another process on the machine opens it.
  package func opened(by owner: OutboxOwner) -> MemoryCache {
    MemoryCache(self, owner: owner, shared)
  }

  // MARK: Faults

  /// Simulates a power loss: undoes everything since the last synced transaction.
  package func loseUnsynced() {
    shared.storage.withLock { $0.current = $0.synced }
  }

  /// Does the same as ``syncToDisk()``, which can't fail here.
  package func sync() {
    shared.storage.withLock { $0.synced = $0.current }
  }

  /// Makes the transaction after the next `count` transactions fail as a whole.
  ///
  /// That simulates a full disk, or a process killed during the transaction. With `keeping`, the
  /// transaction is committed all the same, as for a process killed just after it.
  package func failWrite(after count: Int, keeping: Bool, _ error: CacheError) {
    shared.storage.withLock {
      $0.failure = Failure(after: count, isCommitted: keeping, error: error)
    }
  }

  /// Cancels a failure that has not happened yet.
  package func failNoWrite() { shared.storage.withLock { $0.failure = nil } }

  /// Returns a cache with a copy of the contents, like a copied home directory.
  package func copy() -> MemoryCache { MemoryCache(self, owner: identity.owner, Shared(contents)) }

  // MARK: Transactions

  private func write<Result>(
    synced: Bool = false, _ body: (CacheLogic<MemoryTransaction>) throws -> sending Result
  ) throws(CacheError) -> Result {
    do {
      return try shared.storage.withLock { storage throws in
        let failure = storage.failure
        storage.failure?.after -= 1
        if let failure, failure.after == 0 {
          storage.failure = nil
          if !failure.isCommitted { throw failure.error }
        }
        let transaction = MemoryTransaction(
          storage.current, loggedChangesMax: identity.loggedChangesMax)
        let result = try body(CacheLogic(transaction, identity))
        transaction.finish()
        storage.current = transaction.contents
        if synced { storage.synced = transaction.contents }
        if let failure, failure.after == 0 { throw failure.error }
        return result
      }
    } catch {
      throw CacheError(error, path: "memory")
    }
  }

  private func read<Result>(
    _ body: (CacheLogic<MemoryTransaction>) throws -> Result
  ) throws(CacheError) -> Result {
    try wrapped { try body(CacheLogic(MemoryTransaction(contents), identity)) }
  }

  func wrapped<Result>(_ body: () throws -> Result) throws(CacheError) -> Result {
    do { return try body() } catch { throw CacheError(error, path: "memory") }
  }

  /// The present contents of the cache.
  var contents: MemoryContents { shared.storage.withLock(\.current) }

  // MARK: CacheStorage

  package func syncState() throws(CacheError) -> SyncState { contents.state }

  package func setAuthor(_ author: Author) throws(CacheError) {
    try write { $0.transaction.state.author = author }
  }

  package func setClockOffset(_ offset: Duration) throws(CacheError) {
    try write { $0.transaction.state.clockOffset = .milliseconds(offset.milliseconds) }
  }

  package func setEpoch(_ epoch: Epoch) throws(CacheError) {
    try write { $0.transaction.state.epoch = epoch }
  }

  package func apply(_ chunk: ChangeChunk, now: Timestamp) throws(CacheError) -> ApplyOutcome {
    try write { try $0.apply(chunk, now: now) }
  }

  package func beginRebuild(epoch: Epoch?) throws(CacheError) -> SyncState {
    try write { try $0.beginRebuild(epoch: epoch) }
  }

  package func sweepOldGenerations(
    limit: Int, now: Timestamp
  ) throws(CacheError) -> SweepOutcome {
    try write { try $0.sweep(limit: limit, now: now) }
  }

  package func overlayBulk(
    limit: Int, now: Timestamp
  ) throws(CacheError) -> OverlayOutcome {
    try write { try $0.overlayBulk(limit: limit, now: now) }
  }

  package func pendingWork(now: Timestamp) throws(CacheError) -> PendingWork? {
    try read { try $0.pendingWork(now: now) }
  }

  package func moveDueItems(now: Timestamp, limit: Int) throws(CacheError) -> DueItemsOutcome {
    try write { try $0.moveDueItems(now: now, limit: limit) }
  }

  package func enqueue(
    _ operations: [Operation], now: Timestamp, sealAfter: Duration?, durability: Durability
  ) throws(CacheError) -> [NotificationID] {
    try write(synced: durability == .now) {
      try $0.enqueue(operations, now: now, sealAfter: sealAfter)
    }
  }

  package func syncToDisk() throws(CacheError) { sync() }

  package func cancel(
    _ id: OperationID, now: Timestamp
  ) throws(CacheError) -> [NotificationID]? {
    try write(synced: true) { try $0.cancel(id, now: now) }
  }

  package func seal(_ which: SealScope, now: Timestamp) throws(CacheError) -> Timestamp? {
    try write(synced: true) { try $0.seal(which, now: now) }
  }

  package func sealedBatch(limit: Int) throws(CacheError) -> OutboxBatch {
    try write { try $0.sealedBatch(limit: limit) }
  }

  package func acknowledge(
    _ answers: [OperationAnswer], sequence: SequenceNumber, now: Timestamp
  ) throws(CacheError) -> AcknowledgeOutcome {
    try write { try $0.acknowledge(answers, sequence: sequence, now: now) }
  }

  package func renumber(
    _ scope: RenumberScope, lineage: Lineage, from first: Int64
  ) throws(CacheError) {
    try write(synced: true) { try $0.renumber(scope, lineage: lineage, from: first) }
  }

  package func outboxCounts() throws(CacheError) -> OutboxCounts {
    MemoryTransaction(contents).outboxCounts()
  }

  package func hasAnswers(after sequence: SequenceNumber) throws(CacheError) -> Bool {
    contents.outbox.contains { entry in entry.answered.map { $0 > sequence } ?? false }
  }

  package func unreportedRejections() throws(CacheError) -> [RejectedOperation] {
    try read { try $0.unreportedRejections() }
  }

  package func markReported(_ operations: [OperationID]) throws(CacheError) {
    guard !operations.isEmpty else { return }
    try write { try $0.markReported(operations) }
  }

  package func claimAnnouncements(_ arrivals: [Arrival]) throws(CacheError) -> [Arrival] {
    try write { try $0.claimAnnouncements(arrivals) }
  }

  package func claimTrayAnnouncements(limit: Int) throws(CacheError) -> [Arrival] {
    try write { try $0.claimTrayAnnouncements(limit: limit) }
  }

  package func drainIndexQueue(limit: Int) throws(CacheError) -> Bool { false }
}

extension SyncState {
  /// Returns the state of a new, empty cache.
  static func fresh(_ identity: CacheIdentity) -> SyncState {
    let lineage = identity.newLineage()
    var state = SyncState(generation: 1, firstSync: FirstSync(isInitial: true), lineage: lineage)
    state.changeLog = lineage.rawValue
    state.zoneMark = identity.wallClock.ownZoneMark
    return state
  }
}
