package import BellhopModel
package import BellhopScreen
package import BellhopText

/// The whole state of the screen, as a value.
///
/// Contains the visible rows and about a screen more on either side, regardless of the size of the
/// lists. Only ``reduce(_:_:)`` changes it.
package struct InboxState: Sendable {
  /// The size of the terminal.
  package internal(set) var size: Size
  /// The time of the last ``Message/tick(_:)``.
  package internal(set) var now: Timestamp
  /// The time zone of the screen.
  package let zone: ZoneRules
  package let keymap: Keymap
  package internal(set) var firstRunHelp: FirstRunHelp?
  /// Whether the terminal supports only ASCII, where some marks take more cells and arrows are
  /// words.
  package var isASCII = false
  /// The program's name in hints.
  package var program = ProgramName()

  var ids: UniqueIDSource
  /// The number of the last request for data, which increases with every request.
  var serial = 0

  var tab = Tab.tray
  var focus = Focus.list
  /// The pane from which the user opened the detail pane.
  var focusBeforeDetail = Focus.list
  /// The folded and open groups of the tray, for as long as the program runs.
  var folding: Folding
  /// The lists of the tabs, by their ``ListID/index``.
  private var lists: [ListState] = [.tray, .handled, .history, .later].map { ListState($0) }
  var search: SearchState?
  var filters = FiltersState()
  /// The last search, for `n` and `N`.
  var lastSearch = ""
  var detail = DetailState()
  var overlay = Overlay.none
  var notice: Notice?
  /// The keys of an incomplete sequence.
  var typedKeys: [Key] = []

  var counting = CountingState()
  /// The counts of the days whose headings are drawn.
  var days = DayCounts()
  var readPause = ReadPause()
  var pending = PendingState()
  var steps = UndoSteps()
  var marks = Marks()
  var piped = PipeHistory()
  var runs = ActionRuns()
  var attachments = AttachmentsState()
  var attention = AttentionState()
  var views = ViewsState()
  /// The step of the tour; nil while there is none.
  var tour: Tour?
  var splits: SplitsState
  var accounts: AccountsState
  var apps = AppsState()

  /// Creates the state of a screen.
  ///
  /// - Parameters:
  ///   - now: The time by the store's clock.
  ///   - foldsGroups: Whether groups are folded unless the user opens them.
  ///   - splits: The user's last positions of the rules between the panes.
  ///   - orders: The user's last orders of the lists.
  ///   - ids: The source of operation ids; its random words come from the composition root, so that
  ///     tests are repeatable.
  package init(
    size: Size, now: Timestamp, zone: ZoneRules, accountLabel: SafeText,
    accounts: AccountSet = AccountSet([]), ids: UniqueIDSource, keymap: Keymap = .standard,
    foldsGroups: Bool = true, splits: Splits = Splits(), orders: ListOrders = ListOrders()
  ) {
    self.splits = SplitsState(places: splits)
    folding = Folding(isFolded: foldsGroups)
    self.size = size
    self.now = now
    self.zone = zone
    self.accounts = AccountsState(accounts, onlyLabel: accountLabel)
    self.ids = ids
    self.keymap = keymap
    sort(orders)
    if let first = accounts.choices.first { show(account: first) }
    for id in ListID.allCases where id != .search { self[id].followsFirst = .always }
  }
}

// MARK: - Parts

enum Tab: Int, CaseIterable, Sendable {
  case tray, history, later, apps

  var title: SafeText {
    switch self {
    case .tray: "Tray"
    case .history: "History"
    case .later: "Later"
    case .apps: "Apps"
    }
  }

  var command: Command {
    switch self {
    case .tray: .showTray
    case .history: .showHistory
    case .later: .showLater
    case .apps: .showApps
    }
  }

  /// The tab's list of items; the apps tab has none, and its value is never used.
  var list: ListID {
    switch self {
    case .tray: .tray
    case .history, .apps: .history
    case .later: .later
    }
  }
}

enum Focus: Hashable, Sendable {
  /// The tab's list, or the results of a search.
  case list
  /// The pane below the tray.
  case lower
  case detail
}

/// A list of which the state contains a window.
enum ListID: CaseIterable, Sendable {
  case tray, handled, history, later, search

  /// The index among the lists of the tabs; nil for the results of a search.
  fileprivate var index: Int? {
    switch self {
    case .tray: 0
    case .handled: 1
    case .history: 2
    case .later: 3
    case .search: nil
    }
  }
}

enum Overlay: Sendable {
  case none
  case help(HelpState)
  case confirm(ConfirmState)
  case menu(any Menu)
  case inspect(InspectState)
  case preview(PreviewState)
  case pipe(PipeState)
  case devices(DevicesState)
  case activity(ActivityState)

  var isNone: Bool { if case .none = self { true } else { false } }

  /// The open settings of an app.
  var appMenu: AppMenu? { if case .menu(let menu) = self { menu as? AppMenu } else { nil } }

  /// Whether the overlay covers the whole body.
  var isWhole: Bool {
    switch self {
    case .devices, .activity: true
    case .none, .help, .confirm, .menu, .inspect, .preview, .pipe: false
    }
  }
}

extension InboxState {
  mutating func closeOverlay() { overlay = .none }

  subscript(id: ListID) -> ListState {
    get { id.index.map { lists[$0] } ?? search?.list ?? ListState(.search("")) }
    _modify {
      if let index = id.index {
        yield &lists[index]
      } else {
        var list = search?.list ?? ListState(.search(""))
        yield &list
        search?.list = list
      }
    }
  }

  var tray: ListState {
    get { self[.tray] }
    _modify { yield &self[.tray] }
  }

  /// The list whose item the keys act on.
  var activeList: ListID {
    if search != nil { return .search }
    let pane = focus == .detail ? focusBeforeDetail : focus
    return tab == .tray && pane == .lower ? .handled : tab.list
  }

  /// The row under the cursor of the active list.
  var activeRow: RowSummary? { isInApps ? nil : self[activeList].cursorRow }

  /// The row under the cursor if it is an item; nil on the row of a group.
  var activeItem: RowSummary? { activeRow.flatMap { $0.isGroup ? nil : $0 } }

  /// Whether the store is empty, and the tray shows how to publish.
  var isFirstRun: Bool {
    guard let counts = counting.base, search == nil, tab == .tray else { return false }
    return counts.isEmpty && pending.changes.isEmpty
  }

  /// The current place, for the key map.
  var place: CommandScope {
    if isFirstRun { return .firstRun }
    if isInApps { return .apps }
    if focus == .detail { return .detail }
    if search != nil { return .results }
    return activeList == .later ? .later : .present
  }

  var timeText: TimeText { TimeText(zone: zone, now: now) }
}
