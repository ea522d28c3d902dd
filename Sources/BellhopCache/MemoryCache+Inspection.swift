import BellhopModel

extension MemoryCache {
  /// What in the cache contradicts its own rules (SYNC rules 9 and 13); nil when nothing does.
  /// For simulations, which look after every step.
  package func contradiction() -> String? {
    let contents = contents
    let transaction = MemoryTransaction(contents)
    for record in contents.items.values.map(\.record) {
      var again = record
      again.show(transaction.entries(naming: record.base.id), at: .distantPast)
      let number = record.base.shortNumber
      if again.shown != record.shown { return "#\(number) does not show what is pending" }
      if again.isPendingDelete != record.isPendingDelete
        || again.pendingCount != record.pendingCount
      {
        return "#\(number) does not know what is pending"
      }
      if contents.idsByKey[record.key] != record.base.id { return "#\(number) has lost its place" }
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
