internal import BellhopModel

extension StoreLogic {
  /// Applies a part of a device's outbox: in order, each operation exactly once (SYNC rule 9).
  ///
  /// Numbers and results are stored in the transaction of the effects. An operation that was
  /// applied before, under this number or another, is answered from its record.
  /// - Throws: ``StoreError/outboxGap(expected:)``, ``StoreError/outboxDiverged``,
  ///   ``StoreError/notFound(what:)`` for a device that is not registered,
  ///   ``StoreError/notSupported(what:)`` for a bulk operation on too many items. Then nothing of
  ///   the batch was applied.
  public func apply(
    _ batch: OperationBatch, for user: UserID, in transaction: any StoreTransaction
  ) throws -> BatchAnswer {
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
    var results: [OperationResult] = []
    for numbered in batch.operations {
      let operation = numbered.operation
      if numbered.number <= last {
        guard
          try transaction.operationID(numbered.number, in: outbox, of: user) == operation.id
        else { throw StoreError.outboxDiverged }
        results.append(try recordedResult(operation.id, of: user, in: transaction) ?? .gone)
        continue
      }
      guard numbered.number == last + 1 else { throw StoreError.outboxGap(expected: last + 1) }
      if let known = try recordedResult(operation.id, of: user, in: transaction) {
        results.append(known)
      } else {
        let result = try apply(
          operation, by: device.author, ledger: &ledger, at: now, in: transaction)
        try transaction.insert(
          OperationRecord(id: operation.id, result: result, at: now), of: user)
        results.append(result)
      }
      last = numbered.number
      try transaction.insert(operation.id, number: last, in: outbox, of: user)
    }
    try ledger.close(in: transaction)
    return BatchAnswer(
      results: results, sequence: ledger.counters.sequence,
      hasEffects: ledger.counters.sequence > before)
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
    switch try transaction.operation(id, of: user)?.result {
    case .applied?, .alreadyApplied?: .alreadyApplied
    case let result: result
    }
  }

  private func apply(
    _ operation: Operation, by author: Author, ledger: inout Ledger, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws -> OperationResult {
    var outcomes: [OperationOutcome] = []
    switch operation.target {
    case .item, .items:
      for id in operation.notificationIDs {
        guard let item = try liveItem(id, of: ledger.user, at: now, in: transaction) else {
          continue
        }
        outcomes.append(
          try apply(operation, to: item, by: author, ledger: &ledger, at: now, in: transaction))
      }
      return OperationResult(of: outcomes, isBulk: false)
    case .matching, .setBy:
      for item in try bulkItems(of: operation, user: ledger.user, at: now, in: transaction) {
        outcomes.append(
          try apply(operation, to: item, by: author, ledger: &ledger, at: now, in: transaction))
      }
      return OperationResult(of: outcomes, isBulk: true)
    }
  }

  private func bulkItems(
    of operation: Operation, user: UserID, at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> [UserNotification] {
    var query = ItemQuery(
      now: now, limit: PageLimit(rows: limits.bulkItemsMax + 1, bytes: .max))
    switch operation.target {
    case .item, .items: return []
    case .matching(let predicate, let through):
      query.predicate = predicate
      query.through = through
    case .setBy(let other):
      query.setBy = other
    }
    let items = try transaction.items(query, of: user)
    guard items.count <= limits.bulkItemsMax else {
      throw StoreError.notSupported(
        what: "a bulk operation on more than \(limits.bulkItemsMax) items")
    }
    return items
  }
}

extension OperationResult {
  /// One result for several items: applied when at least one item has what was asked. A bulk
  /// operation that meets no item is applied too.
  fileprivate init(of outcomes: [OperationOutcome], isBulk: Bool) {
    var result: OperationResult = isBulk ? .applied : .gone
    for outcome in outcomes {
      switch outcome {
      case .applied, .deleted, .unchanged:
        self = .applied
        return
      case .refused(let latest): result = .refused(latest: latest)
      case .superseded: if case .refused = result {} else { result = .superseded }
      }
    }
    self = result
  }
}
