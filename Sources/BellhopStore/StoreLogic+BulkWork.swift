package import BellhopModel

extension StoreLogic {
  /// The items that the operation is meant for and that come next; nil for one that is not bulk.
  func chunk(
    of operation: Operation, after work: BulkWork?, for user: UserID, in state: any StoreReading
  ) throws -> BulkChunk? {
    guard var query = query(operation) else { return nil }
    query.below = work?.below
    let items = try state.items(query, of: user)
    let isLast = items.count < query.limit.rows && items.byteCount < query.limit.bytes
    return BulkChunk(
      operation: operation.id, after: work?.below, keys: items.map { ArrivalKey($0) },
      isLast: isLast)
  }

  /// Applies a bulk operation to the items of a chunk that are still meant.
  ///
  /// - Returns: whether that was the last chunk. A chunk that begins elsewhere than where the work
  ///   has come to, because somebody else went on with it meanwhile, is passed over.
  func advance(
    _ work: inout BulkWork, by chunk: BulkChunk, ledger: inout Ledger, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws -> Bool {
    guard chunk.operation == work.operation.id, chunk.after == work.below,
      let query = query(work.operation)
    else { return false }
    var outcomes: [OperationOutcome] = []
    for key in chunk.keys {
      guard let item = try liveItem(key.id, of: ledger.user, at: now, in: transaction),
        query.includes(item)
      else { continue }
      outcomes.append(
        try apply(
          work.operation, to: item, by: work.author, ledger: &ledger, at: now, in: transaction))
    }
    work.result = OperationResult(of: outcomes, after: work.result)
    work.below = chunk.keys.last ?? work.below
    return chunk.isLast
  }

  /// Records what came of a bulk operation, or how far it has come.
  ///
  /// - Returns: the result; nil while there is more to do.
  func settle(
    _ work: BulkWork, isFinished: Bool, for user: UserID, in transaction: any StoreTransaction
  ) throws -> OperationResult? {
    guard isFinished || Mutant.bulkStopsEarly.isOn else {
      try transaction.put(work, of: user)
      return nil
    }
    // One that meets no item has done what it was meant to do.
    let result = work.result ?? .applied
    try transaction.removeBulkWork(work.operation.id, of: user)
    try transaction.insert(
      OperationRecord(id: work.operation.id, result: result, at: now), of: user)
    return result
  }

  // MARK: - After a crash

  /// The next chunk of a bulk operation that is under way; nil when it is finished.
  package func nextChunk(
    of id: OperationID, for user: UserID, in state: any StoreReading
  ) throws -> BulkChunk? {
    guard let work = try state.bulkWork(id, of: user) else { return nil }
    return try chunk(of: work.operation, after: work, for: user, in: state)
  }

  /// Goes on with a bulk operation whose request is gone.
  ///
  /// - Returns: the user's sequence after it.
  package func resume(
    _ chunk: BulkChunk, for user: UserID, in transaction: any StoreTransaction
  ) throws -> SequenceNumber {
    var ledger = try Ledger(user, in: transaction)
    guard var work = try transaction.bulkWork(chunk.operation, of: user) else {
      return ledger.counters.sequence
    }
    let isFinished = try advance(
      &work, by: chunk, ledger: &ledger, at: now, in: transaction)
    _ = try settle(work, isFinished: isFinished, for: user, in: transaction)
    try ledger.close(in: transaction)
    return ledger.counters.sequence
  }

  /// Which items a bulk operation is meant for; nil for one that is not bulk.
  private func query(_ operation: Operation) -> ItemQuery? {
    var query = ItemQuery(
      now: now, limit: PageLimit(rows: limits.bulkChunkItemsMax, bytes: limits.pageBytesMax))
    switch operation.target {
    case .item, .items, .app: return nil
    case .matching(let predicate, let through):
      query.predicate = predicate
      query.through = Mutant.bulkUnbounded.isOn ? nil : through
    case .setBy(let other):
      query.setBy = other
    }
    return query
  }
}
