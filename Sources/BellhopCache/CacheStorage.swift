package import BellhopModel

/// The local cache of one account as the synchronisation engine needs it.
///
/// Contract, the same for every implementation and proved by one conformance suite:
/// - Each method is one transaction: it happens whole or not at all, also when the process is
///   killed inside it. Methods may be called from any thread; they are synchronous and short.
/// - `now` is always the *store's* time: this machine's clock plus ``SyncState/clockOffset``.
/// - What is shown is base with the pending operations applied by `Operation.apply`; every method
///   that touches one of the two brings it up to date for the items concerned (SYNC-13).
/// - After ``enqueue(_:now:sealAfter:)``, sealing, renumbering and ``syncToDisk()`` return, the change
///   survives a power loss. Pulled rows survive a killed process; a power loss may take the last of
///   them back *together with their token*, and they are pulled again.
/// - Errors are ``CacheError``.
package protocol CacheStorage: Sendable {
  /// The account that the cache belongs to.
  var account: AccountName { get }

  // MARK: Where the device stands

  func syncState() throws(CacheError) -> SyncState

  /// Remembers who this device is at the store, for optimistic changes made from now on.
  func setAuthor(_ author: Author) throws(CacheError)

  /// Remembers the measured difference between the store's clock and this machine's.
  func setClockOffset(_ offset: Duration) throws(CacheError)

  /// Remembers the store's epoch.
  func setEpoch(_ epoch: Epoch) throws(CacheError)

  // MARK: Base

  /// Applies a part of a pull (SYNC-13 and SYNC-14).
  ///
  /// A chunk whose token, page or generation is no longer the wanted one changes nothing. A row
  /// applies only if its sequence is higher than the one known in this generation; a state row for
  /// an unknown item is ignored. The token moves only with ``ChangeChunk/end``.
  func apply(_ chunk: ChangeChunk, now: Timestamp) throws(CacheError) -> ApplyOutcome

  /// Starts base anew after a `410`: a new generation, no token, first page wanted. What is known
  /// stays visible until the new generation replaces it. The outbox is not touched.
  ///
  /// - Returns: the new state.
  func beginRebuild(epoch: Epoch?) throws(CacheError) -> SyncState

  /// Looks through `limit` items for those that the ended rebuild did not bring again, and removes
  /// them; the others are put where they belong at `now`. To be called while
  /// ``SyncState/needsSweep``.
  func sweepOldGenerations(limit: Int, now: Timestamp) throws(CacheError) -> SweepOutcome

  /// Brings at most `limit` items up to date with bulk operations that came into the outbox or went
  /// from it, newest first (SYNC-10). To be called while ``SyncState/needsOverlay``; making such
  /// an operation costs the same whatever it is meant for.
  func overlayBulk(limit: Int, now: Timestamp) throws(CacheError) -> OverlayOutcome

  /// What ``seal(_:now:)`` of what is due, ``turnOver(now:limit:)`` and ``outboxCounts()`` would find
  /// together; nil when one of the first two has something to do. It is asked for after every event,
  /// nearly always with nothing to do, and costs one reading transaction.
  func glance(now: Timestamp) throws(CacheError) -> CacheGlance?

  /// Moves at most `limit` items whose placement changed by itself since (SYNC-11). When `now`
  /// is before the last look, a clock was set back, and a sweep begins that looks at all again.
  func turnOver(now: Timestamp, limit: Int) throws(CacheError) -> TurnOverOutcome

  // MARK: Outbox

  /// Appends operations in order and applies them to what is shown.
  ///
  /// With `sealAfter` they are held and can be cancelled until then (deletes: 5 s); without, they
  /// are sealed at once. An operation whose id is already there is ignored.
  /// - Parameter durability: with ``Durability/later`` the operations may be sent while the disk
  ///   still syncs. A power loss then takes them back like a rollback of the whole cache: the store
  ///   may have their effect, and their numbers, which makes the next ones diverge (SYNC-9).
  /// - Returns: the items whose shown state changed.
  func enqueue(
    _ operations: [Operation], now: Timestamp, sealAfter: Duration?, durability: Durability
  ) throws(CacheError) -> [NotificationID]

  /// Waits until everything that was committed before the call survives a power loss. Other
  /// transactions go on meanwhile.
  func syncToDisk() throws(CacheError)

  /// Takes a held operation back.
  ///
  /// - Returns: the items it was meant for; nil when it is sealed already or unknown.
  func cancel(_ id: OperationID, now: Timestamp) throws(CacheError) -> [NotificationID]?

  /// Seals the held operations whose time has come, and those in scope, in the order they were made.
  ///
  /// - Returns: when the next held operation is due; nil when none is held.
  func seal(_ which: SealScope, now: Timestamp) throws(CacheError) -> Timestamp?

  /// At most `limit` sealed operations that the store has not answered, lowest number first.
  func sealedBatch(limit: Int) throws(CacheError) -> OutboxBatch

  /// Takes in the store's answers; `sequence` is the change counter that contains the effects.
  ///
  /// Applied ones stay in what is shown until base has reached the sequence.
  func acknowledge(
    _ answers: [OperationAnswer], sequence: SequenceNumber, now: Timestamp
  ) throws(CacheError) -> AcknowledgeOutcome

  /// Numbers the sealed operations in scope anew from `first`, in order, under `lineage`.
  ///
  /// For a diverged outbox, a new epoch or an unknown device: a new lineage from 1. For a gap the
  /// store may also name the number it expects next in the present lineage.
  func renumber(
    _ scope: RenumberScope, lineage: Lineage, from first: Int64
  ) throws(CacheError)

  func outboxCounts() throws(CacheError) -> OutboxCounts

  /// Whether operations wait for base to reach a change counter above this, at which they were
  /// answered.
  func hasAnswers(after sequence: SequenceNumber) throws(CacheError) -> Bool

  // MARK: What did not take effect

  /// Operations that did not take effect and that no person was told of yet, the oldest first: the
  /// process that took in the answer was killed before it said so, or had nobody to tell. As many
  /// as are kept.
  func untold() throws(CacheError) -> [RejectedOperation]

  /// Remembers that a person was told that these did not take effect. To be called after the
  /// telling: who is killed in between tells it twice, and never not at all.
  func markTold(_ operations: [OperationID]) throws(CacheError)

  // MARK: Announcing

  /// Claims the announcement of contents: each is granted once, to one caller, of all processes.
  ///
  /// - Returns: those of `arrivals` that the caller is to announce.
  func claimAnnouncements(_ arrivals: [Arrival]) throws(CacheError) -> [Arrival]

  /// Claims everything in the tray that nobody has announced yet, newest first, at most `limit`.
  func claimTrayAnnouncements(limit: Int) throws(CacheError) -> [Arrival]

  // MARK: Search index

  /// Indexes at most `limit` waiting items, newest first.
  ///
  /// - Returns: whether more are waiting.
  func drainIndexQueue(limit: Int) throws(CacheError) -> Bool
}

extension CacheStorage {
  /// Appends operations so that they survive a power loss when this returns.
  ///
  /// - Returns: the items whose shown state changed.
  package func enqueue(
    _ operations: [Operation], now: Timestamp, sealAfter: Duration?
  ) throws(CacheError) -> [NotificationID] {
    try enqueue(operations, now: now, sealAfter: sealAfter, durability: .now)
  }
}

/// When a change survives a power loss. A killed process it survives from its commit on.
package enum Durability: Hashable, Sendable {
  /// When the call returns.
  case now
  /// When the ``CacheStorage/syncToDisk()`` that has to follow returns.
  case later
}

/// Which held operations to seal.
package enum SealScope: Hashable, Sendable {
  /// None: it is only asked when the next grace period ends.
  case none
  /// The held operations whose grace period is over by the given time.
  case due
  /// Also those that this process made: it quits. Others may still be taken back where they were made.
  case own
  /// All: a clock was set, and says nothing of grace periods.
  case all
}
