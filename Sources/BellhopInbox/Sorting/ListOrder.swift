/// The order of the items of a list.
package enum ListOrder: String, CaseIterable, Hashable, Sendable {
  /// The newest arrival first.
  case newest
  /// The highest level first, in sections; in each the newest arrival first.
  case level
  /// By app, in sections; in each the newest arrival first.
  ///
  /// Apps are in the order of their hosts, regardless of the user's names for them.
  case app

  /// The next order when the user presses the key.
  var next: ListOrder {
    switch self {
    case .newest: .level
    case .level: .app
    case .app: .newest
    }
  }
}

/// The user's orders of the lists that can be sorted.
package struct ListOrders: Hashable, Sendable {
  package var tray: ListOrder
  /// The list below the tray.
  package var handled: ListOrder
  package var history: ListOrder

  package init(
    tray: ListOrder = .newest, handled: ListOrder = .newest, history: ListOrder = .newest
  ) {
    self.tray = tray
    self.handled = handled
    self.history = history
  }
}

/// The order of one list.
struct Sorting: Hashable, Sendable {
  /// The order in which the list is shown.
  var order = ListOrder.newest
  /// The user's order for the list; a saved view may show the list in another one.
  var chosen = ListOrder.newest
}

extension ListState {
  /// The order in which the list is shown.
  var order: ListOrder { sorting.order }

  /// Whether a position is drawn above another one.
  func isAbove(_ upper: RowPosition, _ lower: RowPosition) -> Bool {
    upper.isAbove(lower, in: query, by: order)
  }

  /// Requests the rows in another order.
  ///
  /// The old rows stay until the new ones arrive, but no key acts on them. The cursor stays on its
  /// item; on the first row it stays on the first row.
  mutating func sort(by order: ListOrder) {
    var sorted = ListState(query, sorting: sorting, account: account)
    sorted.sorting.order = order
    sorted.counting = ListCounting(after: counting)
    sorted.rows = rows.filter { !$0.isGroup || $0.isFolded }.map(\.alone)
      .sorted { sorted.isAbove($0.position, $1.position) }
    if let row = cursorRow, cursorIndex != 0 || !reachesStart {
      sorted.comeBack(to: row.alone.position)
    }
    self = sorted
  }
}
