package import BellhopModel

/// A list the screen can show. The reader answers it window by window, never whole.
package enum ListQuery: Hashable, Sendable {
  /// What nobody has handled (placement `tray`), newest arrival first.
  case tray
  /// What was handled or is past its time in the tray (placement `history`), newest arrival first:
  /// the pane below the tray.
  case handled
  /// Everything kept and delivered (placements `tray`, `snoozed` and `history`), newest arrival
  /// first.
  case history
  /// Snoozed and scheduled, the next to come first: by ``RowSummary/due``, then by
  /// ``RowSummary/order``, both rising.
  case later
  /// What matches the words among everything in ``history``, newest arrival first.
  case search(String)
  /// Items of a group that are in the tray, newest arrival first. Only a ``Selection`` is of it.
  case group(GroupKey)
  /// What of a list passes the filter, in the list's order. Never of a search or a group, nor
  /// narrowed twice.
  indirect case narrowed(ListQuery, ListFilter)

  /// Whether only a reader can say what belongs to the list.
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

  /// The list of its unread items; nil for a group.
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

  /// Whether the next to come is first.
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

  /// Whether an item with this placement belongs to the list; every placement may match a search.
  package func contains(_ placement: Placement) -> Bool {
    switch self {
    case .tray, .group: placement == .tray
    case .handled: placement == .history
    case .history, .search: placement == .tray || placement == .snoozed || placement == .history
    case .later: placement == .snoozed || placement == .scheduled
    case .narrowed(let whole, _): whole.contains(placement)
    }
  }
}

/// Where a row stands in a list. Positions compare in the order in which the list is drawn.
package struct RowPosition: Hashable, Sendable {
  /// The item that stands, or stood, there.
  package var key: ItemKey
  /// The arrival key of its row: see ``RowSummary/order``.
  package var order: Int64
  /// When it comes back or is delivered; only ``ListQuery/later`` is sorted by it.
  package var due: Timestamp?
  /// The level and the app of the item; only lists that are sorted by them look at these.
  package var priority: Priority
  /// See ``priority``; by its host.
  package var app: String
  /// What the row has to do with a group; nil for an item alone.
  package var place: Place?

  /// Where a row stands that is not simply where its item arrived.
  package enum Place: Hashable, Sendable {
    /// A group's own row: where the newest of its items arrived, which is the position's.
    case group(GroupKey)
    /// Below the row of its group, which stands where the newest of them arrived.
    case member(of: GroupKey, newest: ItemKey, order: Int64)
  }

  package init(
    key: ItemKey, order: Int64, due: Timestamp?, priority: Priority = .normal, app: String = "",
    place: Place? = nil
  ) {
    self.key = key
    self.order = order
    self.due = due
    self.priority = priority
    self.app = app
    self.place = place
  }

  /// What the row is of.
  package var rowID: RowID {
    if case .group(let group) = place { .group(group) } else { .item(key) }
  }

  /// Whether this position is drawn above `other` in a list for `query` in an order.
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
    // As the cache orders its sections.
    case .app:
      if app != other.app { return app.utf8.lexicographicallyPrecedes(other.app.utf8) }
    }
    let (mine, theirs) = (unit, other.unit)
    if mine != theirs { return theirs.isBefore(mine) }
    switch (isMember, other.isMember) {
    case (true, true): return other.own.isBefore(own)
    case (let isBelow, _): return !isBelow && other.isMember
    }
  }

  private var isMember: Bool { if case .member = place { true } else { false } }

  /// An item's arrival.
  private struct Arrival: Equatable {
    var order: Int64
    var key: ItemKey

    /// Two stores may have given the same one.
    func isBefore(_ other: Arrival) -> Bool {
      if order != other.order { return order < other.order }
      if key.id != other.key.id { return key.id < other.key.id }
      return key.account.rawValue < other.key.account.rawValue
    }
  }

  private var own: Arrival { Arrival(order: order, key: key) }

  /// Where the group stands as a whole, or the item alone.
  private var unit: Arrival {
    guard case .member(_, let newest, let order) = place else { return own }
    return Arrival(order: order, key: newest)
  }
}

/// Which rows of a list to read.
///
/// Every request is answered by one ``CacheAnswer/window(_:_:_:)`` that carries it back; only the
/// answer to the newest request of a list counts, so requests for older ones may be dropped.
package struct WindowRequest: Hashable, Sendable {
  package enum Anchor: Hashable, Sendable {
    /// The first row of the list.
    case first
    /// The last row of the list.
    case last
    /// A position, whether or not a row still stands there.
    case row(RowPosition)
  }

  package enum Direction: Hashable, Sendable {
    /// The anchor's row, if it is still there, and those below it.
    case down
    /// Those above the anchor's position; with ``Anchor/last`` the last rows of the list.
    case up
    /// As ``up`` for half the count, and ``down`` for the rest.
    case around
  }

  package var anchor: Anchor
  package var direction: Direction
  /// The order of the list.
  package var order: ListOrder
  /// At most this many rows; never above ``countMax``.
  package var count: Int
  /// Rises with every request of any kind.
  package var serial: Int
  /// The account whose items are wanted; nil for those of all accounts.
  package var account: AccountName?
  /// Which groups are one row; nil in a list without groups.
  package var folding: Folding?

  /// Four screens of the highest terminal that is taken seriously.
  package static let countMax = 1024

  package init(
    anchor: Anchor, direction: Direction, order: ListOrder = .newest, count: Int, serial: Int,
    account: AccountName? = nil, folding: Folding? = nil
  ) {
    self.order = order
    self.folding = folding
    self.account = account
    self.anchor = anchor
    self.direction = direction
    self.count = count
    self.serial = serial
  }
}

/// The answer to a ``WindowRequest``.
package struct LoadedWindow: Sendable {
  /// Rows in the order of the list, whatever the direction of the request.
  package var rows: [RowSummary]
  /// Whether the list has no row above the first one.
  package var reachesStart: Bool
  /// Whether the list has no row below the last one.
  package var reachesEnd: Bool
  /// The anchor's item as it is now, in the list or not; nil when it is gone altogether or the
  /// anchor names none.
  package var anchorRow: RowSummary?
  /// How many items of the list stand above the first row; nil when that would be slow to count.
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

/// The numbers in tabs and captions. They come from counters, never from a scan.
package struct InboxCounts: Hashable, Sendable {
  /// Items in the tray.
  package var tray: Int
  /// Unread items in the tray.
  package var trayUnread: Int
  /// Those of them whose apps do not count on badges.
  package var unbadged: Int
  /// Snoozed and scheduled items.
  package var later: Int
  /// Items that were handled, or are past their time in the tray.
  package var handled: Int
  /// Everything delivered and kept, the tray included.
  package var kept: Int
  /// What arrived since midnight in the zone of the screen.
  package var today: Int

  package init(
    tray: Int = 0, trayUnread: Int = 0, unbadged: Int = 0, later: Int = 0, handled: Int = 0,
    kept: Int = 0, today: Int = 0
  ) {
    self.unbadged = unbadged
    self.tray = tray
    self.trayUnread = trayUnread
    self.later = later
    self.handled = handled
    self.kept = kept
    self.today = today
  }

  /// What the window's title tells.
  package var badge: Int { max(0, trayUnread - unbadged) }

  /// Whether the store has nothing at all to show.
  package var isEmpty: Bool { tray == 0 && later == 0 && kept == 0 }
}
