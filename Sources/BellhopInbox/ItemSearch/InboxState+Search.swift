import BellhopModel
import BellhopScreen
import BellhopText

/// A search with results, suggested in place of one without.
package struct SearchSuggestion: Hashable, Sendable {
  package var text: String

  package init(text: String) { self.text = text }

  var shown: SafeText { SafeText(text, lineBreaks: .joined, byteLimit: SafeText.titleBytesMax) }
}

struct SearchState: Sendable {
  var field: TextField
  /// Whether keys are still inserted as words.
  var isTyping: Bool
  var list: ListState
  /// The suggestion, if the search has no results.
  var suggestion: SearchSuggestion?
  /// The text for which a suggestion was requested.
  var askedSuggestion: String?
  /// The problem with a field among the words.
  var problem: FilterPhrase.SyntaxError?
  var cycle = CompletionCycle()
  /// The pane that had the focus before the search.
  var focus: Focus
  var focusBeforeDetail: Focus

  /// The hints while words are being typed.
  var hints: [MenuHint] {
    if field.text.isEmpty { return [MenuHint("type", "words"), MenuHint("Esc", "back")] }
    if list.isLoaded, list.rows.isEmpty {
      let near = suggestion.map { [MenuHint("Enter", "search “" + $0.shown + "”")] } ?? []
      return near + [MenuHint("type", "other words"), MenuHint("Esc", "back")]
    }
    return [
      MenuHint("Enter", "keep the results"), MenuHint("↓ ↑", "move"), MenuHint("Esc", "back"),
    ]
  }
}

extension Command {
  static let searchCommands: [Command] = [search, nextMatch, previousMatch]

  static let search = Command(
    id: "search", title: "search",
    help: "search all history as you type; accepts the fields of f: disk app:nas on:yesterday",
    synonyms: ["find"], keys: ["/"], places: .browsing, chapter: .finding, footer: Footer(9),
    perform: { state, effects in state.openSearch(&effects) })

  static let nextMatch = Command(
    id: "next-match", title: "next", help: "the next result of the last search", keys: ["n"],
    places: .items, chapter: .finding,
    disabledReason: { $0.reasonAgainstMatches },
    perform: { state, effects in state.walkMatches(by: 1, &effects) })

  static let previousMatch = Command(
    id: "previous-match", title: "previous", help: "the previous result", keys: ["N"],
    places: .items, chapter: .finding,
    disabledReason: { $0.reasonAgainstMatches },
    perform: { state, effects in state.walkMatches(by: -1, &effects) })
}

extension InboxState {
  fileprivate mutating func openSearch(_ effects: inout [Effect]) {
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
    // The filter may use the user's names for apps.
    effects.append(.read(.apps))
  }

  /// Closes the search, and returns to the item from which it was opened.
  mutating func closeSearch(_ effects: inout [Effect]) {
    guard let search else { return }
    if !search.field.text.isEmpty { lastSearch = search.field.text }
    focus = search.focus
    focusBeforeDetail = search.focusBeforeDetail
    self.search = nil
    effects.append(.slow(.cancelSearch))
    if case .narrowed = search.list.query {
      effects.append(.slow(.cancelNarrowed(search.list.query)))
    }
  }

  /// Requests the matches of the current words.
  ///
  /// The old results stay until the new ones arrive, but no key acts on them.
  mutating func searchTextChanged() {
    guard var search else { return }
    let old = search.list
    let text = search.field.text
    let (filter, problem) =
      search.isTyping
      ? searchPhrase.unfinished(text) : (try? searchPhrase.filter(text).get(), nil)
    search.problem = problem
    search.suggestion = nil
    defer { self.search = search }
    // An unfinished field leaves the earlier results on the screen.
    guard let filter else { return }
    let query: ListQuery =
      filter.terms.isEmpty ? .search(filter.words) : .narrowed(.history, filter)
    guard query != old.query else { return }
    search.list = ListState(query, account: accounts.shown)
    if !text.isEmpty {
      search.list.rows = old.rows
      search.list.counting = ListCounting(after: old.counting)
    }
  }

  /// The syntax of searches: filters in which a word with an unknown field is a plain word.
  var searchPhrase: FilterPhrase {
    FilterPhrase(now: now, zone: zone, appNames: filters.appNames, unknownField: .word)
  }

  /// Handles a key while words are being typed.
  ///
  /// - Returns: false for a key with its usual meaning.
  mutating func takeWhileTyping(_ key: Key, _ effects: inout [Effect]) -> Bool {
    switch key {
    case .escape, .control("c"), .control("g"): closeSearch(&effects)
    case .enter where search?.suggestion != nil: takeSuggestion()
    case .enter:
      guard let search, !search.field.text.isEmpty else {
        closeSearch(&effects)
        return true
      }
      if let problem = search.problem {
        notice = Notice(
          .error, SafeText(problem.description), brief: problem.brief.map { SafeText($0) })
        return true
      }
      self.search?.isTyping = false
      lastSearch = search.field.text
      searchTextChanged()
    case .tab: completeSearch(by: 1)
    case .backTab: completeSearch(by: -1)
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

  // MARK: - Suggestions

  /// Requests a suggestion if the search has no results.
  mutating func settleSuggestion(_ effects: inout [Effect]) {
    guard let search, case .search(let words) = search.list.query, !words.isEmpty,
      search.list.isLoaded, search.list.rows.isEmpty, search.askedSuggestion != words
    else { return }
    serial += 1
    self.search?.askedSuggestion = words
    effects.append(.slow(.suggest(for: words, serial: serial, of: accounts.shown)))
  }

  mutating func accept(_ suggestion: SearchSuggestion?, for words: String) {
    guard let search, search.list.query == .search(words), search.list.rows.isEmpty else { return }
    self.search?.suggestion = suggestion
  }

  /// Searches for the suggested text.
  mutating func takeSuggestion() {
    guard let suggestion = search?.suggestion else { return }
    search?.field = TextField(suggestion.text)
    search?.isTyping = false
    lastSearch = suggestion.text
    searchTextChanged()
  }

  private mutating func completeSearch(by step: Int) {
    let phrase = searchPhrase
    guard let typed = search?.field.text,
      let text = search?.cycle.next(after: typed, by: step, in: phrase)
    else { return }
    self.search?.field = TextField(text)
    searchTextChanged()
  }

  fileprivate var reasonAgainstMatches: DisabledReason? {
    guard search == nil, lastSearch.isEmpty else { return nil }
    return DisabledReason("No search yet. " + keyHint(.search) + " starts one.")
  }

  /// Moves to the next result of the last search, or repeats a closed search.
  fileprivate mutating func walkMatches(by step: Int, _ effects: inout [Effect]) {
    if search != nil {
      if focus == .detail { leaveDetail() }
      self[.search].move(by: step)
      return
    }
    openSearch(&effects)
    search?.field = TextField(lastSearch)
    search?.isTyping = false
    searchTextChanged()
  }
}
