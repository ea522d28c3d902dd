import BellhopModel
import BellhopScreen
import BellhopText

/// The filter of a tab's lists, and the line in which it is typed.
struct FilterState: Sendable {
  var field: TextField
  /// Whether keys are still inserted as text.
  var isTyping: Bool
  /// The filter in effect: that of the text, or of the last valid text.
  var filter: ListFilter
  var problem: FilterPhrase.SyntaxError?
  var cycle = CompletionCycle()
  /// The text that Esc restores; nil if there was no filter.
  var before: String?
  /// The tab and filter that Esc goes back to, if the filter was made in another tab.
  var origin: Origin?

  struct Origin: Sendable {
    var tab: Tab
    /// The filter that the list had before.
    var filter: String?
  }

  /// The hints while the filter is being typed.
  static let hints = [
    MenuHint("Enter", "keep the filter"), MenuHint("Tab", "complete"), MenuHint("↓ ↑", "move"),
    MenuHint("Esc", "back"),
  ]
}

/// The filters of the tabs, and the names that a filter may use.
struct FiltersState: Sendable {
  var byTab: [Tab: FilterState] = [:]
  /// The user's names for the apps, by the apps' own names; read when a filter is typed.
  var appNames: [String: String] = [:]
}

extension Command {
  static let filterCommands: [Command] = [filter, unreadOnly]

  static let filter = Command(
    id: "filter", title: "filter",
    help: "filter the list: app:ci is:unread prio:>=high after:yesterday",
    synonyms: ["narrow", "limit"], keys: ["f"],
    places: .items, chapter: .finding, footer: Footer(10),
    perform: { state, effects in state.openFilter(&effects) })

  static let unreadOnly = Command(
    id: "unread-only", title: "unread only", help: "show unread items only; again for all",
    keys: ["U"], places: .list, chapter: .finding,
    perform: { state, effects in state.toggleUnreadOnly(&effects) })
}

extension InboxState {
  /// The filter of the current tab.
  var filter: FilterState? {
    get { filters.byTab[tab] }
    set { filters.byTab[tab] = newValue }
  }

  /// Whether keys are inserted as text in the first line.
  var isTyping: Bool {
    search.map(\.isTyping) ?? (filter?.isTyping == true)
  }

  /// The problem with the filter being typed; an incomplete term is not wrong yet.
  var filterProblem: FilterPhrase.SyntaxError? {
    guard search == nil, let filter, filter.isTyping else { return nil }
    return filterPhrase.told(filter.problem, of: filter.field.text)
  }

  /// The problem with the search being typed; an incomplete term is not wrong yet.
  var searchProblem: FilterPhrase.SyntaxError? {
    guard let search, search.isTyping else { return nil }
    return searchPhrase.told(search.problem, of: search.field.text)
  }

  /// The problem for the last line, fullest text first; nil if the first line has room for it.
  var filterProblemTexts: [SafeText]? {
    guard let problem = filterProblem ?? searchProblem, let field = search?.field ?? filter?.field
    else { return nil }
    let words = SafeText(problem.description)
    guard field.drawn.width + words.width + 6 > size.width else { return nil }
    return [words] + (problem.brief.map { [SafeText($0)] } ?? [])
  }

  var filterPhrase: FilterPhrase { FilterPhrase(now: now, zone: zone, appNames: filters.appNames) }

  /// Starts typing a filter for this tab, beginning with the current one.
  fileprivate mutating func openFilter(_ effects: inout [Effect]) {
    if search != nil { closeSearch(&effects) }
    if focus == .detail { leaveDetail() }
    effects.append(.read(.apps))
    guard let present = filter else {
      filter = FilterState(field: TextField(), isTyping: true, filter: ListFilter())
      return
    }
    filter?.isTyping = true
    filter?.before = present.field.text
  }

  /// Removes the filter, and shows everything again.
  mutating func clearFilter(_ effects: inout [Effect]) {
    guard let old = filter else { return }
    filter = old.origin?.filter.map {
      FilterState(field: TextField($0), isTyping: false, filter: ListFilter())
    }
    if filter == nil { showWhole() } else { filterTextChanged() }
    for id in narrowableLists { effects.append(.slow(.cancelNarrowed(self[id].query))) }
    if let origin = old.origin { show(origin.tab, &effects) }
  }

