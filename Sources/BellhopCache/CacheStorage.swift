package import BellhopModel

/// The local cache of one account, as the synchronisation engine uses it.
///
/// Contract for every implementation, verified by one conformance suite:
/// - Each method is one transaction. It takes effect completely or not at all, even if the process
///   is killed during it. Methods can be called from any thread; they are synchronous and short.
/// - `now` is always the *store's* time: this machine's clock plus ``SyncState/clockOffset``.
/// - The shown state is base with the pending operations applied by `Operation.apply`. Every method
///   that changes one of the two updates the shown state of the items concerned (SYNC-13).
/// - Once ``enqueue(_:now:sealAfter:)``, sealing, renumbering or ``syncToDisk()`` returns, the
///   change survives a power loss. Pulled rows survive a killed process. A power loss may undo the
///   last of them *together with their token*; they are then pulled again.
/// - Errors are ``CacheError``.
package protocol CacheStorage: Sendable {
  /// The account that the cache belongs to.
  var account: AccountName { get }

  // MARK: Sync state

  func syncState() throws(CacheError) -> SyncState

  /// Saves the device's identity at the store, which signs later optimistic changes.
  func setAuthor(_ author: Author) throws(CacheError)

  /// Saves the measured difference between the store's clock and this machine's.
  func setClockOffset(_ offset: Duration) throws(CacheError)

  /// Saves the store's epoch.
  func setEpoch(_ epoch: Epoch) throws(CacheError)

  // MARK: Base

  /// Applies a part of a pull (SYNC-13 and SYNC-14).
  ///
  /// A chunk changes nothing if its token, page or generation is no longer the requested one. A row
  /// applies only if its sequence is higher than the one known in this generation. A state row for
  /// an unknown item is ignored. The token moves only with ``ChangeChunk/end``.
  func apply(_ chunk: ChangeChunk, now: Timestamp) throws(CacheError) -> ApplyOutcome

  /// Starts to rebuild base after a `410`.
  ///
  /// Begins a new generation without a token, which needs the first page. Known items stay visible
  /// until the new generation replaces them. The outbox does not change.
  ///
  /// - Returns: The new state.
  func beginRebuild(epoch: Epoch?) throws(CacheError) -> SyncState

  /// Checks `limit` items, and removes those that the finished rebuild did not bring again.
  ///
  /// It also places the other items according to `now`. Call it while ``SyncState/needsSweep`` is
  /// true.
  func sweepOldGenerations(limit: Int, now: Timestamp) throws(CacheError) -> SweepOutcome

  /// Updates at most `limit` items after bulk operations entered or left the outbox, newest first
  /// (SYNC-10).
  ///
  /// Call it while ``SyncState/needsOverlay`` is true. Making a bulk operation thus costs the same
  /// however many items it concerns.
  func overlayBulk(limit: Int, now: Timestamp) throws(CacheError) -> OverlayOutcome

  /// Returns the due times and counts of the outbox and the items, or nil if something is due.
  ///
  /// The result combines ``seal(_:now:)`` of due operations, ``moveDueItems(now:limit:)`` and
  /// ``outboxCounts()``. It is nil if one of the first two has something to do. The engine calls
  /// this after every event, nearly always with nothing to do. It costs one read transaction.
  func pendingWork(now: Timestamp) throws(CacheError) -> PendingWork?

  /// Moves at most `limit` items whose placement has changed by itself (SYNC-11).
  ///
  /// If `now` is before the time of the last check, a clock was set back, and a sweep begins that
  /// checks all items again.
  func moveDueItems(now: Timestamp, limit: Int) throws(CacheError) -> DueItemsOutcome

  // MARK: Outbox

  /// Appends operations in order and applies them to the shown state.
  ///
  /// With `sealAfter`, the operations are held and can be cancelled for that time (deletes: 5 s).
  /// Without it, they are sealed at once. An operation whose id is already in the outbox is
  /// ignored.
  /// - Parameter durability: With ``Durability/later``, the operations may be sent while the disk
  ///   still syncs. A power loss then undoes them like a rollback of the whole cache: the store may
  ///   have their effect and their numbers, so that the next operations diverge (SYNC-9).
  /// - Returns: The items whose shown state changed.
  func enqueue(
    _ operations: [Operation], now: Timestamp, sealAfter: Duration?, durability: Durability
  ) throws(CacheError) -> [NotificationID]

  /// Waits until all commits before the call survive a power loss.
  ///
  /// Other transactions continue meanwhile.
  func syncToDisk() throws(CacheError)

  /// Cancels a held operation.
  ///
  /// - Returns: The items that it concerned; nil if it is already sealed or unknown.
  func cancel(_ id: OperationID, now: Timestamp) throws(CacheError) -> [NotificationID]?

  /// Seals the held operations that are due or in scope, in the order they were made.
  ///
  /// - Returns: The time at which the next held operation is due; nil if none is held.
  func seal(_ which: SealScope, now: Timestamp) throws(CacheError) -> Timestamp?

  /// Returns at most `limit` sealed operations that the store has not answered, lowest number
  /// first.
  func sealedBatch(limit: Int) throws(CacheError) -> OutboxBatch

  /// Applies the store's answers. `sequence` is the change counter that contains the effects.
  ///
  /// Applied operations stay part of the shown state until base reaches the sequence.
  func acknowledge(
    _ answers: [OperationAnswer], sequence: SequenceNumber, now: Timestamp
  ) throws(CacheError) -> AcknowledgeOutcome

  /// Renumbers the sealed operations in scope from `first`, in order, under `lineage`.
  ///
  /// A diverged outbox, a new epoch or an unknown device requires a new lineage from 1. After a
  /// gap, the store may instead name the number that it expects next in the present lineage.
  func renumber(
    _ scope: RenumberScope, lineage: Lineage, from first: Int64
  ) throws(CacheError)

  func outboxCounts() throws(CacheError) -> OutboxCounts

  /// Returns whether answered operations wait for base to reach a change counter above `sequence`.
  func hasAnswers(after sequence: SequenceNumber) throws(CacheError) -> Bool

  // MARK: Rejected operations

  /// Returns the operations that did not take effect and that the user has not seen yet, oldest
  /// first.
  ///
  /// The process that received the answer was killed before it showed them, or had no screen. All
  /// that are kept are returned.
  func unreportedRejections() throws(CacheError) -> [RejectedOperation]

  /// Records that the user has seen that these operations did not take effect.
  ///
  /// Call it after showing them: a process that is killed in between shows them twice, but never
  /// not at all.
  func markReported(_ operations: [OperationID]) throws(CacheError)

  // MARK: Announcing

  /// Claims the announcement of contents. Each is granted once, to one caller of all processes.
  ///
  /// - Returns: The `arrivals` that the caller is to announce.
  func claimAnnouncements(_ arrivals: [Arrival]) throws(CacheError) -> [Arrival]

  /// Claims all items in the tray without an announcement, newest first, at most `limit`.
  func claimTrayAnnouncements(limit: Int) throws(CacheError) -> [Arrival]

  // MARK: Search index

  /// Indexes at most `limit` queued items, newest first.
  ///
  /// - Returns: Whether more items are queued.
  func drainIndexQueue(limit: Int) throws(CacheError) -> Bool
}

extension CacheStorage {
  /// Appends operations that survive a power loss once this returns.
  ///
  /// - Returns: The items whose shown state changed.
  package func enqueue(
    _ operations: [Operation], now: Timestamp, sealAfter: Duration?
  ) throws(CacheError) -> [NotificationID] {
    try enqueue(operations, now: now, sealAfter: sealAfter, durability: .now)
  }
}

/// The moment from which a change survives a power loss.
///
/// A change survives a killed process from its commit on.
package enum Durability: Hashable, Sendable {
  /// When the call returns.
  case now
  /// When the ``CacheStorage/syncToDisk()`` call that has to follow returns.
  case later
}

/// The held operations to seal.
package enum SealScope: Hashable, Sendable {
  /// No operations: the call only returns the end of the next grace period.
  case none
  /// The held operations whose grace period is over by the given time.
  case due
  /// Also those that this process made, because it quits. Others can still be cancelled by their
  /// process.
  case own
  /// All held operations, because the clock was set and grace periods can't be measured.
  case all
}
