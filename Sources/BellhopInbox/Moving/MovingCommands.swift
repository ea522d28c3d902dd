import BellhopModel
import BellhopScreen
import BellhopText

extension Command {
  static let movingCommands: [Command] = [
    moveDown, moveUp, moveToFirst, moveToLast, pageDown, pageUp, halfPageDown, halfPageUp, enter,
    leave, nextItem, previousItem, nextUnread,
  ]

  static let moveDown = movement(
    .down, id: "down", title: "down", help: "one item down, or scroll inside one",
    keys: ["j", "Down"])
  static let moveUp = movement(
    .up, id: "up", title: "up", help: "one item up, or scroll inside one", keys: ["k", "Up"])
  static let moveToFirst = movement(
    .first, id: "first", title: "first", help: "to the first item", keys: ["g g", "Home"])
  static let moveToLast = movement(
    .last, id: "last", title: "last", help: "to the last item", keys: ["G", "End"])
  static let pageDown = movement(
    .pageDown, id: "page-down", title: "page down", help: "a page down", keys: ["PgDn"])
  static let pageUp = movement(
    .pageUp, id: "page-up", title: "page up", help: "a page up", keys: ["PgUp"])
  static let halfPageDown = movement(
    .halfPageDown, id: "half-page-down", title: "half down", help: "half a page down",
    keys: ["Ctrl-d"])
  static let halfPageUp = movement(
    .halfPageUp, id: "half-page-up", title: "half up", help: "half a page up", keys: ["Ctrl-u"])

  static let enter = Command(
    id: "enter", title: "open",
    help: "open the item and mark it read, or open a group or an app",
    keys: ["l", "Enter", "Right"], places: [.list, .results, .apps], chapter: .moving,
    perform: { state, effects in state.enter(&effects) })

  static let leave = Command(
    id: "leave", title: "back", help: "leave the item, the search or the group",
    keys: ["h", "Esc", "Left"], places: .browsing, chapter: .moving,
    perform: { state, effects in state.leave(&effects) })

  static let nextItem = neighbor(1, id: "next-item", title: "next", key: "J")
  static let previousItem = neighbor(-1, id: "previous-item", title: "previous", key: "K")

  static let nextUnread = Command(
    id: "next-unread", title: "next unread", help: "to the next unread item below", keys: ["w"],
    places: .items, chapter: .moving,
    perform: { state, effects in state.showNextUnread(&effects) })

  private static func neighbor(
    _ step: Int, id: String, title: String, key: String
  ) -> Command {
    Command(
      id: id, title: title, help: "inside an item: the \(title) item of the list", keys: [key],
      places: .detail, chapter: .moving,
      perform: { state, effects in state.showNeighbor(step, &effects) })
  }

  private static func movement(
    _ movement: Movement, id: String, title: String, help: String, keys: [String]
  ) -> Command {
    Command(
      id: id, title: title, help: help, keys: keys, places: .browsing, chapter: .moving,
      perform: { state, _ in state.move(movement) })
  }
}

/// A step of the cursor, or of the text of an item.
enum Movement: Hashable, Sendable {
  case down, up, first, last, pageDown, pageUp, halfPageDown, halfPageUp
}

extension InboxState {
  fileprivate mutating func move(_ movement: Movement) {
    if isInApps { return moveInApps(movement) }
    if focus == .detail { return scrollDetail(movement) }
    let id = activeList
    let height = max(1, layout.list(id)?.rows.height ?? 1)
    let half = max(1, height / 2)
    switch movement {
    case .down: self[id].move(by: 1)
    case .up: self[id].move(by: -1)
    case .first: self[id].moveToFirst()
    case .last: self[id].moveToLast()
    case .pageDown: turnPage(of: id, height: height, isDown: true)
    case .pageUp: turnPage(of: id, height: height, isDown: false)
    case .halfPageDown: self[id].move(by: half, scrolling: true)
    case .halfPageUp: self[id].move(by: -half, scrolling: true)
    }
  }

