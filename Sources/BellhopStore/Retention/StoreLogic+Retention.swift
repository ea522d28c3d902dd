package import BellhopModel

extension StoreLogic {
  /// Returns the next few items that must leave the store, by user.
  package func nextLeaving(in state: any StoreReading) throws -> [UserID: [NotificationID]] {
    Self.byUser(try state.leaving(by: expiryNow, limit: limits.sweepItemsMax))
  }

  /// Returns the next few tombstones past their life, by user.
  func nextTombstones(in state: any StoreReading) throws -> [UserID: [NotificationID]] {
    let oldest = expiryNow.advanced(by: .zero - tombstoneLife)
    return Self.byUser(
      try state.tombstones(deletedBefore: oldest, limit: limits.sweepItemsMax))
  }

  /// Returns the next few removed rules past the life of tombstones, by user.
  func nextRemovedRules(in state: any StoreReading) throws -> [UserID: [RuleID]] {
    let oldest = expiryNow.advanced(by: .zero - tombstoneLife)
    let rules = try state.removedRules(before: oldest, limit: limits.sweepItemsMax)
    return Dictionary(grouping: rules, by: \.user).mapValues { $0.map(\.id) }
  }

  private var tombstoneLife: Duration {
    Mutant.tombstonesDieEarly.isOn ? .zero : limits.tombstoneLife
  }

  private static func byUser(_ items: [UserItem]) -> [UserID: [NotificationID]] {
    Dictionary(grouping: items, by: \.user).mapValues { $0.map(\.id) }
  }

  /// Turns items that must leave the store into tombstones. Items that were pinned or renewed since
  /// they were listed stay.
  ///
  /// - Returns: the number of items, and the user's sequence afterwards.
  package func expire(
    _ ids: [NotificationID], of user: UserID, in transaction: any StoreTransaction
  ) throws -> (count: Int, sequence: SequenceNumber) {
    let now = now
    var ledger = try CounterUpdates(user, in: transaction)
    var count = 0
    for id in ids {
      guard case .live(let item)? = try transaction.row(id, of: user) else { continue }
      let app = try ledger.app(item.content.app, in: transaction)
      let clock = try wallClock(for: item.content, of: user, in: transaction)
      let leaves =
        Mutant.pinnedWhileSwept.isOn
        ? endOfStay(of: item, in: app, on: clock) : leavingTime(of: item, in: app, on: clock)
      if leaves.map({ $0 <= expiryNow }) ?? false || Mutant.sweepUnrechecked.isOn {
        try replaceWithTombstone(item, ledger: &ledger, at: now, in: transaction)
        count += 1
      } else {
        // Listed by an older retention that no pass has updated yet.
        try transaction.setLeaves(leaves, of: id, user: user)
      }
    }
    try ledger.close(in: transaction)
    return (count, ledger.counters.sequence)
  }

  /// Drops old tombstones. The same transaction raises the floor above them, so that no token can
  /// miss a deletion (SYNC-12).
  package func dropTombstones(
    _ ids: [NotificationID], of user: UserID, in transaction: any StoreTransaction
  ) throws -> Int {
    let oldest = expiryNow.advanced(by: .zero - tombstoneLife)
    var ledger = try CounterUpdates(user, in: transaction)
    var count = 0
    for id in ids {
      guard case .tombstone(let tombstone)? = try transaction.row(id, of: user),
        tombstone.deleted < oldest
      else { continue }
      if !Mutant.floorKept.isOn { ledger.raiseFloor(to: tombstone.sequence) }
      try ledger.count(tombstones: -1, of: tombstone.app, in: transaction)
      try transaction.removeTombstone(id, of: user)
      count += 1
    }
    try ledger.close(in: transaction)
    return count
  }

  /// Drops rules that were removed long ago, as ``dropTombstones(_:of:in:)`` does with items.
  ///
  /// - Returns: the number of dropped rules.
  func dropRules(
    _ ids: [RuleID], of user: UserID, in transaction: any StoreTransaction
  ) throws -> Int {
    let oldest = expiryNow.advanced(by: .zero - tombstoneLife)
    var ledger = try CounterUpdates(user, in: transaction)
    var count = 0
    for id in ids {
      guard let rule = try transaction.storedRule(id, of: user), let removed = rule.removed,
        removed < oldest
      else { continue }
      if !Mutant.floorKept.isOn { ledger.raiseFloor(to: rule.sequence) }
      try transaction.dropRule(id, of: user)
      count += 1
    }
    try ledger.close(in: transaction)
    return count
  }

  /// Forgets records whose answers can no longer be requested.
  ///
  /// - Returns: whether more records remain.
  func forgetRecords(in transaction: any StoreTransaction) throws -> Bool {
    let now = expiryNow
    let publications = try transaction.removePublications(
      before: now.advanced(by: .zero - limits.idempotencyLife), limit: limits.sweepItemsMax)
    let operations = try transaction.removeOperations(
      before: now.advanced(by: .zero - limits.operationLife), limit: limits.sweepItemsMax)
    let tokens = try transaction.removeEndedTokens(
      before: now.advanced(by: .zero - limits.endedTokenLife), limit: limits.sweepItemsMax)
    let responses = try transaction.removeAwaitedResponses(
      endedBefore: now.advanced(by: .zero - limits.operationLife), limit: limits.sweepItemsMax)
    let grants = try forgetDeviceGrants(by: now, in: transaction)
    return max(publications, operations, tokens, responses, grants) >= limits.sweepItemsMax
  }

  /// Performs a whole sweep on one thread, for simulations. ``StoreService/sweep()`` does the same
  /// with a transaction for each batch.
  package func sweep(in transaction: any StoreTransaction) throws -> SweepReport {
    for user in try transaction.users() { try transaction.lock(user.id) }
    var report = SweepReport()
    while let pass = try transaction.retentionPasses(limit: 1).first {
      try retain(pass, in: transaction)
    }
    report.clockDoubt = clock.judge()
    if let record = clock.unsaved {
      try save(record, in: transaction)
      clock.noteSaved(record)
    }
    if report.clockDoubt != nil { return report }
    while case let batches = try nextLeaving(in: transaction), !batches.isEmpty {
      for (user, ids) in batches.sorted(by: { $0.key < $1.key }) {
        report.expired += try expire(ids, of: user, in: transaction).count
      }
    }
    while case let batches = try nextTombstones(in: transaction), !batches.isEmpty {
      for (user, ids) in batches.sorted(by: { $0.key < $1.key }) {
        report.tombstonesDropped += try dropTombstones(ids, of: user, in: transaction)
      }
    }
    while case let batches = try nextRemovedRules(in: transaction), !batches.isEmpty {
      for (user, ids) in batches.sorted(by: { $0.key < $1.key }) {
        report.tombstonesDropped += try dropRules(ids, of: user, in: transaction)
      }
    }
    while try forgetRecords(in: transaction) {}
    return report
  }
}
