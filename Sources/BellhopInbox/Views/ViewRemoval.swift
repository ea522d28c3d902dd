import BellhopScreen
import BellhopText

/// The question before a view that was saved from the screen is removed.
struct ViewRemoval: Menu {
  var name: String
  var title: SafeText
  var filter: SafeText

  var count: Int { 1 }
  var selected: Int { 0 }
  var isNumbered: Bool { false }
  var question: SafeText? { "Remove the view? Its items stay." }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    var line = MenuLine()
    line.isTaken = false
    line.add(filter, .dim)
    return line
  }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    state.answer(key) { $0.removeView(named: name, &effects) }
  }

  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    if index == nil { state.closeOverlay() }
  }
}

extension Command {
  static let removeView = Command(
    id: "remove-view", title: "remove view", help: "remove the view that is shown; asks first",
    keys: ["X"], places: .items, chapter: .places,
    disabledReason: { $0.reasonAgainstViewRemoval },
    perform: { state, _ in state.openViewRemoval() })
}

extension InboxState {
  fileprivate var reasonAgainstViewRemoval: DisabledReason? {
    guard let index = shownView else {
      return DisabledReason(
        views.all.isEmpty
          ? "No view is saved. " + keyHint(.filter) + " filters a list, " + keyHint(.saveView)
            + " saves that as a view."
          : "Show a view first, with its key; " + keyHint(.removeView) + " then removes it.")
    }
    let view = views.all[index]
    if view.isOwn { return nil }
    return DisabledReason("“" + view.title + "” is defined in config.toml: remove it there.")
  }

  /// Asks whether to remove the view that is shown.
  fileprivate mutating func openViewRemoval() {
    guard let view = shownView.map({ views.all[$0] }) else { return }
    overlay = .menu(
      ViewRemoval(
        name: view.name, title: "Remove the view “" + view.title + "”",
        filter: SafeText(view.filter, byteLimit: SavedView.filterBytesMax)))
  }

  /// Removes a view and restores its list; later views move to the previous keys.
  mutating func removeView(named name: String, _ effects: inout [Effect]) {
    closeOverlay()
    guard let index = views.all.firstIndex(where: { $0.name == name && $0.isOwn }) else { return }
    let title = views.all[index].title
    closeView()
    views.opened = nil
    views.all.remove(at: index)
    views.forgetCounts()
    effects.append(.remember(.removeView(named: name)))
    notice = Notice(.success, "View “" + title + "” removed.")
  }
}
