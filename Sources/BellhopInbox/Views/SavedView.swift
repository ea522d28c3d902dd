import BellhopModel
import BellhopText

/// A filter of a list under a name, on one of the keys `5` to `9`.
package struct SavedView: Hashable, Sendable {
  /// The lists that can be narrowed.
  package enum List: String, CaseIterable, Hashable, Sendable {
    case tray, history, later
  }

  package var name: String
  /// As a person types it; see ``FilterPhrase``.
  package var filter: String
  package var list: List
  /// The order in which it shows its list; nil for that of the list.
  package var order: ListOrder?
  /// Whether it was saved from the screen, which may then replace it.
  package var isOwn: Bool

  /// As many as there are keys for them.
  package static let countMax = 5
  /// A name is a tab's title.
  package static let nameBytesMax = 64
  /// What can be typed as a filter.
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
  /// The list of a tab; nil for one whose rows are no items.
  init?(_ tab: Tab) {
    switch tab {
    case .tray: self = .tray
    case .history: self = .history
    case .later: self = .later
    case .apps: return nil
    }
  }
}

/// The views there are, and the one that was opened.
struct ViewsState: Sendable {
  struct Opened: Sendable {
    var index: Int
    /// What its list was narrowed by before.
    var before: FilterState?
  }

  var all: [SavedView] = []
  var opened: Opened?
  /// How many items each has, where that is known; in the order of ``all``.
  var counts: [Int?] = []
  var countsAreStale = true
  var countsOutstanding: Int?

  func count(_ index: Int) -> Int? { counts.indices.contains(index) ? counts[index] : nil }

  mutating func accept(_ counts: [Int?], serial: Int) {
    guard countsOutstanding == serial else { return }
    countsOutstanding = nil
    // Views that were saved or removed since are counted anew.
    if counts.count == all.count { self.counts = counts }
  }

  /// The views are others now: no number belongs to its place any more.
  mutating func forgetCounts() {
    counts = []
    countsOutstanding = nil
    countsAreStale = true
  }
}

extension Command {
  static let viewCommands: [Command] = views + [saveView, removeView]

  /// The commands of the keys `5` to `9`, in their order.
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
  /// Takes the saved views, those of the configuration first; more than there are keys for are left
  /// out.
  package mutating func use(_ views: [SavedView]) {
    self.views.all = Array(views.prefix(SavedView.countMax))
    self.views.forgetCounts()
  }

  /// The view that is on the screen as it was saved.
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
    // The filter may use the person's names for apps.
    effects.append(.read(.apps))
  }

  /// Leaves the view, if one is shown: its list is as it was before.
  mutating func closeView() {
    guard let opened = views.opened else { return }
    let isShown = shownView != nil
    views.opened = nil
    guard isShown else { return }
    filter = opened.before
    narrowLists()
  }

  /// Takes a view in that the person saved, in the place of the one it was made of or with its name.
  mutating func keepView(named name: String, _ effects: inout [Effect]) {
    guard let filter, let list = SavedView.List(tab) else { return }
    let view = SavedView(
      name: name, filter: filter.field.text, list: list, order: orderToSave, isOwn: true)
    let index = views.all.firstIndex { $0.name == name } ?? views.all.count
    guard index < SavedView.countMax else {
      notice = Notice(
        .information,
        "All five keys are taken: give it the name of a view that you saved, to replace that one.")
      return
    }
    if views.all.indices.contains(index), !views.all[index].isOwn {
      notice = Notice(
        .information, "“" + view.title + "” is in config.toml: change it there, or choose a name.")
      return
    }
    overlay = .none
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
  /// Asks how many items the views have, while the header has room to say so.
  mutating func countViews(_ effects: inout [Effect]) {
    guard views.countsAreStale, !views.all.isEmpty, views.countsOutstanding == nil,
      !readPause.holds,
      !isReceivingAll, HeaderLine(self).hasRoomForCounts
    else { return }
    // The filter may use the person's names for apps.
    if filters.appNames.isEmpty { effects.append(.read(.apps)) }
    serial += 1
    views.countsAreStale = false
    views.countsOutstanding = serial
    effects.append(.slow(.countViews(views.all.map(query), serial: serial, of: accounts.shown)))
  }

  /// While everything comes for the first time, numbers would be wrong as soon as they are known.
  var isReceivingAll: Bool {
    if case .firstSync = connection.link { true } else { false }
  }

  /// The list that a view shows; nil where its filter means nothing.
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

extension FilterPhrase.Problem {
  /// The sentence, and where in the text it is wrong: `character 9: “soon” is not a level.`
  package func pointing(in text: String) -> String {
    "\(text.prefix(range.lowerBound))▸\(text.dropFirst(range.lowerBound)) · \(description)"
  }
}
