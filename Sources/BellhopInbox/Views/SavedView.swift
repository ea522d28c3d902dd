import BellhopModel
import BellhopText

/// A named filter of a list, on one of the keys `5` to `9`.
package struct SavedView: Hashable, Sendable {
  /// The lists that can be filtered.
  package enum List: String, CaseIterable, Hashable, Sendable {
    case tray, history, later
  }

  package var name: String
  /// The filter as typed by the user; see ``FilterPhrase``.
  package var filter: String
  package var list: List
  /// The order of the view; nil for that of its list.
  package var order: ListOrder?
  /// Whether the view was saved from the screen, which may then replace it.
  package var isOwn: Bool

  /// The maximum number of views, which is the number of their keys.
  package static let countMax = 5
  /// The maximum size of a name, which is a tab's title, in bytes.
  package static let nameBytesMax = 64
  /// The maximum size of a filter, in bytes; the same as in the text field.
  package static let filterBytesMax = TextField.bytesMax

  package init(
    name: String, filter: String, list: List = .tray, order: ListOrder? = nil, isOwn: Bool = false
  ) {
    self.name = name
    self.filter = filter
    self.list = list
    self.order = order
    self.isOwn = isOwn
  }

  var tab: Tab {
    switch list {
    case .tray: .tray
    case .history: .history
    case .later: .later
    }
  }

  var title: SafeText { SafeText(name, byteLimit: Self.nameBytesMax) }
}

extension SavedView.List {
  /// The list of a tab; nil for a tab whose rows are not items.
  init?(_ tab: Tab) {
    switch tab {
    case .tray: self = .tray
    case .history: self = .history
    case .later: self = .later
    case .apps: return nil
    }
  }
}

/// The saved views, and the one that is open.
struct ViewsState: Sendable {
  struct Opened: Sendable {
    var index: Int
    /// The filter of its list before the view was opened.
    var before: FilterState?
  }

  var all: [SavedView] = []
  var opened: Opened?
  /// The number of items of each view, if known, in the order of ``all``.
  var counts: [Int?] = []
  var countsAreStale = true
  var countsOutstanding: Int?

  func count(_ index: Int) -> Int? { counts.indices.contains(index) ? counts[index] : nil }

  mutating func accept(_ counts: [Int?], serial: Int) {
    guard countsOutstanding == serial else { return }
    countsOutstanding = nil
    // Views that were saved or removed since are counted again.
    if counts.count == all.count { self.counts = counts }
  }

  /// Forgets all counts, because the views have changed places.
  mutating func forgetCounts() {
    counts = []
    countsOutstanding = nil
    countsAreStale = true
  }
}

extension Command {
  static let viewCommands: [Command] = views + [saveView, removeView]

  /// The commands of the keys `5` to `9`, in order.
  static let views: [Command] = (0..<SavedView.countMax).map { index in
    let number = index + 1
    return Command(
      id: "view-\(number)", title: "view \(number)", help: "your saved view \(number)",
      keys: ["\(index + 5)"], places: .items, chapter: .places,
      disabledReason: { state in
        if state.views.all.indices.contains(index) { return nil }
        return DisabledReason(
          "No view is saved on this key. " + state.keyHint(.filter) + " filters a list, "
            + state.keyHint(.saveView) + " saves that as a view.", .absent)
      },
      helpNow: { state in
        state.views.all.indices.contains(index)
          ? "the view “\(state.views.all[index].title.string)”" : nil
      },
      perform: { state, effects in state.showView(index, &effects) })
  }
}

extension InboxState {
  /// Sets the saved views, those of the configuration first; ignores views beyond the last key.
  package mutating func use(_ views: [SavedView]) {
    self.views.all = Array(views.prefix(SavedView.countMax))
    self.views.forgetCounts()
  }

  /// The index of the view that is shown unchanged.
  var shownView: Int? {
    guard let index = views.opened?.index, views.all.indices.contains(index) else { return nil }
    let view = views.all[index]
    guard view.tab == tab, let filter, !filter.isTyping, filter.field.text == view.filter else {
      return nil
    }
    return index
  }

  fileprivate mutating func showView(_ index: Int, _ effects: inout [Effect]) {
    let view = views.all[index]
    if case .failure(let problem) = filterPhrase.filter(view.filter) {
      notice = Notice(.error, view.title + ": " + SafeText(problem.pointing(in: view.filter)))
      return
    }
    show(view.tab, &effects)
    views.opened = ViewsState.Opened(index: index, before: filter)
    filter = FilterState(field: TextField(view.filter), isTyping: false, filter: ListFilter())
    filterTextChanged()
    // The filter may use the user's names for apps.
    effects.append(.read(.apps))
  }

  /// Closes the view, if one is shown, and restores its list.
  mutating func closeView() {
    guard let opened = views.opened else { return }
    let isShown = shownView != nil
    views.opened = nil
    guard isShown else { return }
    filter = opened.before
    narrowLists()
  }

  /// Saves the current filter as a view, replacing the one with the same name.
  mutating func keepView(named name: String, _ effects: inout [Effect]) {
    guard let filter, let list = SavedView.List(tab) else { return }
    let view = SavedView(
      name: name, filter: filter.field.text, list: list, order: orderToSave, isOwn: true)
    let index = views.all.firstIndex { $0.name == name } ?? views.all.count
    guard index < SavedView.countMax else {
      return say("All five keys are taken. Type the name of a saved view to replace it.")
    }
    if views.all.indices.contains(index), !views.all[index].isOwn {
      return say("“" + view.title + "” is in config.toml: change it there, or choose another name.")
    }
    closeOverlay()
    if index == views.all.count { views.all.append(view) } else { views.all[index] = view }
    views.forgetCounts()
    views.opened = ViewsState.Opened(index: index, before: nil)
    effects.append(.remember(.views(views.all.filter(\.isOwn))))
    notice = Notice(
      .success, "Saved: " + keyHint(Command.views[index]) + " shows “" + view.title + "”.")
  }
}

// MARK: - Counts

extension InboxState {
  /// Requests the views' counts while the header has room for them.
  mutating func countViews(_ effects: inout [Effect]) {
    guard views.countsAreStale, !views.all.isEmpty, views.countsOutstanding == nil,
      !readPause.holds,
      !isReceivingAll, HeaderLine(self).hasRoomForCounts
    else { return }
    // The filter may use the user's names for apps.
    if filters.appNames.isEmpty { effects.append(.read(.apps)) }
    serial += 1
    views.countsAreStale = false
    views.countsOutstanding = serial
    effects.append(.slow(.countViews(views.all.map(query), serial: serial, of: accounts.shown)))
  }

  /// Whether the first synchronisation is in progress, when counts would be outdated immediately.
  var isReceivingAll: Bool {
    if case .firstSync = connection.link { true } else { false }
  }

  /// Returns the list of a view; nil if its filter is not valid.
  private func query(of view: SavedView) -> ListQuery? {
    guard let filter = try? filterPhrase.filter(view.filter).get() else { return nil }
    let whole: ListQuery =
      switch view.list {
      case .tray: .tray
      case .history: .history
      case .later: .later
      }
    return filter.isEmpty ? whole : .narrowed(whole, filter)
  }
}

extension FilterPhrase.SyntaxError {
  /// Returns the sentence, with the position marked in the text:
  /// `app:ci prio:▸soon · “soon” is not a level.`
  package func pointing(in text: String) -> String {
    "\(text.prefix(range.lowerBound))▸\(text.dropFirst(range.lowerBound)) · \(description)"
  }
}
