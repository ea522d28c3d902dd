extension Command {
  static let tabCommands: [Command] = [
    showTray, showHistory, showLater, showApps, nextTab, previousTab, nextPane, previousPane,
  ]

  static let showTray = tab("tray", "the tray", "1") { $0.show(.tray, &$1) }
  static let showHistory = tab("history", "the history", "2") { $0.show(.history, &$1) }
  static let showLater = tab("later", "snoozed and scheduled items", "3") { $0.show(.later, &$1) }
  static let showApps = tab("apps", "the apps and their settings", "4") { $0.show(.apps, &$1) }
  static let nextTab = tab("next-tab", "the next tab", "]") { $0.showTab(by: 1, &$1) }
  static let previousTab = tab("previous-tab", "the previous tab", "[") { $0.showTab(by: -1, &$1) }
  static let nextPane = tab(
    "next-pane", "the next pane, or the next tab if there is only one pane", "Tab"
  ) {
    $0.showPane(by: 1, &$1)
  }
  static let previousPane = tab("previous-pane", "the previous pane", "Shift-Tab") {
    $0.showPane(by: -1, &$1)
  }

  private static func tab(
    _ id: String, _ help: String, _ key: String, perform: @escaping Handler
  ) -> Command {
    Command(
      id: id, title: help, help: help, keys: [key],
      // The tabs are drawn even while the store is empty.
      places: .everywhere, chapter: .places, perform: perform)
  }
}

extension InboxState {
  mutating func show(_ tab: Tab, _ effects: inout [Effect]) {
    if search != nil { closeSearch(&effects) }
    filter?.isTyping = false
    closeView()
    // Items that are no longer visible are not acted on.
    if tab != self.tab { clearMarks() }
    self.tab = tab
    focus = .list
    focusBeforeDetail = .list
  }

  fileprivate mutating func showTab(by step: Int, _ effects: inout [Effect]) {
    let tabs = Tab.allCases
    show(tabs[(tab.rawValue + step + tabs.count) % tabs.count], &effects)
  }

  fileprivate mutating func showPane(by step: Int, _ effects: inout [Effect]) {
    let layout = layout
    guard layout.isWide, !isInApps, !isFirstRun else {
      // With one pane on the screen, the keys switch between the tabs.
      if focus == .detail { return leaveDetail() }
      return showTab(by: step, &effects)
    }
    var panes: [Focus] = [.list]
    if layout.list(.handled) != nil { panes.append(.lower) }
    if activeItem != nil { panes.append(.detail) }
    let index = panes.firstIndex(of: focus) ?? 0
    let next = panes[(index + step + panes.count) % panes.count]
    if next == .detail {
      goIntoDetail()
    } else {
      focus = next
    }
  }
}
