import BellhopModel

extension MemoryCache {
  /// Returns all items in no particular order, for simulations.
  package func allItems() -> [CachedItem] { contents.items.values.map { CachedItem($0.record) } }

  /// Returns the first contradiction to the cache's own rules (SYNC-9 and SYNC-13), or nil.
  ///
  /// It does not check the shown state. For simulations, which call it after every step.
  package func contradiction() -> String? {
    let contents = contents
    let transaction = MemoryTransaction(contents)
    for record in contents.items.values.map(\.record) {
      if contents.idsByKey[record.key] != record.base.id {
        return "#\(record.base.shortNumber) has lost its place"
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