  private mutating func scrollDetail(_ movement: Movement) {
    let height = max(1, layout.detail?.height ?? 1)
    switch movement {
    case .down: detail.move(by: 1)
    case .up: detail.move(by: -1)
    case .first: detail.moveToEnd(first: true)
    case .last: detail.moveToEnd(first: false)
    case .pageDown: detail.move(by: max(1, height - 1))
    case .pageUp: detail.move(by: -max(1, height - 1))
    case .halfPageDown: detail.move(by: max(1, height / 2))
    case .halfPageUp: detail.move(by: -max(1, height / 2))
    }
  }

  fileprivate mutating func enter(_ effects: inout [Effect]) {
    if isInApps { return openAppMenu() }
    if search?.suggestion != nil { return takeSuggestion() }
    if activeRow?.isGroup == true { return enterGroup() }
    guard let row = subject() else { return }
    goIntoDetail()
    markRead(row, &effects)
  }

  fileprivate mutating func leave(_ effects: inout [Effect]) {
    if postponeQuestion() { return }
    if focus == .detail {
      leaveDetail()
    } else if !marks.isEmpty {
      clearMarks()
    } else if search != nil {
      closeSearch(&effects)
    } else if leaveGroup() {
      return
    } else if focus == .list {
      clearFilter(&effects)
    } else {
      focus = .list
    }
  }

  /// Marks an item read because the user opened it, without a notice.
  private mutating func markRead(_ row: RowSummary, _ effects: inout [Effect]) {
    guard row.readState == .unread else { return }
    act(.read, on: row, &effects)
    notice = nil
  }

  // MARK: - Neighbouring items

  /// Shows a neighbouring item without leaving the detail pane.
  fileprivate mutating func showNeighbor(_ step: Int, _ effects: inout [Effect]) {
    let id = activeList
    guard let here = self[id].cursorIndex else { return }
    var index = here + step
    while self[id].rows.indices.contains(index), self[id].rows[index].isGroup { index += step }
    guard self[id].rows.indices.contains(index) else {
      return say(step > 0 ? "This is the last item." : "This is the first item.")
    }
    // A ghost's row disappears once the cursor leaves it.
    let row = self[id].rows[index]
    self[id].move(by: index - here)
    detail.scroll = 0
    markRead(row, &effects)
  }

  /// Moves to the next unread item below the cursor, in the list or inside an item.
  fileprivate mutating func showNextUnread(_ effects: inout [Effect]) {
    let id = activeList
    let list = self[id]
    guard let cursor = list.cursor, let here = list.cursorIndex else { return }
    if let index = list.rows[(here + 1)...].firstIndex(where: { $0.hasUnread }) {
      let row = list.rows[index]
      self[id].move(by: index - here)
      if focus == .detail { row.isGroup ? leaveDetail() : markRead(row, &effects) }
      return
    }
    guard !list.reachesEnd, let query = list.query.unreadOnly else { return sayNoneUnread() }
    serial += 1
    self[id].awaitedUnread = serial
    effects.append(
      .read(
        .window(
          query,
          WindowRequest(
            anchor: .row(cursor), direction: .down, order: list.order, count: 2, serial: serial,
            account: list.account))))
  }

  private mutating func sayNoneUnread() {
    say("Nothing unread below. " + keyHint(.moveToFirst) + " goes to the first item.")
  }

  /// Accepts the next unread item from beyond the rows.
  ///
  /// - Returns: false for a window that was requested for another purpose.
  mutating func acceptUnread(_ window: LoadedWindow, _ request: WindowRequest) -> Bool {
    guard
      let id = ListID.allCases.first(where: { id in
        (id != .search || search != nil) && self[id].awaitedUnread == request.serial
      })
    else { return false }
    self[id].awaitedUnread = nil
    guard case .row(let anchor) = request.anchor,
      let row = window.rows.first(where: { $0.key != anchor.key })
    else {
      sayNoneUnread()
      return true
    }
    self[id].comeBack(to: row.position)
    if focus == .detail { leaveDetail() }
    return true
  }

  mutating func goIntoDetail() {
    guard focus != .detail else { return }
    focusBeforeDetail = focus
    focus = .detail
  }

  mutating func leaveDetail() {
    focus = focusBeforeDetail
    detail.scroll = 0
  }
}
