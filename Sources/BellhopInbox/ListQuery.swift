package import BellhopModel

/// A list that the screen can show; the reader returns it in windows, never as a whole.
package enum ListQuery: Hashable, Sendable {
  /// Open items (placement `tray`), newest arrival first.
  case tray
  /// Handled items and those past their time in the tray, newest arrival first.
  ///
  /// Their placement is `handled`; they are shown in the pane below the tray.
  case handled
  /// All delivered items that are stored, newest arrival first.
  ///
  /// Their placements are `tray`, `snoozed` and `handled`.
  case history
  /// Snoozed and scheduled items, the next due first.
  ///
  /// Sorted by ``RowSummary/due``, then by ``RowSummary/order``, both ascending.
  case later
  /// Items of ``history`` that match the words, newest arrival first.
  case search(String)
  /// Items of a group in the tray, the highest level first; used only in a ``Selection``.
  case group(GroupKey)
  /// Items of a list that match the filter, in the list's order.
  ///
  /// The list is never a search, a group, or another filtered list.
  indirect case narrowed(ListQuery, ListFilter)

  /// Whether only a reader can decide which items belong to the list.
  package var isForReader: Bool {
    switch self {
    case .search, .group, .narrowed: true
    case .tray, .handled, .history, .later: false
    }
  }

  /// The list without its filter; a search without its words.
  package var whole: ListQuery {
    switch self {
    case .narrowed(let whole, _): whole
    case .search: .search("")
    case .tray, .handled, .history, .later, .group: self
    }
  }

  /// The list restricted to unread items; nil for a group.
  var unreadOnly: ListQuery? {
    let unread = ListFilter.Term(.state([.unread]))
    switch self {
    case .tray, .handled, .history, .later: return .narrowed(self, ListFilter(terms: [unread]))
    case .search(let words):
      return .narrowed(.history, ListFilter(terms: [unread], words: words))
    case .narrowed(let whole, var filter):
      filter.terms.append(unread)
      return .narrowed(whole, filter)
    case .group: return nil
    }
  }

  /// Whether the next due item is first.
  package var isByDueTime: Bool {
    switch self {
    case .later: true
    case .narrowed(let whole, _): whole.isByDueTime
    case .tray, .handled, .history, .search, .group: false
    }
  }

  /// Whether all of its items are in the tray.
  var isInTray: Bool {
    switch self {
    case .tray, .group: true
    case .narrowed(let whole, _): whole.isInTray
    case .handled, .history, .later, .search: false
    }
  }

  /// Returns whether an item belongs to the list.
  ///
  /// For a search, the words decide as well.
  package func contains(_ row: RowSummary) -> Bool {
    switch self {
    case .tray, .group: row.placement == .tray
    case .handled: row.placement == .handled
    case .history, .search: Placement.listed.contains(row.placement)
    case .later: row.due != nil
    case .narrowed(let whole, _): whole.contains(row)
    }
  }
}

/// The position of a row in a list; positions compare in the order of the list.
package struct RowPosition: Hashable, Sendable {
  /// The item that is, or was, at the position.
  package var key: ItemKey
  /// The arrival key of its row: see ``RowSummary/order``.
  package var order: Int64
  /// The time when it returns or is delivered; only ``ListQuery/later`` is sorted by it.
  package var due: Timestamp?
  /// The level of the item; only lists sorted by level and the items of a group use it.
  package var priority: Priority = .normal
  /// The host of the item's app; only lists sorted by app use it.
  package var app: String = ""
  /// The role of the row in a group; nil for an item on its own.
  package var place: Place?

  /// A position that does not depend only on the item's arrival.
  package enum Place: Hashable, Sendable {
    /// The row of a group, at the arrival of its newest item, which is the position's item.
    case group(GroupKey)
    /// An item below the row of its group, which is at the arrival of its newest item.
    case member(of: GroupKey, newest: ItemKey, order: Int64)
  }

  /// The item or the group of the row.
  package var rowID: RowID {
    if case .group(let group) = place { .group(group) } else { .item(key) }
  }

  /// Whether this position is above `other` in the list for `query` in the given order.
  package func isAbove(
    _ other: RowPosition, in query: ListQuery, by listOrder: ListOrder
  ) -> Bool {
    if query.isByDueTime {
      let (mine, theirs) = (due ?? .distantFuture, other.due ?? .distantFuture)
      if mine != theirs { return mine < theirs }
      return own.isBefore(other.own)
    }
    switch listOrder {
    case .newest: break
    case .level: if priority != other.priority { return priority > other.priority }
    // The same order as the cache's sections.
    case .app:
      if app != other.app { return app.utf8.lexicographicallyPrecedes(other.app.utf8) }
    }
    let (mine, theirs) = (unit, other.unit)
    if mine != theirs { return theirs.isBefore(mine) }
    switch (isMember, other.isMember) {
    case (true, true):
      return priority == other.priority ? other.own.isBefore(own) : priority > other.priority
    case (let isBelow, _): return !isBelow && other.isMember
    }
  }

  private var isMember: Bool { if case .member = place { true } else { false } }

  /// The arrival of an item.
  private struct Arrival: Equatable {
    var order: Int64
    var key: ItemKey

    /// Two stores may have assigned the same order.
    func isBefore(_ other: Arrival) -> Bool {
      if order != other.order { return order < other.order }
      if key.id != other.key.id { return key.id < other.key.id }
      return key.account.rawValue < other.key.account.rawValue
    }
  }

  private var own: Arrival { Arrival(order: order, key: key) }

  /// The arrival that positions the group as a whole, or the item on its own.
  private var unit: Arrival {
    guard case .member(_, let newest, let order) = place else { return own }
    return Arrival(order: order, key: newest)
  }
}

