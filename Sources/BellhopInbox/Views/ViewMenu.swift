import BellhopScreen
import BellhopText

/// The line in which a view is given its name.
struct ViewMenu: Menu {
  var title: SafeText
  var field: TextField

  var count: Int { 1 }
  var selected: Int { 0 }
  var isNumbered: Bool { false }
  var hints: [MenuHint] { [MenuHint("Enter", "save"), MenuHint("Esc", "close")] }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    var line = MenuLine()
    line.add("Name: ", .accent)
    line.addTyped(field.drawn.tail(cells: max(1, width - 8)))
    if field.text.isEmpty { line.add(" such as: failed builds", .dim) }
    return line
  }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    switch key {
    case .escape, .control("c"), .control("g"): state.overlay = .none
    case .enter:
      let words = field.text.split(separator: " ")
      guard !words.isEmpty else {
        state.notice = Notice(.information, "Type a name first; Esc goes back.")
        return
      }
      state.keepView(named: words.joined(separator: " "), &effects)
    default:
      var menu = self
      _ = menu.field.take(key)
      state.overlay = .menu(menu)
    }
  }

  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    if index == nil { state.overlay = .none }
  }

  func paste(_ text: String, _ state: inout InboxState) {
    var menu = self
    menu.field.insert(text)
    state.overlay = .menu(menu)
  }
}

extension InboxState {
  /// Asks for the name of what the list is narrowed to.
  mutating func openViewMenu() {
    guard search == nil, let filter, filter.problem == nil, SavedView.List(tab) != nil else {
      notice = Notice(
        .information,
        keyHint(.filter) + " filters a list first; " + keyHint(.saveView)
          + " then saves it as a view.")
      return
    }
    // A view that was opened and changed keeps its name unless the person types another.
    let name = views.opened.flatMap { opened in
      views.all.indices.contains(opened.index) && views.all[opened.index].isOwn
        ? views.all[opened.index].name : nil
    }
    var field = TextField(name ?? "")
    field.limit = SavedView.nameBytesMax
    overlay = .menu(ViewMenu(title: "Save as a view · " + filter.field.drawn, field: field))
  }
}
