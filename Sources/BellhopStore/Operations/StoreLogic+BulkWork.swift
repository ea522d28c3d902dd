package import BellhopModel

extension StoreLogic {
  /// Returns the next items that the operation targets.
  ///
  /// It is nil for an operation that is not bulk, and for a rule that has changed before its work
  /// began: the step refuses that one.
  ///
  /// A search ends after ``StoreLimits/listScanMax`` items and ``StoreLimits/listTimeMax``, even if
  /// it has found none. The next chunk continues where it ended.
  ///
  /// - Parameters:
  ///   - chunk: an unfinished search for the same chunk, which continues.
  ///   - reader: the environment of the device that sent the operation.
  func chunk(
    of operation: Operation, after work: BulkWork?, continuing chunk: BulkChunk?,
    for user: UserID, reader: RegistrationEnvironment, in state: any StoreReading
  ) throws -> BulkChunk? {
    guard let carried = try carriedOut(operation, after: work, of: user, in: state),
      var query = query(carried, reader: reader)
    else { return nil }
    query.below = work?.below
    if query.predicate.isEffective, query.predicate.app != nil {
      query.hasMovedItems = try state.hasMovedItems(of: user)
    }
    if let chunk, chunk.operation == operation.id, chunk.after == work?.below {
      query.below = chunk.place
    }
    let deadline = deadline(after: limits.listTimeMax)
    var matches = try state.matches(query, of: user, until: deadline)
    if query.rule != nil {
      matches = try included(of: matches, by: query, until: deadline, of: user, in: state)
    }
    return BulkChunk(
      operation: operation.id, after: work?.below, keys: matches.keys, place: matches.place)
  }

  /// Returns the found items without those whose texts or tags a rule does not mean.
  ///
  /// No write waits for its searches: the step repeats only those of the items that are left.
  private func included(
    of matches: BulkMatches, by query: BulkQuery, until deadline: WorkDeadline, of user: UserID,
    in state: any StoreReading
  ) throws -> BulkMatches {
    var keys: [ArrivalKey] = []
    for (index, key) in matches.keys.enumerated() {
      if index > 0, deadline.hasPassed {
        return BulkMatches(keys: keys, place: matches.keys[index - 1])
      }
      if let item = try liveItem(key.id, of: user, in: state), query.includes(item) {
        keys.append(key)
      }
    }
    return BulkMatches(keys: keys, place: matches.place)
  }

  /// Applies a bulk operation to the items of a chunk that it still targets.
  ///
  /// It ends early when the items are large or the deadline has passed, but not before the first
  /// one. The next chunk finds the remaining items again.
  ///
  /// - Returns: whether that was the last chunk. A chunk is skipped if it does not begin where the
  ///   work ended, because another request has continued the work meanwhile.
  func advance(
    _ work: inout BulkWork, by chunk: BulkChunk, until deadline: WorkDeadline,
    ledger: inout CounterUpdates, at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> Bool {
    if Mutant.bulkRuleUnpinned.isOn { try unpin(&work, of: ledger.user, in: transaction) }
    guard chunk.operation == work.operation.id, chunk.after == work.below,
      let query = query(work.operation, reader: work.reader)
    else { return false }
    var outcomes: [OperationOutcome] = []
    if work.below == nil, work.operation.target.through != nil {
      outcomes = try applyToTriggered(&work, ledger: &ledger, at: now, in: transaction)
    }
    var (end, isCutShort, bytes) = (chunk.place, false, 0)
    for (place, key) in chunk.keys.enumerated() {
      if place > 0, bytes >= limits.pageBytesMax || deadline.hasPassed {
        (end, isCutShort) = (chunk.keys[place - 1], true)
        break
      }
      guard let item = try liveItem(key.id, of: ledger.user, in: transaction),
        query.includes(item) || Mutant.bulkUnrechecked.isOn
      else { continue }
      bytes += item.byteCount
      outcomes.append(
        try apply(
          work.operation, to: item, by: work.author, ledger: &ledger, at: now, in: transaction))
    }
    work.result = OperationResult(of: outcomes, after: work.result)
    work.below = end ?? chunk.keys.last ?? work.below
    return !isCutShort && chunk.place == nil
  }

  /// Applies a bulk operation to the items with a trigger that it selects.
  ///
  /// They are few, and their arrival in the index is not the one that a predicate refers to.
  private func applyToTriggered(
    _ work: inout BulkWork, ledger: inout CounterUpdates, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws -> [OperationOutcome] {
    let operation = work.operation
    let clock = try wallClock(of: ledger.user, in: transaction)
    return try transaction.triggeredItems(of: ledger.user)
      .filter {
        !$0.hasExpired(at: expiryNow) && work.reader.receives($0.content)
          && operation.means($0, at: work.begun, on: clock)
      }
      .map {
        try apply(
          operation, to: $0, by: work.author, ledger: &ledger, at: now, in: transaction)
      }
  }

  /// Records the result of a bulk operation, or its progress.
  ///
  /// - Returns: the result; nil while there is more to do.
  func settle(
    _ work: BulkWork, isFinished: Bool, for user: UserID, in transaction: any StoreTransaction
  ) throws -> OperationResult? {
    guard isFinished || Mutant.bulkStopsEarly.isOn else {
      try transaction.put(work, of: user)
      return nil
    }
    // An operation that matches no item has done its work.
    let result = work.result ?? .applied
    try transaction.removeBulkWork(work.operation.id, of: user)
    try transaction.insert(
      OperationRecord(id: work.operation.id, result: result, at: now), of: user)
    return result
  }

  // MARK: - After a crash

  /// Returns the next chunk of a bulk operation in progress; nil when it is finished.
  package func nextChunk(
    of id: OperationID, continuing chunk: BulkChunk? = nil, for user: UserID,
    in state: any StoreReading
  ) throws -> BulkChunk? {
    guard let work = try state.bulkWork(id, of: user) else { return nil }
    return try self.chunk(
      of: work.operation, after: work, continuing: chunk, for: user, reader: work.reader,
      in: state)
  }

  /// Continues a bulk operation whose request no longer exists.
  ///
  /// - Returns: the user's sequence afterwards.
  package func resume(
    _ chunk: BulkChunk, for user: UserID, in transaction: any StoreTransaction
  ) throws -> SequenceNumber {
    var ledger = try CounterUpdates(user, in: transaction)
    guard var work = try transaction.bulkWork(chunk.operation, of: user) else {
      return ledger.counters.sequence
    }
    let isFinished = try advance(
      &work, by: chunk, until: deadline(after: limits.bulkTimeMax), ledger: &ledger, at: now,
      in: transaction)
    _ = try settle(work, isFinished: isFinished, for: user, in: transaction)
    try ledger.close(in: transaction)
    return ledger.counters.sequence
  }

  /// Returns the query for the items that a bulk operation targets; nil for an operation that is
  /// not bulk.
  private func query(_ operation: Operation, reader: RegistrationEnvironment) -> BulkQuery? {
    var query = BulkQuery(
      now: expiryNow, reader: reader, itemsMax: limits.bulkChunkItemsMax,
      scanMax: limits.listScanMax)
    switch operation.target {
    case .item, .items, .app, .rule: return nil
    case .matching(let predicate, _): query.predicate = predicate
    case .matchingRule(let rule, _): query.rule = rule.definition.condition
    case .setBy(let other):
      query.setBy = other
    }
    query.through = Mutant.bulkUnbounded.isOn ? nil : operation.target.through
    return query
  }
}