/// A request for rows of a list.
///
/// Every request is answered by one ``CacheAnswer/window(_:_:_:)`` that includes it. Only the
/// answer to the newest request of a list counts, so older requests may be dropped.
package struct WindowRequest: Hashable, Sendable {
  package enum Anchor: Hashable, Sendable {
    /// The first row of the list.
    case first
    /// The last row of the list.
    case last
    /// A position, whether or not it still has a row.
    case row(RowPosition)
  }

  package enum Direction: Hashable, Sendable {
    /// The anchor's row, if it still exists, and those below it.
    case down
    /// The rows above the anchor's position; with ``Anchor/last``, the last rows of the list.
    case up
    /// Half the count as ``up``, and the rest as ``down``.
    case around
  }

  package var anchor: Anchor
  package var direction: Direction
  /// The order of the list.
  package var order = ListOrder.newest
  /// The maximum number of rows; never above ``countMax``.
  package var count: Int
  /// The number of the request, which increases with every request of any kind.
  package var serial: Int
  /// The account whose items are requested; nil for all accounts.
  package var account: AccountName?
  /// The folded groups; nil in a list without groups.
  package var folding: Folding?

  /// The maximum count: four screens of the tallest supported terminal.
  package static let countMax = 1024
}

/// The answer to a ``WindowRequest``.
package struct LoadedWindow: Sendable {
  /// Rows in the order of the list, regardless of the direction of the request.
  package var rows: [RowSummary]
  /// Whether the list has no row above the first one.
  package var reachesStart: Bool
  /// Whether the list has no row below the last one.
  package var reachesEnd: Bool
  /// The current row of the anchor's item, in the list or not.
  ///
  /// Nil if the item no longer exists or the anchor names none.
  package var anchorRow: RowSummary?
  /// The number of items above the first row; nil if counting would be slow.
  package var countAbove: Int?

  package init(
    rows: [RowSummary], reachesStart: Bool, reachesEnd: Bool, anchorRow: RowSummary? = nil,
    countAbove: Int? = nil
  ) {
    self.rows = rows
    self.reachesStart = reachesStart
    self.reachesEnd = reachesEnd
    self.anchorRow = anchorRow
    self.countAbove = countAbove
  }
}

/// The numbers in tabs and captions, which come from counters and never from a scan.
package struct InboxCounts: Hashable, Sendable {
  /// Items in the tray.
  package var tray: Int
  /// Unread items in the tray.
  package var trayUnread: Int
  /// Unread items in the tray of apps that count with ``ownBadges`` instead.
  package var unbadged: Int
  /// The sum of the numbers that apps have set as their badges.
  package var ownBadges: Int
  /// Snoozed and scheduled items.
  package var later: Int
  /// Items that were handled, or are past their time in the tray.
  package var handled: Int
  /// Items in the history, including those in the tray.
  package var history: Int
  /// Items that arrived since midnight in the zone of the screen.
  package var today: Int

  package init(
    tray: Int = 0, trayUnread: Int = 0, unbadged: Int = 0, ownBadges: Int = 0, later: Int = 0,
    handled: Int = 0, history: Int = 0, today: Int = 0
  ) {
    self.ownBadges = ownBadges
    self.unbadged = unbadged
    self.tray = tray
    self.trayUnread = trayUnread
    self.later = later
    self.handled = handled
    self.history = history
    self.today = today
  }

  /// The number in the window's title.
  package var badge: Int { max(0, trayUnread - unbadged) + ownBadges }

  /// Whether the store has no items to show.
  package var isEmpty: Bool { tray == 0 && later == 0 && history == 0 }
}
