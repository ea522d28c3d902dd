import BellhopText

extension Command {
  static let sortCommands: [Command] = [sort]

  static let sort = Command(
    id: "sort", title: "sort", help: "sort the list by level, by app, or newest first again",
    synonyms: ["order", "group by"], keys: ["O"], places: .browsing, chapter: .finding,
    disabledReason: { $0.reasonAgainstSorting },
    perform: { state, effects in state.sortList(&effects) })
}

extension InboxState {
  /// The orders that the user chose.
  private var orders: ListOrders {
    ListOrders(
      tray: self[.tray].sorting.chosen, handled: self[.handled].sorting.chosen,
      history: self[.history].sorting.chosen)
  }

  /// Restores the user's orders of the lists, for a state without rows.
  mutating func sort(_ orders: ListOrders) {
    self[.tray].sorting = Sorting(order: orders.tray, chosen: orders.tray)
    self[.handled].sorting = Sorting(order: orders.handled, chosen: orders.handled)
    self[.history].sorting = Sorting(order: orders.history, chosen: orders.history)
  }

  fileprivate var reasonAgainstSorting: DisabledReason? {
    if isInApps { return "The apps have only one order. The tray and the history can be sorted." }
    if focus == .detail {
      return DisabledReason(
        "Only lists can be sorted. " + keyHint(.leave) + " goes back to its list.")
    }
    switch activeList {
    case .tray, .handled, .history: return nil
    case .later: return "Later has only one order: the next item comes first."
    case .search:
      return DisabledReason(
        "Results are always newest first. " + keyHint(.filter)
          + " filters a list, which can be sorted.")
    }
  }

  /// Shows the list in the next order, and saves it.
  fileprivate mutating func sortList(_ effects: inout [Effect]) {
    let id = activeList
    endSpan()
    let order = self[id].order.next
    self[id].sort(by: order)
    // In a view with its own order, the order belongs to the view.
    if self.order(ofViewIn: id) == nil {
      self[id].sorting.chosen = order
      effects.append(.remember(.orders(orders)))
    }
    let name: SafeText =
      switch order {
      case .newest: "Newest first. "
      case .level: "Sorted by level. "
      case .app: "Sorted by app. "
      }
    let next: SafeText =
      switch order.next {
      case .newest: " shows the newest first."
      case .level: " sorts by level."
      case .app: " sorts by app."
      }
    say(name + keyHint(.sort) + next)
  }

  /// Returns the order of the saved view that is shown, if it has one and shows this list.
  func order(ofViewIn id: ListID) -> ListOrder? {
    id == tab.list ? shownView.flatMap { views.all[$0].order } : nil
  }

  /// The order with which a view of the tab's list is saved; nil for the default order.
  var orderToSave: ListOrder? {
    let sorting = self[tab.list].sorting
    return sorting == Sorting() ? nil : sorting.order
  }

  /// Returns the order as shown in a caption; nil for the newest first.
  func orderText(of id: ListID) -> SafeText? {
    switch self[id].order {
    case .newest: nil
    case .level: "by level"
    case .app: "by app"
    }
  }
}
