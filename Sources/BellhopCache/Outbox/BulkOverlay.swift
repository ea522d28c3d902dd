package import BellhopModel

/// What a step of the overlay of bulk operations did.
package struct OverlayOutcome: Hashable, Sendable {
  /// Items that are shown otherwise than before.
  package var changed: [NotificationID]
  /// Whether all items show what the outbox makes of them.
  package var isFinished: Bool

  package init(changed: [NotificationID] = [], isFinished: Bool) {
    self.changed = changed
    self.isFinished = isFinished
  }
}

/// What the overlay of bulk operations needs from a storage, inside one transaction.
protocol BulkRecords: AnyObject {
  /// The operations in the outbox that say which items are meant instead of naming them, in the
  /// order made.
  func bulkEntries() throws -> [OutboxEntry]

  /// Looks at most `looks` items below the key, highest first, for those that an operation of the
  /// outbox changes already, or that one of `bulk` may be meant for as they are shown; stops at
  /// `limit` of them.
  func candidates(
    of bulk: [OutboxEntry], below key: ArrivalKey, limit: Int, looks: Int
  ) throws -> OverlayCandidates
}

/// Items that are to be brought up to date with the outbox.
struct OverlayCandidates {
  var ids: [NotificationID] = []
  /// The lowest key that was looked at; nil when no item is left below.
  var reached: ArrivalKey?
}

extension CacheLogic {
  /// Rows that a step of the overlay looks at for each that it may change: some microseconds each.
  private static var looksPerItem: Int { 16 }

  /// What may change an item that is shown: the operations that name it, and those in bulk.
  func entries(meaning id: NotificationID) throws -> [OutboxEntry] {
    let named = try transaction.entries(naming: id)
    let bulk = try transaction.bulkEntries()
    if bulk.isEmpty { return named }
    return named.isEmpty ? bulk : (named + bulk).sorted { $0.position < $1.position }
  }

  /// A bulk operation came into the outbox, or went from it: every item is to be looked at, later.
  func noteBulk(_ operation: Operation) {
    if operation.isBulk { transaction.state.overlayBelow = ArrivalKey(rawValue: .max) }
  }

  func overlayBulk(limit: Int, now: Timestamp) throws -> OverlayOutcome {
    guard let below = transaction.state.overlayBelow else {
      return OverlayOutcome(isFinished: true)
    }
    let candidates = try transaction.candidates(
      of: transaction.bulkEntries(), below: below, limit: limit,
      looks: limit * Self.looksPerItem)
    var changed: [NotificationID] = []
    for id in candidates.ids where try refresh(id, now: now) { changed.append(id) }
    if !candidates.ids.isEmpty { noteLook(at: now) }
    transaction.state.overlayBelow = candidates.reached
    return OverlayOutcome(changed: changed, isFinished: candidates.reached == nil)
  }
}

extension MemoryTransaction: BulkRecords {
  func bulkEntries() -> [OutboxEntry] { contents.outbox.filter(\.operation.isBulk) }

  func candidates(
    of bulk: [OutboxEntry], below key: ArrivalKey, limit: Int, looks: Int
  ) -> OverlayCandidates {
    var candidates = OverlayCandidates()
    let below = contents.records.filter { $0.key < key }
    for (index, record) in below.enumerated() {
      let item = record.notification
      if record.pendingCount > 0 || bulk.contains(where: { $0.operation.means(item) }) {
        candidates.ids.append(record.base.id)
      }
      guard index + 1 == looks || candidates.ids.count == limit else { continue }
      candidates.reached = record.key
      break
    }
    return candidates
  }
}

extension SQLiteTransaction: BulkRecords {
  func bulkEntries() throws -> [OutboxEntry] {
    if let knownBulkEntries { return knownBulkEntries }
    let entries = try statement(
      """
      SELECT \(OutboxColumn.list) FROM outbox
      WHERE is_bulk = 1 ORDER BY position
      """
    ).all(Self.entry)
    knownBulkEntries = entries
    return entries
  }

  func candidates(
    of bulk: [OutboxEntry], below key: ArrivalKey, limit: Int, looks: Int
  ) throws -> OverlayCandidates {
    let condition = FilterSQL(meaning: bulk.map(\.operation))
    let rows = try SQLStatement(
      statement.db,
      """
      SELECT id, arrival_key, pending > 0 OR (\(condition.text)) FROM item
      WHERE arrival_key < ? ORDER BY arrival_key DESC LIMIT ?
      """)
    condition.bind(to: rows)
    rows.bind(key).bind(looks)
    defer { rows.reset() }
    var candidates = OverlayCandidates()
    var looked = 0
    while try rows.step() {
      looked += 1
      if rows.bool(2) { candidates.ids.append(try rows.id(0)) }
      guard looked == looks || candidates.ids.count == limit else { continue }
      candidates.reached = ArrivalKey(rawValue: rows.integer(1))
      break
    }
    return candidates
  }
}

extension FilterSQL {
  /// Whether one of several bulk operations is meant for a row of `item` as it is shown: the same as
  /// ``Operation/means(_:)``.
  fileprivate init(meaning operations: [Operation]) {
    self = .any(operations.compactMap(Self.meant))
  }

  private static func meant(by operation: Operation) -> FilterSQL? {
    switch operation.target {
    case .item, .items, .app: nil
    case .matching(let predicate, let through):
      FilterSQL("content_sequence <= ?", [.integer(through.rawValue)])
        .and(predicate.condition.sql(\.sql))
    case .setBy(let other):
      // Where no register was ever set, there is nothing to look into.
      FilterSQL(
        "ifnull(instr(ifnull(provenance, base_provenance), ?), 0) > 0", [.bytes(other.bytes)])
    }
  }
}
