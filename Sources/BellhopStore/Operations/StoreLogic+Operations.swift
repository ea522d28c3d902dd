internal import BellhopModel

extension StoreLogic {
  /// Returns the items of the next operation, if it is a bulk operation that was not applied yet.
  ///
  /// - Parameter chunk: an unfinished search for it, which continues.
  package func nextChunk(
    of batch: OperationBatch, after progress: BatchProgress, continuing chunk: BulkChunk? = nil,
    for user: UserID, in state: any StoreReading
  ) throws -> BulkChunk? {
    guard progress.results.count < batch.operations.count else { return nil }
    let operation = batch.operations[progress.results.count].operation
    guard operation.isBulk, try state.operation(operation.id, of: user) == nil else { return nil }
    let work = try state.bulkWork(operation.id, of: user)
    let device = try state.device(batch.device, of: user)
    return try self.chunk(
      of: operation, after: work, continuing: chunk, for: user,
      reader: work?.reader ?? device?.registration.environment ?? .production, in: state)
  }

  /// Applies as much of a batch as one transaction may hold, from the end of the previous step.
  ///
  /// Numbers and results are stored in the transaction of the effects. An operation that was
  /// applied before, under this number or another, is answered from its record. Once that record is
  /// forgotten, its outcome is reported as unknown. A bulk operation is applied chunk by chunk,
  /// each stored with its progress; sent again after a crash, it continues from there. The first
  /// step detects errors in the numbers of a batch. A step ends after
  /// ``StoreLimits/bulkChunkItemsMax`` items and ``StoreLimits/bulkTimeMax``, but not within an
  /// operation that names its items. It also ends before a publication that exceeds a rate limit, unless
  /// it would be empty.
  ///
  /// - Parameter chunk: the next items of the operation at which this step begins, as returned by
  ///   ``nextChunk(of:after:continuing:for:in:)``.
  /// - Throws: ``StoreError/outboxGap(expected:)``, ``StoreError/outboxDiverged``,
  ///   ``StoreError/notFound(what:)`` for a device that is not registered,
  ///   ``StoreError/tooManyRequests(retryAfter:)``. Then nothing of this step was applied.
  package func step(
    _ batch: OperationBatch, after progress: BatchProgress, with chunk: BulkChunk?,
    for user: UserID, in transaction: any StoreTransaction
  ) throws -> BatchStep {
    try check(batch)
    guard let device = try transaction.device(batch.device, of: user) else {
      throw StoreError.notFound(what: "device")
    }
    let outbox = OutboxKey(
      device: batch.device, lineage: batch.lineage, epoch: identity.epoch)
    let now = now
    var ledger = try CounterUpdates(user, in: transaction)
    let before = ledger.counters.sequence
    var last = try transaction.lastNumber(in: outbox, of: user)
    let firstNew = last + 1
    if last == 0 { try checkRoom(forOutboxOf: batch.device, user: user, in: transaction) }
    var progress = progress
    var chunk = chunk
    var touched = 0
    let deadline = deadline(after: limits.bulkTimeMax)
    while progress.results.count < batch.operations.count, touched < limits.bulkChunkItemsMax,
      touched == 0 || !deadline.hasPassed
    {
      let numbered = batch.operations[progress.results.count]
      let operation = numbered.operation
      if numbered.number <= last {
        let id = try transaction.operationID(numbered.number, in: outbox, of: user)
        // A number whose operation was forgotten is answered as unknown and never applied again.
        guard id == operation.id || id == nil || Mutant.divergenceAccepted.isOn else {
          throw StoreError.outboxDiverged
        }
        let known = try recordedResult(operation, of: user, in: transaction)
        progress.results.append(known ?? .outcomeUnknown)
        continue
      }
      guard numbered.number == last + 1 else { throw StoreError.outboxGap(expected: last + 1) }
      var result = try recordedResult(operation, of: user, in: transaction)
      if result == nil {
        if operation.isBulk {
          let found = chunk?.operation == operation.id ? chunk : nil
          touched += found?.keys.count ?? 0
          chunk = nil
          result = try apply(
            operation, to: found, by: device, until: deadline, ledger: &ledger, at: now,
            in: transaction)
        } else {
          touched += max(1, operation.notificationIDs.count)
          result = try apply(
            operation, by: device, with: batch.token, mayWait: last >= firstNew, ledger: &ledger,
            at: now, in: transaction)
        }
      }
      guard let result else { break }
      progress.results.append(result)
      last = numbered.number
      if Mutant.numbersForgotten.isOn { continue }
      try transaction.insert(operation.id, number: last, in: outbox, of: user)
    }
    try ledger.close(in: transaction)
    try forgetNumbers(of: batch.device, after: Int(last - firstNew + 1), of: user, in: transaction)
    progress.sequence = ledger.counters.sequence
    progress.stepHasEffects = ledger.counters.sequence > before
    progress.hasEffects = progress.hasEffects || progress.stepHasEffects
    guard progress.results.count == batch.operations.count else { return .unfinished(progress) }
    return .finished(
      BatchAnswer(
        results: progress.results, sequence: progress.sequence, hasEffects: progress.hasEffects,
        epoch: identity.epoch))
  }

  /// Forgets the oldest numbers of a device that exceeds its limit.
  ///
  /// - Parameter count: the number of numbers just added. At most twice as many are forgotten, so
  ///   that a device above a lowered limit gradually reaches it.
  private func forgetNumbers(
    of device: DeviceID, after count: Int, of user: UserID, in transaction: any StoreTransaction
  ) throws {
    guard count > 0 else { return }
    try transaction.forgetNumbers(
      of: device, keeping: limits.operationsPerDeviceMax, limit: 2 * count, user: user)
  }

