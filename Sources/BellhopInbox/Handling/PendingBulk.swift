import BellhopModel

/// A person's change of a whole list that is on the screen already, while the cache still carries it
/// out item by item.
struct PendingBulk: Sendable {
  var operations: [OperationID]
  /// What is meant; nil where nobody can tell by the rows, as of an undo.
  var selection: Selection?
  /// By account: other content is not meant.
  var bounds: [AccountName: ShownBound]
  /// Nil for a delete.
  var change: StateChange?
  /// What it does to the counts.
  var counts: InboxCounts
  /// The newest request made before all of it was carried out; nil until it is.
  var confirmedAt: Int?

  /// Whether the answer to a request may lack the change.
  func matters(toAnswerOf serial: Int) -> Bool { confirmedAt.map { serial <= $0 } ?? true }

  /// Whether everything in the list `query` is meant, up to the bound.
  func means(_ query: ListQuery) -> Bool {
    guard let selection else { return false }
    if selection.query == query { return true }
    if case .group = selection.query { return query.isInTray }
    // What of a list passes a filter is part of the list.
    if case .narrowed(let whole, _) = query { return selection.query == whole }
    return false
  }

  /// The row as the change leaves it in the list at `now`; nil when it leaves the list.
  func applied(to row: RowSummary, in query: ListQuery, at now: Timestamp) -> RowSummary? {
    guard bounds[row.key.account]?.includes(row.key.id, row.contentSequence) == true else {
      return row
    }
    if let account = selection?.account, account != row.key.account { return row }
    if case .group(let group) = selection?.query, row.groupKey != group { return row }
    guard let change else { return nil }
    let after = row.setting(change, at: now).settingAll(change)
    return query.contains(after.placement) ? after : nil
  }
}

extension RowSummary {
  /// The row of a group all of whose items were changed.
  fileprivate func settingAll(_ change: StateChange) -> RowSummary {
    guard let readState = change.readState, var extent else { return self }
    extent.unread = readState == .unread ? extent.count : 0
    var row = self
    row.fold = isFolded ? .closed(extent) : .open(extent)
    return row
  }
}

extension [PendingBulk] {
  /// The answer to a request with the changes of whole lists over it, as it stands at `now`.
  func over(
    _ window: LoadedWindow, of query: ListQuery, serial: Int, at now: Timestamp
  ) -> LoadedWindow {
    var window = window
    for bulk in self where bulk.matters(toAnswerOf: serial) && bulk.means(query) {
      window.rows = window.rows.compactMap { bulk.applied(to: $0, in: query, at: now) }
      window.countAbove = nil
    }
    return window
  }
}
