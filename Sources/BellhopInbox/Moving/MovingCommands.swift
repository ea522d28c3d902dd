import BellhopModel
import BellhopScreen

extension Command {
  static let movingCommands: [Command] = [
    moveDown, moveUp, moveToFirst, moveToLast, pageDown, pageUp, halfPageDown, halfPageUp, enter,
    leave,
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
    help: "into the item, which marks it read; opens a group, or an app",
    keys: ["l", "Enter", "Right"], places: [.list, .results, .apps], chapter: .moving,
    perform: { state, effects in state.enter(&effects) })

  static let leave = Command(
    id: "leave", title: "back", help: "out of the item, the search or the group",
    keys: ["h", "Esc", "Left"], places: .browsing, chapter: .moving,
    perform: { state, effects in state.leave(&effects) })

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
    if isInApps { return openAppMenuHere() }
    if activeRow?.isGroup == true { return enterGroup() }
    guard let row = subject() else { return }
    goIntoDetail()
    if row.readState == .unread { act(.read, on: row, &effects) }
  }

  fileprivate mutating func leave(_ effects: inout [Effect]) {
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
