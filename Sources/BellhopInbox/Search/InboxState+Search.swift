import BellhopModel
import BellhopScreen
import BellhopText

struct SearchState: Sendable {
  var field: TextField
  /// Whether keys are still taken as words.
  var isTyping: Bool
  var list: ListState
  /// The pane that had the focus before the search.
  var focus: Focus
  var focusBeforeDetail: Focus

  /// The hints while words are typed.
  var hints: [MenuHint] {
    if field.text.isEmpty { return [MenuHint("type", "words"), MenuHint("Esc", "back")] }
    if list.isLoaded, list.rows.isEmpty {
      return [MenuHint("type", "other words"), MenuHint("Esc", "back")]
    }
    return [
      MenuHint("Enter", "keep the results"), MenuHint("↓ ↑", "move"), MenuHint("Esc", "back"),
    ]
  }
}

extension Command {
  static let searchCommands: [Command] = [search, nextMatch, previousMatch]

  static let search = Command(
    id: "search", title: "search", help: "search all history as you type", keys: ["/"],
    places: .browsing, chapter: .finding, footer: Footer(9),
    perform: { state, _ in state.openSearch() })

  static let nextMatch = Command(
    id: "next-match", title: "next", help: "the next result of the last search", keys: ["n"],
    places: .items, chapter: .finding,
    disabledReason: { $0.reasonAgainstMatches },
    perform: { state, _ in state.walkMatches(by: 1) })

  static let previousMatch = Command(
    id: "previous-match", title: "previous", help: "the previous result", keys: ["N"],
    places: .items, chapter: .finding,
    disabledReason: { $0.reasonAgainstMatches },
    perform: { state, _ in state.walkMatches(by: -1) })
}

extension InboxState {
  fileprivate mutating func openSearch() {
    if search != nil {
      if focus == .detail { leaveDetail() }
      search?.isTyping = true
      return
    }
    search = SearchState(
      field: TextField(), isTyping: true, list: ListState(.search(""), account: accounts.shown),
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
    effects.append(.slow(.cancelSearch))
  }

  /// Asks for what the words match now. The old results stay until the new ones are there, but no
  /// key acts on them.
  mutating func searchTextChanged() {
    guard var search else { return }
    let old = search.list
    search.list = ListState(.search(search.field.text), account: accounts.shown)
    if !search.field.text.isEmpty {
      search.list.rows = old.rows
      search.list.counting = ListCounting(after: old.counting)
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
    default:  // open: Key
      let old = search?.field.text
      _ = search?.field.take(key)
      if search?.field.text != old { searchTextChanged() }
    }
    return true
  }

  fileprivate var reasonAgainstMatches: DisabledReason? {
    guard search == nil, lastSearch.isEmpty else { return nil }
    return DisabledReason("Nothing was searched yet. " + keyHint(.search) + " searches.")
  }

  /// Goes to the next result of the last search, or searches again where the search was left.
  fileprivate mutating func walkMatches(by step: Int) {
    if search != nil {
      if focus == .detail { leaveDetail() }
      self[.search].move(by: step)
      return
    }
    openSearch()
    search?.field = TextField(lastSearch)
    search?.isTyping = false
    searchTextChanged()
  }
}
