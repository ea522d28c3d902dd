import BellhopModel

/// The user's change of one item, already shown while a reader may still lack it.
///
/// A reader's answer may come from before the change's transaction.
struct PendingChange: Sendable {
  enum Kind: Sendable {
    case set(StateChange, after: RowSummary)
    case removed
    /// A cancelled delete.
    case present(RowSummary)
  }

  var operation: OperationID
  var key: ItemKey
  /// The version that the user saw; like the store, the change does not affect newer ones.
  var seen: ShownVersion?
  var kind: Kind
  /// The effect on the counts.
  var counts: InboxCounts
  /// The newest request made before the change was committed; nil until then.
  var confirmedAt: Int?

  var isCancelledDelete: Bool { if case .present = kind { true } else { false } }

  /// Whether the answer to a request may lack the change.
  func matters(toAnswerOf serial: Int) -> Bool { confirmedAt.map { serial <= $0 } ?? true }
}

extension [PendingChange] {
  /// Applies the user's changes to the answer to `request`, as of `now`.
  func over(
    _ window: LoadedWindow, of query: ListQuery, request: WindowRequest, at now: Timestamp
  ) -> LoadedWindow {
    var window = window
    for change in self
    where change.matters(toAnswerOf: request.serial)
      && (request.account == nil || change.key.account == request.account)
    {
      let index = window.rows.index(of: .item(change.key))
      switch (change.kind, index) {
      case (.removed, let index?): window.rows.removeRow(at: index)
      case (.removed, nil): break
      case (.present(let row), nil): window.insert(row, into: query, request)
      case (.present, _?): break
      case (.set(let set, _), let index?):
        guard change.applies(to: window.rows[index]) else { continue }
        let row = window.rows[index].setting(set, at: now)
        if row.position == window.rows[index].position, query.contains(row) {
          window.rows.replaceRow(at: index, with: row)
        } else {
          window.rows.removeRow(at: index)
          window.insert(row, into: query, request)
        }
      case (.set(_, let after), nil): window.insert(after, into: query, request)
      }
      if let row = window.anchorRow, row.key == change.key, case .set(let set, _) = change.kind,
        change.applies(to: row)
      {
        window.anchorRow = row.setting(set, at: now)
      }
    }
    return window
  }
}

extension PendingChange {
  fileprivate func applies(to row: RowSummary) -> Bool {
    guard let seen else { return true }
    return row.meaningSequence <= seen.content && row.occurrence == seen.occurrence
  }
}

extension LoadedWindow {
  /// Inserts a row at its position in the list, if that is within the window.
  ///
  /// Only the reader knows whether it matches a search.
  fileprivate mutating func insert(
    _ row: RowSummary, into query: ListQuery, _ request: WindowRequest
  ) {
    if query.isForReader { return }
    guard query.contains(row),
      let row = request.folding != nil
        ? rows.placed(row, isWhole: reachesStart && reachesEnd) : row.alone
    else { return }
    let index =
      rows.firstIndex { row.position.isAbove($0.position, in: query, by: request.order) }
      ?? rows.count
    if index == 0, !reachesStart { return }
    if index == rows.count, !reachesEnd { return }
    rows.insert(row, at: index)
    rows.noteInserted(row)
  }
}

extension InboxCounts {
  /// The counts of one item; zero if it is in no list.
  init(_ row: RowSummary?, startOfDay: Timestamp) {
    guard let row else {
      self.init()
      return
    }
    let isInHistory = ListQuery.history.contains(row)
    self.init(
      tray: row.placement == .tray ? 1 : 0,
      trayUnread: row.placement == .tray && row.readState == .unread ? 1 : 0,
      later: ListQuery.later.contains(row) ? 1 : 0,
      handled: ListQuery.handled.contains(row) ? 1 : 0,
      history: isInHistory ? 1 : 0, today: isInHistory && row.arrival >= startOfDay ? 1 : 0)
  }

  package static func + (left: InboxCounts, right: InboxCounts) -> InboxCounts {
    left.combined(with: right, +)
  }

  static func - (left: InboxCounts, right: InboxCounts) -> InboxCounts {
    left.combined(with: right, -)
  }

  private func combined(with other: InboxCounts, _ operation: (Int, Int) -> Int) -> InboxCounts {
    InboxCounts(
      tray: operation(tray, other.tray), trayUnread: operation(trayUnread, other.trayUnread),
      unbadged: operation(unbadged, other.unbadged),
      ownBadges: operation(ownBadges, other.ownBadges), later: operation(later, other.later),
      handled: operation(handled, other.handled),
      history: operation(history, other.history),
      today: operation(today, other.today))
  }

  /// The counts limited to zero or more, whatever was subtracted.
  ///
  /// Never has more unread items than items, even if an answer already contained a change.
  var clamped: InboxCounts {
    InboxCounts(
      tray: max(0, tray), trayUnread: min(max(0, trayUnread), max(0, tray)),
      unbadged: max(0, unbadged), ownBadges: max(0, ownBadges), later: max(0, later),
      handled: max(0, handled), history: max(0, history), today: max(0, today))
  }
}
