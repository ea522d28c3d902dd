import BellhopModel

/// The user's change of a whole list, already shown while the cache still performs it.
struct PendingBulk: Sendable {
  var operations: [OperationID]
  /// The changed items; nil if the rows do not show which they are, as for an undo.
  var selection: Selection?
  /// The bounds of shown content by account; other content is not changed.
  var bounds: [AccountName: ShownBound]
  /// The changed registers; nil for a delete.
  var change: StateChange?
  /// The effect on the counts.
  var counts: InboxCounts
  /// The newest request made before the change was completed; nil until then.
  var confirmedAt: Int?

  /// Whether the answer to a request may lack the change.
  func matters(toAnswerOf serial: Int) -> Bool { confirmedAt.map { serial <= $0 } ?? true }

  /// Whether all items of the list `query`, up to the bound, are changed.
  func means(_ query: ListQuery) -> Bool {
    guard let selection else { return false }
    if selection.query == query { return true }
    if case .group = selection.query { return query.isInTray }
    // A filtered list is a part of its list.
    if case .narrowed(let whole, _) = query { return selection.query == whole }
    return false
  }

  /// Returns the row after the change in the list at `now`; nil if it leaves the list.
  func applied(to row: RowSummary, in query: ListQuery, at now: Timestamp) -> RowSummary? {
    guard bounds[row.key.account].map(row.isIncluded(in:)) == true else {
      return row
    }
    if let account = selection?.account, account != row.key.account { return row }
    if case .group(let group) = selection?.query, row.groupKey != group { return row }
    guard let change else { return nil }
    let after = row.setting(change, at: now).settingAll(change)
    return query.contains(after) ? after : nil
  }
}

extension RowSummary {
  /// Returns the row of a group after a change to all its items.
  fileprivate func settingAll(_ change: StateChange) -> RowSummary {
    guard let readState = change.readState, var extent else { return self }
    extent.unread = readState == .unread ? extent.count : 0
    var row = self
    row.fold = isFolded ? .closed(extent) : .open(extent)
    return row
  }
}

extension [PendingBulk] {
  /// Applies the changes of whole lists to the answer to a request, as of `now`.
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
