import BellhopScreen
import BellhopText

/// The line in which the user names a view.
struct ViewMenu: LineMenu {
  var title: SafeText
  var field: TextField

  var hints: [MenuHint] { [MenuHint("Enter", "save"), MenuHint("Esc", "close")] }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    var line = MenuLine()
    line.add("Name: ", .accent)
    line.addTyped(field.drawn.tail(cells: max(1, width - 8)))
    if field.text.isEmpty { line.add(" such as: failed builds", .dim) }
    return line
  }

  func submit(_ state: inout InboxState, _ effects: inout [Effect]) {
    let words = field.text.split(separator: " ")
    guard !words.isEmpty else { return state.say("Type a name first; Esc goes back.") }
    state.keepView(named: words.joined(separator: " "), &effects)
  }
}

extension Command {
  static let saveView: Command = Command(
    id: "save-view", title: "save view", help: "save the filter as a view",
    keys: ["V"], places: .items, chapter: .places,
    disabledReason: { state in
      if state.filterToSave != nil { return nil }
      return DisabledReason(
        state.keyHint(.filter) + " filters a list first; " + state.keyHint(.saveView)
          + " then saves it as a view.")
    },
    perform: { state, _ in state.openViewMenu() })
}

extension InboxState {
  /// The filter that can be saved as a view.
  fileprivate var filterToSave: FilterState? {
    guard search == nil, let filter, filter.problem == nil, SavedView.List(tab) != nil else {
      return nil
    }
    return filter
  }

  /// Asks for the name of the current filter.
  fileprivate mutating func openViewMenu() {
    guard let filter = filterToSave else { return }
    // An opened and changed view keeps its name unless the user types another.
    let name = views.opened.flatMap { opened in
      views.all.indices.contains(opened.index) && views.all[opened.index].isOwn
        ? views.all[opened.index].name : nil
    }
    var field = TextField(name ?? "")
    field.limit = SavedView.nameBytesMax
    overlay = .menu(ViewMenu(title: "Save as a view · " + filter.field.drawn, field: field))
  }
}
