internal import BellhopModel

extension StoreLogic {
  /// Applies a part of a device's outbox in one transaction: in order, each operation exactly once
  /// (SYNC rule 9). For simulations; ``StoreService/apply(_:for:)`` does the same step by step.
  ///
  /// - Throws: as ``step(_:after:with:for:in:)``; then nothing of the batch was applied.
  public func apply(
    _ batch: OperationBatch, for user: UserID, in transaction: any StoreTransaction
  ) throws -> BatchAnswer {
    var progress = BatchProgress()
    while true {
      let chunk = try nextChunk(of: batch, after: progress, for: user, in: transaction)
      switch try step(batch, after: progress, with: chunk, for: user, in: transaction) {
      case .unfinished(let next): progress = next
      case .finished(let answer): return answer
      }
    }
  }

  /// The items of the operation that comes next, if it is a bulk operation that was not applied.
  package func nextChunk(
    of batch: OperationBatch, after progress: BatchProgress, for user: UserID,
    in state: any StoreReading
  ) throws -> BulkChunk? {
    guard progress.results.count < batch.operations.count else { return nil }
    let operation = batch.operations[progress.results.count].operation
    guard operation.isBulk, try state.operation(operation.id, of: user) == nil else { return nil }
    let work = try state.bulkWork(operation.id, of: user)
    return try chunk(of: operation, after: work, for: user, in: state)
  }

  /// Applies as much of a batch as one transaction may hold, from where the step before ended.
  ///
  /// Numbers and results are stored in the transaction of the effects. An operation that was
  /// applied before, under this number or another, is answered from its record. A bulk operation
  /// is applied chunk by chunk, each with how far it has come; sent again after a crash, it goes on
  /// from there. What a batch has against its numbers is found by its first step.
  /// - Parameter chunk: the next items of the operation at which this step begins, as
  ///   ``nextChunk(of:after:for:in:)`` found them.
  /// - Throws: ``StoreError/outboxGap(expected:)``, ``StoreError/outboxDiverged``,
  ///   ``StoreError/notFound(what:)`` for a device that is not registered. Then nothing of this
  ///   step was applied.
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
    var ledger = try Ledger(user, in: transaction)
    let before = ledger.counters.sequence
    var last = try transaction.lastNumber(in: outbox, of: user)
    var progress = progress
    var chunk = chunk
    var touched = 0
    while progress.results.count < batch.operations.count, touched < limits.bulkChunkItemsMax {
      let numbered = batch.operations[progress.results.count]
      let operation = numbered.operation
      if numbered.number <= last {
        guard
          try transaction.operationID(numbered.number, in: outbox, of: user) == operation.id
            || Mutant.divergenceAccepted.isOn
        else { throw StoreError.outboxDiverged }
        let known = try recordedResult(operation.id, of: user, in: transaction)
        progress.results.append(known ?? .gone)
        continue
      }
      guard numbered.number == last + 1 else { throw StoreError.outboxGap(expected: last + 1) }
      var result = try recordedResult(operation.id, of: user, in: transaction)
      if result == nil {
        if operation.isBulk {
          // Its items are looked for when everything before it is committed.
          guard let found = chunk, found.operation == operation.id else { break }
          touched += found.keys.count
          chunk = nil
          result = try apply(
            operation, to: found, by: device.author, ledger: &ledger, at: now, in: transaction)
        } else {
          touched += max(1, operation.notificationIDs.count)
          result = try apply(
            operation, by: device.author, ledger: &ledger, at: now, in: transaction)
        }
      }
      guard let result else { break }
      progress.results.append(result)
      last = numbered.number
      if Mutant.numbersForgotten.isOn { continue }
      try transaction.insert(operation.id, number: last, in: outbox, of: user)
    }
    try ledger.close(in: transaction)
    progress.sequence = ledger.counters.sequence
    progress.stepHasEffects = ledger.counters.sequence > before
    progress.hasEffects = progress.hasEffects || progress.stepHasEffects
    guard progress.results.count == batch.operations.count else { return .unfinished(progress) }
    return .finished(
      BatchAnswer(
        results: progress.results, sequence: progress.sequence, hasEffects: progress.hasEffects))
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
        field: "operations.sequence", expectation: "numbers that rise by one")
    }
    if let first = batch.operations.first, first.number < 1 {
      throw StoreError.invalid(field: "operations.sequence", expectation: "numbers from 1")
    }
    for operation in batch.operations.map(\.operation) {
      if case .set(let change) = operation.mutation { try check(change.choice) }
    }
    for operation in batch.operations.map(\.operation)
    where operation.notificationIDs.count > limits.operationsPerBatchMax {
      throw StoreError.invalid(
        field: "notificationIds", expectation: "at most \(limits.operationsPerBatchMax) ids")
    }
  }

  /// What an operation came to before. Only an effect is called repeated: a refusal stays one, so
  /// that the person still learns of it when the first answer was lost.
  private func recordedResult(
    _ id: OperationID, of user: UserID, in transaction: any StoreTransaction
  ) throws -> OperationResult? {
    if Mutant.resultsForgotten.isOn { return nil }
    return switch try transaction.operation(id, of: user)?.result {
    case .applied?, .alreadyApplied?: .alreadyApplied
    case let result: result
    }
  }

  /// Applies an operation that names its items, or its app.
  private func apply(
    _ operation: Operation, by author: Author, ledger: inout Ledger, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws -> OperationResult {
    if let app = operation.app {
      return try configure(app, by: operation, ledger: &ledger, at: now, in: transaction)
    }
    var outcomes: [OperationOutcome] = []
    for id in operation.notificationIDs {
      guard let item = try liveItem(id, of: ledger.user, at: now, in: transaction) else {
        continue
      }
      outcomes.append(
        try apply(operation, to: item, by: author, ledger: &ledger, at: now, in: transaction))
    }
    let result = OperationResult(of: outcomes) ?? .gone
    try transaction.insert(
      OperationRecord(id: operation.id, result: result, at: now), of: ledger.user)
    return result
  }

  /// Applies a bulk operation to its next items.
  ///
  /// - Returns: the result; nil while there is more to do.
  private func apply(
    _ operation: Operation, to chunk: BulkChunk, by author: Author, ledger: inout Ledger,
    at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> OperationResult? {
    var work =
      try transaction.bulkWork(operation.id, of: ledger.user)
      ?? BulkWork(operation: operation, author: author, begun: now)
    let isFinished = try advance(
      &work, by: chunk, ledger: &ledger, at: now, in: transaction)
    return try settle(work, isFinished: isFinished, for: ledger.user, in: transaction)
  }
}
