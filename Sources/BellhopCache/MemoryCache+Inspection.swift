import BellhopModel

extension MemoryCache {
  /// The first contradiction to the cache's own rules (SYNC-9 and SYNC-13), or nil.
  /// For simulations, which look after every step.
  package func contradiction() -> String? {
    let contents = contents
    let transaction = MemoryTransaction(contents)
    let bulk = transaction.bulkEntries()
    for record in contents.items.values.map(\.record) {
      if contents.idsByKey[record.key] != record.base.id {
        return "#\(record.base.shortNumber) has lost its place"
      }
      // The overlay of bulk operations has not come to it yet.
      if let below = contents.state.overlayBelow, record.key < below { continue }
      var again = record
      let entries = transaction.entries(naming: record.base.id) + bulk
      again.show(entries.sorted { $0.position < $1.position }, at: .distantPast)
      let number = record.base.shortNumber
      if again.shown != record.shown { return "#\(number) does not show what is pending" }
      if again.isPendingDelete != record.isPendingDelete
        || again.pendingCount != record.pendingCount
      {
        return "#\(number) does not know what is pending"
      }
    }
    if contents.idsByKey.count != contents.items.count { return "two items have one place" }
    var next = contents.state.nextNumber
    for entry in transaction.unansweredEntries(limit: .max).reversed() {
      next -= 1
      if entry.number != next { return "the outbox leaves a gap before number \(next)" }
    }
    let sequence = contents.state.sequence
    if contents.state.token != nil, contents.state.firstSync == nil,
      let entry = transaction.answeredEntries(through: sequence).first
    {
      return "\(entry.operation.id) stays in the outbox, and base contains it"
    }
    return nil
  }
}