  /// Restricts the tab's lists to unread items, or removes that restriction.
  ///
  /// Adds or removes a term of the filter, and keeps the other terms.
  fileprivate mutating func toggleUnreadOnly(_ effects: inout [Effect]) {
    let text = filter?.field.text ?? ""
    let tokens = FilterToken.tokens(of: text)
    let own = tokens.filter {
      $0.field?.lowercased() == FilterPhrase.Field.state.rawValue && !$0.isNegated
        && $0.value.lowercased() == ListFilter.State.unread.rawValue
    }
    let characters = Array(text)
    var words = tokens.filter { !own.contains($0) }.map { String(characters[$0.range]) }
    if own.isEmpty { words.append(Self.unreadTerm) }
    guard !words.isEmpty else {
      clearFilter(&effects)
      return say("Read and unread items.")
    }
    let field = TextField(words.joined(separator: " "))
    if filter == nil {
      filter = FilterState(field: field, isTyping: false, filter: ListFilter())
    } else {
      filter?.field = field
    }
    filterTextChanged()
    say(
      own.isEmpty
        ? "Unread items only. " + keyHint(.unreadOnly) + " shows all again."
        : "Read and unread items.")
  }

  private static let unreadTerm =
    FilterPhrase.Field.state.rawValue + ":" + ListFilter.State.unread.rawValue

  /// Handles a key while a filter is being typed.
  ///
  /// - Returns: false for a key with its usual meaning.
  mutating func takeFilterKey(_ key: Key, _ effects: inout [Effect]) -> Bool {
    switch key {
    case .escape, .control("c"), .control("g"): leaveFilter(&effects)
    case .enter: endFilter(&effects)
    case .tab: completeFilter(by: 1)
    case .backTab: completeFilter(by: -1)
    case .down, .control("n"): self[activeList].move(by: 1)
    case .up, .control("p"): self[activeList].move(by: -1)
    case .pageDown: perform(.pageDown, &effects)
    case .pageUp: perform(.pageUp, &effects)
    case .control("z"), .control("l"): return false
    case .backspace where filter?.field.text.isEmpty == true: clearFilter(&effects)
    default:  // open: Key
      let old = filter?.field.text
      _ = filter?.field.take(key)
      if filter?.field.text != old { filterTextChanged() }
    }
    return true
  }

  private mutating func leaveFilter(_ effects: inout [Effect]) {
    guard let before = filter?.before else { return clearFilter(&effects) }
    filter?.field = TextField(before)
    filter?.isTyping = false
    filterTextChanged()
  }

  private mutating func endFilter(_ effects: inout [Effect]) {
    guard let filter else { return }
    if filter.field.text.allSatisfy(\.isWhitespace) { return clearFilter(&effects) }
    if let problem = filter.problem {
      notice = Notice(
        .error, SafeText(problem.description), brief: problem.brief.map { SafeText($0) })
    } else {
      self.filter?.isTyping = false
      filterTextChanged()
    }
  }

  private mutating func completeFilter(by step: Int) {
    let phrase = filterPhrase
    guard let typed = filter?.field.text,
      let text = filter?.cycle.next(after: typed, by: step, in: phrase)
    else { return }
    filter?.field = TextField(text)
    filterTextChanged()
  }

  mutating func filterTextChanged() {
    guard let filter else { return }
    let (value, problem) =
      filter.isTyping
      ? filterPhrase.unfinished(filter.field.text)
      : (try? filterPhrase.filter(filter.field.text).get(), nil)
    self.filter?.problem = problem
    guard let value, filter.filter != value else { return }
    self.filter?.filter = value
    narrowLists()
  }

  mutating func accept(appNames names: [String: String]) {
    if names != filters.appNames { views.countsAreStale = true }
    filters.appNames = names
    // A name may be valid now.
    if search != nil { searchTextChanged() }
    if filter?.isTyping == true || shownView != nil { filterTextChanged() }
  }

  /// Shows the lists without a filter, with the cursor on the same item.
  private mutating func showWhole() {
    let cursors = narrowableLists.map { ($0, self[$0].cursorRow?.position) }
    narrowLists()
    for case (let id, let position?) in cursors { self[id].comeBack(to: position) }
  }

  private var narrowableLists: [ListID] { tab == .tray ? [.tray, .handled] : [tab.list] }

  /// Requests the items that match the filter.
  ///
  /// The old rows stay until the new ones arrive, but no key acts on them.
  mutating func narrowLists() {
    for id in narrowableLists {
      var base = self[id].query
      if case .narrowed(let whole, _) = base { base = whole }
      let filter = self.filter?.filter ?? ListFilter()
      let rows = self[id].rows
      var sorting = self[id].sorting
      sorting.order = order(ofViewIn: id) ?? sorting.chosen
      self[id] = ListState(
        filter.isEmpty ? base : .narrowed(base, filter), sorting: sorting,
        account: self[id].account)
      self[id].rows = rows
    }
  }
}
