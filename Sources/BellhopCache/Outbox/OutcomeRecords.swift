package import BellhopModel

/// An operation of this device that the store did not carry out, kept for the user.
package struct OutcomeRecord: Hashable, Sendable {
  /// The position of the record, which rises with every record of a cache.
  package var position: Int64
  package var operation: Operation
  /// The item's `#N`, which outlives the item; nil if unknown, or for several items.
  package var number: Int64?
  /// The time at which the user made the operation, by the store's clock.
  package var madeAt: Timestamp
  /// The time at which this device learned of the outcome, by the store's clock.
  package var decidedAt: Timestamp
  /// The result: superseded, gone, refused, unacceptable, outcomeUnknown or notPublished.
  package var result: OperationResult
  /// Whether the user has seen the outcome.
  package var isReported = false

  /// The number of outcomes after which the oldest are removed, if the user has seen them.
  ///
  /// It is more than users look back on.
  package static let countMax = 200
  /// The number of outcomes after which the oldest are removed, even if the user has not seen them.
  package static let unreportedMax = 10_000
}

/// The storage of outcomes, inside a transaction.
protocol OutcomeRecords {
  /// Saves an outcome under the next position, and removes old ones.
  ///
  /// It removes outcomes beyond ``OutcomeRecord/countMax`` that the user has seen, and all beyond
  /// ``OutcomeRecord/unreportedMax``.
  func append(_ outcome: OutcomeRecord) throws
  /// Returns the outcomes that the user has not seen, oldest first.
  func unreportedOutcomes() throws -> [OutcomeRecord]
  func markReported(_ outcome: OutcomeRecord) throws
}

extension CacheLogic {
  /// Saves the outcome of an operation that was not carried out, so that no intent is lost
  /// silently.
  ///
  /// A delete of an item that is already gone needs no outcome.
  func keepOutcome(
    of entry: OutboxEntry, _ result: OperationResult, number: Int64? = nil, now: Timestamp
  ) throws {
    if entry.operation.mutation == .delete, result == .gone { return }
    let ids = entry.operation.notificationIDs
    let known = try ids.count == 1 ? transaction.item(ids[0])?.base.shortNumber : nil
    // An item that the store has not sent yet has no number.
    let shown = number ?? known ?? 0
    try transaction.append(
      OutcomeRecord(
        position: 0, operation: entry.operation, number: shown == 0 ? nil : shown,
        madeAt: entry.madeAt, decidedAt: now, result: result))
  }

  func unreportedRejections() throws -> [RejectedOperation] {
    if Mutant.refusalForgotten.isOn { return [] }
    return try transaction.unreportedOutcomes().map {
      RejectedOperation(operation: $0.operation, result: $0.result)
    }
  }

  func markReported(_ operations: [OperationID]) throws {
    let ids = Set(operations)
    for outcome in try transaction.unreportedOutcomes() where ids.contains(outcome.operation.id) {
      try transaction.markReported(outcome)
    }
  }
}

extension MemoryTransaction: OutcomeRecords {
  func append(_ outcome: OutcomeRecord) {
    var outcome = outcome
    outcome.position = (contents.outcomes.last?.position ?? 0) + 1
    contents.outcomes.append(outcome)
    let age = { outcome.position - $0 }
    contents.outcomes.removeAll {
      age($0.position) >= ($0.isReported ? OutcomeRecord.countMax : OutcomeRecord.unreportedMax)
    }
  }

  func unreportedOutcomes() -> [OutcomeRecord] { contents.outcomes.filter { !$0.isReported } }

  func markReported(_ outcome: OutcomeRecord) {
    guard let index = contents.outcomes.firstIndex(where: { $0.position == outcome.position })
    else { return }
    contents.outcomes[index].isReported = true
  }
}

extension SQLiteTransaction: OutcomeRecords {
  func append(_ outcome: OutcomeRecord) throws {
    let ids = outcome.operation.notificationIDs
    let (kind, latest, reason) = outcome.result.column
    let insert = try statement(
      """
      INSERT INTO outcome (item, number, made_at, decided_at, result, latest, operation, reason, told)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)
      """)
    if let id = ids.first, ids.count == 1 { insert.bind(id) } else { insert.bind(nil as [UInt8]?) }
    try insert.bind(outcome.number).bind(outcome.madeAt).bind(outcome.decidedAt).bind(kind)
      .bind(latest).bind(try JSON.encode(outcome.operation)).bind(reason).run()
    try statement(
      """
      DELETE FROM outcome WHERE position <= last_insert_rowid() - ?
        AND (told = 1 OR position <= last_insert_rowid() - ?)
      """
    ).bind(OutcomeRecord.countMax).bind(OutcomeRecord.unreportedMax).run()
  }

  func unreportedOutcomes() throws -> [OutcomeRecord] { try Self.unreportedOutcomes(statement) }

  /// - Parameter hasReasons: False for a file of a version before the column.
  static func unreportedOutcomes(
    _ statement: Statements, hasReasons: Bool = true
  ) throws -> [OutcomeRecord] {
    let columns = OutcomeColumn.allCases.map { $0 == .reason && !hasReasons ? "NULL" : $0.name }
    return try statement(
      """
      SELECT \(columns.joined(separator: ", ")) FROM outcome WHERE told = 0 ORDER BY position
      """
    ).all(outcome).compactMap { $0 }
  }

  func markReported(_ outcome: OutcomeRecord) throws {
    try statement("UPDATE outcome SET told = 1 WHERE position = ?").bind(outcome.position).run()
  }

  static func outcome(_ row: SQLStatement) throws -> OutcomeRecord? {
    let row = NamedRow<OutcomeColumn>(row)
    guard
      let result = OperationResult(
        kind: row.text(.result), latest: row.timeOrNil(.latest), reason: row.textOrNil(.reason))
    else { return nil }
    var outcome = OutcomeRecord(
      position: row.integer(.position), operation: try JSON.decode(row.text(.operation)),
      number: row.integerOrNil(.number), madeAt: row.time(.madeAt),
      decidedAt: row.time(.decidedAt), result: result)
    outcome.isReported = row.bool(.told)
    return outcome
  }
}

/// The columns of a stored outcome.
enum OutcomeColumn: Int, TableColumn {
  case position, number, madeAt, decidedAt, result, latest, operation, reason, told
}
