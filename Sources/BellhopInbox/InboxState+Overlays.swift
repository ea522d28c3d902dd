import BellhopModel
import BellhopScreen
import BellhopText

// MARK: - Search

extension InboxState {
  mutating func openSearch() {
    if search != nil {
      if focus == .detail { leaveDetail() }
      search?.isTyping = true
      return
    }
    search = SearchState(
      field: TextField(), isTyping: true, list: ListState(.search(""), account: shownAccount),
      focus: focus == .detail ? focusBeforeDetail : focus, focusBeforeDetail: focusBeforeDetail)
    focus = .list
    focusBeforeDetail = .list
  }

  /// Back to the item the search was begun from.
  mutating func closeSearch(_ effects: inout [Effect]) {
    guard let search else { return }
    if !search.field.text.isEmpty { lastSearch = search.field.text }
    focus = search.focus
    focusBeforeDetail = search.focusBeforeDetail
    self.search = nil
    effects.append(.cancelSearch)
  }

  /// Asks for what the words match now. The old results stay until the new ones are there, but no
  /// key acts on them.
  mutating func searchTextChanged() {
    guard var search else { return }
    let old = search.list
    search.list = ListState(.search(search.field.text), account: shownAccount)
    if !search.field.text.isEmpty {
      search.list.rows = old.rows
      search.list.matches = old.matches
    }
    self.search = search
  }

  /// Takes a key while words are typed; false for one that means the same as ever.
  mutating func takeWhileTyping(_ key: Key, _ effects: inout [Effect]) -> Bool {
    switch key {
    case .escape, .control("c"), .control("g"): closeSearch(&effects)
    case .enter:
      guard let search, !search.field.text.isEmpty else {
        closeSearch(&effects)
        return true
      }
      self.search?.isTyping = false
      lastSearch = search.field.text
    case .down, .control("n"): self[.search].move(by: 1)
    case .up, .control("p"): self[.search].move(by: -1)
    case .pageDown: perform(.pageDown, &effects)
    case .pageUp: perform(.pageUp, &effects)
    case .control("z"), .control("l"): return false
    case .backspace where search?.field.text.isEmpty == true: closeSearch(&effects)
    default:
      let old = search?.field.text
      _ = search?.field.take(key)
      if search?.field.text != old { searchTextChanged() }
    }
    return true
  }

  /// The next result of the last search, or the search again when it was left.
  mutating func walkMatches(by step: Int) {
    if search != nil {
      if focus == .detail { leaveDetail() }
      self[.search].move(by: step)
      return
    }
    guard !lastSearch.isEmpty else {
      notice = Notice(.information, "Nothing was searched yet. " + keyHint(.search) + " searches.")
      return
    }
    openSearch()
    search?.field = TextField(lastSearch)
    search?.isTyping = false
    searchTextChanged()
  }
}

// MARK: - Help

extension InboxState {
  mutating func take(_ key: Key, in help: HelpState) {
    var help = help
    let page = max(1, layout.body.height - 1)
    switch key {
    case .escape, .enter, .control("c"), .control("g"):
      overlay = .none
      return
    case .down, .control("n"): help.scroll += 1
    case .up, .control("p"): help.scroll -= 1
    case .pageDown, .control("d"): help.scroll += page
    case .pageUp: help.scroll -= page
    case .home: help.scroll = 0
    case .end: help.scroll = Int.max / 2
    default:
      if help.filter.take(key) { help.scroll = 0 }
    }
    let lines = HelpLines(state: self, filter: help.filter.text).lines.count
    help.scroll = min(max(0, help.scroll), max(0, lines - layout.body.height))
    overlay = .help(help)
  }
}
