package import BellhopModel
import GRDB

/// The cache of one account in its SQLite file; one object per process writes to it.
///
/// Durability: user actions (`enqueue`, cancelling, sealing, renumbering) are
/// committed with `synchronous=FULL` and survive a power loss; with ``Durability/later``, they
/// survive it once ``syncToDisk()`` returns. Everything else is data that the store has anyway. It
/// is committed with `NORMAL` and survives a killed process. A power loss undoes whole transactions
/// only, rows together with their token.
/// Processes may share the file. Writers wait for each other; readers never wait.
package final class SQLiteCache: CacheStorage {
  package let account: AccountName
  private let connection: Connection
  private let identity: CacheIdentity

  /// Opens the cache, making or migrating the file if needed.
  ///
  /// - Throws: ``CacheError/newerSchema(path:)`` and ``CacheError/otherAccount(path:found:)``, with
  ///   nothing changed; ``CacheError/corrupt(path:detail:)``, see ``salvage(at:identity:now:)``;
  ///   ``CacheError/full(path:)``; ``CacheError/io(path:detail:)``.
  package init(path: String, identity: CacheIdentity) throws(CacheError) {
    account = identity.account
    self.identity = identity
    try Self.finishSalvage(at: path)
    try CacheFile.create(at: path)
    try CacheFile.check(path)
    connection = try Connection(path: path, role: .writer)
    if CacheFile.isMarkedDamaged(path) { try connection.checkIntegrity() }
    if let state = try connection.prepareSchema(identity) { try readAgainIfNeeded(state) }
  }

  /// Begins to read everything again from the store if an earlier version read it, or a device in
  /// another environment.
  ///
  /// That version ignored members that it did not know, and that device received other items. Until
  /// everything is read, the items are here as they were read then.
  private func readAgainIfNeeded(_ known: SyncState) throws(CacheError) {
    func isNeeded(_ state: SyncState) -> Bool {
      identity.mustReadAgain(state.form) && state.firstSync == nil
    }
    guard isNeeded(known) else { return }
    try write { logic in
      // Another process may have begun just now.
      if isNeeded(logic.transaction.state) { _ = try logic.beginRebuild(epoch: nil) }
    }
  }

  func write<Result>(
    synced: Bool = false,
    _ body: (CacheLogic<SQLiteTransaction>) throws -> Result
  ) throws(CacheError) -> Result {
    try connection.write(synced: synced) { statement in
      let transaction = try SQLiteTransaction(
        statement, account: account, loggedChangesMax: identity.loggedChangesMax)
      let result = try body(CacheLogic(transaction, identity))
      try transaction.finish()
      return result
    }
  }

  private func read<Result>(
    _ body: (CacheLogic<SQLiteTransaction>) throws -> Result
  ) throws(CacheError) -> Result {
    try connection.read { statement in
      try body(CacheLogic(try SQLiteTransaction(statement, account: account), identity))
    }
  }

  // MARK: Sync state

  package func syncState() throws(CacheError) -> SyncState { try read { $0.transaction.state } }

  package func setAuthor(_ author: Author) throws(CacheError) {
    try write { $0.transaction.state.author = author }
  }

  package func setClockOffset(_ offset: Duration) throws(CacheError) {
    try write { $0.transaction.state.clockOffset = .milliseconds(offset.milliseconds) }
  }

  package func setEpoch(_ epoch: Epoch) throws(CacheError) {
    try write { $0.transaction.state.epoch = epoch }
  }

  // MARK: Base

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

  // MARK: Outbox

  package func enqueue(
    _ operations: [BellhopModel.Operation], now: Timestamp, sealAfter: Duration?,
    durability: Durability
  ) throws(CacheError) -> [NotificationID] {
    try write(synced: durability == .now && !Mutant.outboxNotSynced.isOn) {
      try $0.enqueue(operations, now: now, sealAfter: sealAfter)
    }
  }

  package func syncToDisk() throws(CacheError) {
    if Mutant.syncToDiskDoesNothing.isOn { return }
    try connection.syncLog()
  }

  package func cancel(
    _ id: OperationID, now: Timestamp
  ) throws(CacheError) -> [NotificationID]? {
    try write(synced: true) { try $0.cancel(id, now: now) }
  }

  package func seal(_ which: SealScope, now: Timestamp) throws(CacheError) -> Timestamp? {
    // Called often, with nothing to do: only sealing justifies a disk sync.
    let held = try read { try $0.transaction.heldEntries() }
    let isWorthSeal =
      switch which {
      case .none: false
      case .due: held.contains { $0.sealAt ?? now <= now }
      case .own, .all: !held.isEmpty
      }
    guard isWorthSeal else {
      return held.compactMap(\.sealAt).min()
    }
    return try write(synced: true) { try $0.seal(which, now: now) }
  }

  package func sealedBatch(limit: Int) throws(CacheError) -> OutboxBatch {
    try read { try $0.sealedBatch(limit: limit) }
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
    try read { try $0.transaction.outboxCounts() }
  }

  package func hasAnswers(after sequence: SequenceNumber) throws(CacheError) -> Bool {
    try read { try $0.hasAnswers(after: sequence) }
  }

  // MARK: Rejected operations

  package func unreportedRejections() throws(CacheError) -> [RejectedOperation] {
    try read { try $0.unreportedRejections() }
  }

  package func markReported(_ operations: [OperationID]) throws(CacheError) {
    guard !operations.isEmpty else { return }
    try write { try $0.markReported(operations) }
  }

  // MARK: Announcing

  package func claimAnnouncements(_ arrivals: [Arrival]) throws(CacheError) -> [Arrival] {
    guard !arrivals.isEmpty else { return [] }
    return try write { try $0.claimAnnouncements(arrivals) }
  }

  package func claimTrayAnnouncements(limit: Int) throws(CacheError) -> [Arrival] {
    // Called after every change: a read costs less than a write transaction.
    guard try read({ try !$0.transaction.unannouncedInTray(limit: 1).isEmpty }) else { return [] }
    return try write { try $0.claimTrayAnnouncements(limit: limit) }
  }

  // MARK: Search index

  package func drainIndexQueue(limit: Int) throws(CacheError) -> Bool {
    try write { try $0.transaction.drainIndexQueue(limit: limit) }
  }
}

