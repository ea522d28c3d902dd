package import BellhopModel

/// The outcome of one step of the overlay of bulk operations.
package struct OverlayOutcome: Hashable, Sendable {
  /// Items whose shown state changed.
  package var changed: [NotificationID] = []
  /// Whether all items show the effect of the outbox.
  package var isFinished: Bool
}

/// The storage operations for the overlay of bulk operations, inside one transaction.
protocol BulkRecords: AnyObject {
  /// Returns the operations in the outbox that change items without naming them, in the order made.
  func bulkEntries() throws -> [OutboxEntry]

  /// Returns the items below the key that bulk operations may concern, highest first.
  ///
  /// Checks at most `checksMax` items. An item counts if an operation in the outbox already changes it,
  /// or if one of `bulk` may apply to it as shown. Stops at `limit` such items.
  func candidates(
    of bulk: [OutboxEntry], below key: ArrivalKey, limit: Int, checksMax: Int
  ) throws -> OverlayCandidates
}

/// The items to update after a change of the outbox.
struct OverlayCandidates {
  var ids: [NotificationID] = []
  /// The lowest key that was checked; nil if no item is left below.
  var reached: ArrivalKey?
}

extension CacheLogic {
  /// The number of rows that a step checks for each item that it may change.
  ///
  /// A row takes some microseconds.
  private static var checksPerItem: Int { 16 }

  /// Returns the operations that may change a shown item: those that name it or select items.
  func entries(meaning id: NotificationID) throws -> [OutboxEntry] {
    let named = try transaction.entries(naming: id)
    let bulk = try transaction.bulkEntries()
    if bulk.isEmpty { return named }
    return named.isEmpty ? bulk : (named + bulk).sorted { $0.position < $1.position }
  }

  /// Schedules a check of every item after a bulk operation entered or left the outbox.
  func noteBulk(_ operation: Operation) {
    if operation.isBulk { transaction.state.overlayBelow = ArrivalKey(rawValue: .max) }
  }

  /// Returns the items to update after an operation entered or left the outbox.
  ///
  /// The overlay updates the items of a bulk operation, in steps.
  func touched(by operation: Operation) throws -> [NotificationID] {
    operation.reportsCrossing ? try transaction.triggeredIDs() : operation.notificationIDs
  }

  func overlayBulk(limit: Int, now: Timestamp) throws -> OverlayOutcome {
    guard let below = transaction.state.overlayBelow else {
      return OverlayOutcome(isFinished: true)
    }
    let candidates = try transaction.candidates(
      of: transaction.bulkEntries(), below: below, limit: limit,
      checksMax: limit * Self.checksPerItem)
    var changed: [NotificationID] = []
    for id in candidates.ids where try refresh(id, now: now) { changed.append(id) }
    if !candidates.ids.isEmpty { noteCheck(at: now) }
    transaction.state.overlayBelow = candidates.reached
    return OverlayOutcome(changed: changed, isFinished: candidates.reached == nil)
  }
}

extension MemoryTransaction: BulkRecords {
  func bulkEntries() -> [OutboxEntry] { contents.outbox.filter(\.operation.selectsItems) }

  func candidates(
    of bulk: [OutboxEntry], below key: ArrivalKey, limit: Int, checksMax: Int
  ) -> OverlayCandidates {
    var candidates = OverlayCandidates()
    let below = contents.records.filter { $0.key < key }
    for (index, record) in below.enumerated() {
      let item = record.notification
      if record.pendingCount > 0 || bulk.contains(where: { $0.operation.mayMean(item) }) {
        candidates.ids.append(record.base.id)
      }
      guard index + 1 == checksMax || candidates.ids.count == limit else { continue }
      candidates.reached = record.key
      break
    }
    return candidates
  }
}

extension SQLiteTransaction: BulkRecords {
  func bulkEntries() throws -> [OutboxEntry] {
    if let knownBulkEntries { return knownBulkEntries }
    let entries = try statement.outbox("WHERE is_bulk = 1 ORDER BY position").all(Self.entry)
    knownBulkEntries = entries
    return entries
  }

  func candidates(
    of bulk: [OutboxEntry], below key: ArrivalKey, limit: Int, checksMax: Int
  ) throws -> OverlayCandidates {
    let condition = FilterSQL(meaning: bulk.map(\.operation))
    let rows = try SQLStatement(
      statement.db,
      """
      SELECT id, arrival_key, pending > 0 OR (\(condition.text)) FROM item
      WHERE arrival_key < ? ORDER BY arrival_key DESC LIMIT ?
      """)
    condition.bind(to: rows)
    rows.bind(key).bind(checksMax)
    defer { rows.reset() }
    var candidates = OverlayCandidates()
    var checked = 0
    while try rows.step() {
      checked += 1
      if rows.bool(2) { candidates.ids.append(try rows.id(0)) }
      guard checked == checksMax || candidates.ids.count == limit else { continue }
      candidates.reached = ArrivalKey(rawValue: rows.integer(1))
      break
    }
    return candidates
  }
}

extension FilterSQL {
  /// Creates the condition that one of several bulk operations applies to a row of `item` as shown.
  ///
  /// It is equivalent to ``Operation/mayMean(_:)``.
  fileprivate init(meaning operations: [Operation]) {
    self = .any(operations.compactMap(Self.meant))
  }

  private static func meant(by operation: Operation) -> FilterSQL? {
    switch operation.target {
    case .item, .items, .rule: nil
    case .app: operation.reportsCrossing ? FilterSQL("delivery_trigger IS NOT NULL") : nil
    case .matching(let predicate, let through):
      FilterSQL("\(ItemColumns.meaningSequence) <= ?", [.integer(through.rawValue)])
        .and(.any([FilterSQL("delivery_trigger IS NOT NULL"), predicate.condition.sql(\.sql)]))
    case .matchingRule(let rule, let through):
      FilterSQL("\(ItemColumns.meaningSequence) <= ?", [.integer(through.rawValue)])
        .and(rule.definition.condition.prefilter.sql(\.sql))
    case .setBy(let other):
      // A row in which no register was ever set has nothing to search.
      FilterSQL(
        "ifnull(instr(ifnull(provenance, base_provenance), ?), 0) > 0", [.bytes(other.bytes)])
    }
  }
}
