import BellhopScreen

/// A menu of one line, into which the user types.
protocol LineMenu: Menu {
  var field: TextField { get set }

  /// Handles Enter.
  func submit(_ state: inout InboxState, _ effects: inout [Effect])
}

extension LineMenu {
  var count: Int { 1 }
  var selected: Int { 0 }
  var isNumbered: Bool { false }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    switch key {
    case .escape, .control("c"), .control("g"): state.closeOverlay()
    case .enter: submit(&state, &effects)
    default:  // open: Key
      var menu = self
      _ = menu.field.take(key)
      state.overlay = .menu(menu)
    }
  }

  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    if index == nil { state.closeOverlay() }
  }

  func paste(_ text: String, _ state: inout InboxState) {
    var menu = self
    menu.field.insert(text)
    state.overlay = .menu(menu)
  }
}