extension Connection {
  /// Checks the whole file, and clears the damage mark if the file is intact.
  ///
  /// It takes a second for a few hundred thousand items.
  fileprivate func checkIntegrity() throws(CacheError) {
    let isSound = try? queue.writeWithoutTransaction { db in
      if try db.tableExists("item_index") {
        try db.execute(sql: "INSERT INTO item_index (item_index) VALUES ('integrity-check')")
      }
      return try String.fetchAll(db, sql: "PRAGMA integrity_check(1)") == ["ok"]
    }
    guard isSound == true else { throw CacheFile.damageMet(path) }
    CacheFile.unmarkDamaged(path)
  }

  /// Migrates the schema, and inserts the state row of a new cache.
  ///
  /// - Returns: The state of a cache that existed before; nil for a new one.
  fileprivate func prepareSchema(_ identity: CacheIdentity) throws(CacheError) -> SyncState? {
    do {
      try queue.writeWithoutTransaction { db in
        let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if version > Schema.version { throw CacheError.newerSchema(path: path) }
        if version < Schema.version { try Schema.migrate(db) }
      }
    } catch {
      throw failure(error)
    }
    let found = try read { try SQLiteTransaction.readState($0) }
    if let found {
      guard found.account == identity.account else {
        throw .otherAccount(path: path, found: found.account)
      }
      return found.state
    }
    try write(synced: true) { statement in
      // Another process may have inserted it just now.
      guard try SQLiteTransaction.readState(statement) == nil else { return }
      try SQLiteTransaction.insert(
        .fresh(identity), account: identity.account, statement)
    }
    return nil
  }
}
