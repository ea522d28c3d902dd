import BellhopModel

/// The items that operations in the outbox publish, until the store has sent them (SYNC-9).
extension CacheLogic {
  /// Inserts the item that an operation in the outbox publishes, if the cache does not have it.
  ///
  /// It is announced when it is delivered later, but not if it is in the tray at once: its user has just
  /// published it.
  func insertLocalItem(of operation: Operation, now: Timestamp) throws {
    guard let item = operation.localItem, try transaction.item(item.id) == nil else { return }
    let base = item.presented(received: now)
    var record = ItemRecord(
      key: try freeKey(at: base.arrival, number: base.shortNumber), base: base,
      generation: transaction.state.generation, announced: .zero)
    record.announced = record.unannounced
    record = try shown(record, entries(meaning: item.id), now: now)
    record.noteSchedule(at: now)
    try transaction.insert(record)
  }

  /// Returns whether an operation in the outbox publishes the item.
  func isPublished(_ id: NotificationID, by entries: [OutboxEntry]) -> Bool {
    let operation = OperationID(sameAs: id)
    return entries.contains { $0.operation.id == operation && $0.operation.publishedContent != nil }
  }
}