  private func check(_ batch: OperationBatch) throws {
    guard batch.operations.count <= limits.operationsPerBatchMax else {
      throw StoreError.invalid(
        field: "operations",
        expectation: "at most \(limits.operationsPerBatchMax) operations")
    }
    guard ContentRules.isIdentifier(batch.lineage.rawValue) else {
      throw StoreError.invalid(
        field: "lineage", expectation: "1 to 128 letters, digits and '-_.:~'")
    }
    for (previous, following) in zip(batch.operations, batch.operations.dropFirst())
    where following.number != previous.number + 1 {
      throw StoreError.invalid(
        field: "operations.sequence", expectation: "consecutive numbers such as 7, 8, 9")
    }
    if let first = batch.operations.first, first.number < 1 {
      throw StoreError.invalid(field: "operations.sequence", expectation: "numbers from 1")
    }
    for operation in batch.operations.map(\.operation) {
      guard case .set(let change) = operation.mutation else { continue }
      try check(change.choice)
      try check(change.applied)
    }
    for operation in batch.operations.map(\.operation)
    where operation.notificationIDs.count > limits.operationsPerBatchMax {
      throw StoreError.invalid(
        field: "notificationIds", expectation: "at most \(limits.operationsPerBatchMax) ids")
    }
  }

  /// Returns the recorded result of an operation, or nil if it never arrived.
  ///
  /// Only an effect is reported as repeated. A refusal stays a refusal, so that the user still
  /// learns of it when the first answer was lost.
  private func recordedResult(
    _ operation: Operation, of user: UserID, in transaction: any StoreTransaction
  ) throws -> OperationResult? {
    if Mutant.resultsForgotten.isOn { return nil }
    if Mutant.publishedTwice.isOn, operation.publishedContent != nil { return nil }
    switch try transaction.operation(operation.id, of: user)?.result {
    case .applied?, .alreadyApplied?: return .alreadyApplied
    case let result?: return result
    case nil: return try transaction.isNumbered(operation.id, of: user) ? .outcomeUnknown : nil
    }
  }

  /// Checks that a device may start another outbox.
  private func checkRoom(
    forOutboxOf device: DeviceID, user: UserID, in state: any StoreReading
  ) throws {
    guard try state.outboxCount(of: device, user: user) >= limits.outboxesPerDeviceMax else {
      return
    }
    throw StoreError.quotaReached(
      what: "\(limits.outboxesPerDeviceMax) lineages of this device's operations; sign it out "
        + "and in again")
  }

  /// Applies an operation that names its items, its app or its rule.
  ///
  /// An item that does not reach the device is gone for it.
  ///
  /// - Parameter mayWait: whether the step has applied other operations, which it can commit before a
  ///   publication that exceeds a rate limit.
  /// - Returns: the result; nil for such a publication.
  private func apply(
    _ operation: Operation, by device: Device, with token: AccessTokenID?, mayWait: Bool,
    ledger: inout CounterUpdates, at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> OperationResult? {
    do {
      if let record = try published(
        by: operation, with: token, ledger: &ledger, at: now, in: transaction)
      {
        try transaction.insert(record, of: ledger.user)
        return record.result
      }
    } catch let error as StoreError where mayWait && error.isRateLimit {
      return nil
    }
    let author = device.author
    if let app = operation.app {
      return try configure(
        app, by: operation, of: author.device, ledger: &ledger, at: now, in: transaction)
    }
    if let rule = operation.rule {
      return try change(rule, by: operation, ledger: &ledger, at: now, in: transaction)
    }
    let operation = try resolvingOwnContent(operation, of: ledger.user, in: transaction)
    var record = OperationRecord(id: operation.id, result: .unacceptable(.invalid), at: now)
    let reader = device.registration.environment
    guard try isAllowed(operation, at: now, of: ledger.user, reader: reader, in: transaction) else {
      try transaction.insert(record, of: ledger.user)
      return record.result
    }
    var outcomes: [OperationOutcome] = []
    for id in operation.notificationIDs {
      guard let item = try liveItem(id, of: ledger.user, reader: reader, in: transaction) else {
        continue
      }
      let outcome = try apply(
        operation, to: item, by: author, ledger: &ledger, at: now, in: transaction)
      outcomes.append(outcome)
      if case .applied(let changed) = outcome, changed.content != item.content {
        record.content = MadeContent(item: id, sequence: changed.state.contentSequence)
      }
    }
    record.result = OperationResult(of: outcomes) ?? .gone
    try transaction.insert(record, of: ledger.user)
    return record.result
  }

  /// Applies a bulk operation to its next items.
  ///
  /// - Parameter chunk: the items; nil if they are yet to be searched for, after everything before the
  ///   operation is committed.
  /// - Returns: the result; nil while there is more to do.
  private func apply(
    _ operation: Operation, to chunk: BulkChunk?, by device: Device, until deadline: WorkDeadline,
    ledger: inout CounterUpdates, at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> OperationResult? {
    let begun = try transaction.bulkWork(operation.id, of: ledger.user)
    guard
      let carried = try carriedOut(operation, after: begun, of: ledger.user, in: transaction)
    else {
      let record = OperationRecord(id: operation.id, result: .superseded, at: now)
      try transaction.insert(record, of: ledger.user)
      return record.result
    }
    guard let chunk else { return nil }
    var work =
      begun
      ?? BulkWork(
        operation: carried, author: device.author, reader: device.registration.environment,
        begun: now)
    let isFinished = try advance(
      &work, by: chunk, until: deadline, ledger: &ledger, at: now, in: transaction)
    return try settle(work, isFinished: isFinished, for: ledger.user, in: transaction)
  }
}
