package import BellhopModel
package import BellhopScreen
package import BellhopText
package import BellhopTime

/// The whole state of the screen, as a value.
///
/// It holds the rows that are visible and about a screen more on either side, whatever the size of
/// the lists. ``reduce(_:_:)`` is the only thing that changes it.
package struct InboxState: Sendable {
  /// The size of the terminal.
  package internal(set) var size: Size
  /// The time of the last ``Message/tick(_:)``.
  package internal(set) var now: Timestamp
  /// The zone in which times are drawn.
  package let zone: ZoneRules
  package let keymap: Keymap
  package internal(set) var firstRunHelp: FirstRunHelp?
  /// Whether the terminal has ASCII alone, in which some marks take more cells, and arrows are words.
  package var isASCII = false
  /// The program as hints name it.
  package var program = ProgramName()

  var ids: UniqueIDSource
  /// Rises with every request for data.
  var serial = 0

  var tab = Tab.tray
  var focus = Focus.list
  /// The pane that the person went into the detail from.
  var focusBeforeDetail = Focus.list
  /// Which groups of the tray are one row, for as long as the program runs.
  var folding: Folding
  /// The lists of the tabs, by their ``ListID/index``.
  private var lists: [ListState] = [.tray, .handled, .history, .later].map { ListState($0) }
  var search: SearchState?
  var filters = FiltersState()
  /// What was searched last, for `n` and `N`.
  var lastSearch = ""
  var detail = DetailState()
  var overlay = Overlay.none
  var notice: Notice?
  /// Keys of a sequence that has only begun.
  var typedKeys: [Key] = []

  var counting = CountingState()
  /// What arrived on the days whose headings are drawn.
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

  /// - Parameters:
  ///   - now: By the store's clock.
  ///   - foldsGroups: Whether groups are folded unless the person opens them.
  ///   - splits: Where the person left the rules between the panes.
  ///   - orders: The orders in which the person left the lists.
  ///   - ids: Makes the ids of operations; its random words come from the composition root, so that
  ///     tests repeat.
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

  /// Its list of items; where it has none, the one that a key would mean is never looked into.
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

/// One of the lists that the state holds a window of.
enum ListID: CaseIterable, Sendable {
  case tray, handled, history, later, search

  /// The place of a tab's list among the lists; nil for the results of a search.
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

  /// The settings of an app that are open.
  var appMenu: AppMenu? { if case .menu(let menu) = self { menu as? AppMenu } else { nil } }

  /// Whether it takes the place of the whole body.
  var isWhole: Bool {
    switch self {
    case .devices, .activity: true
    case .none, .help, .confirm, .menu, .inspect, .preview, .pipe: false
    }
  }
}

extension InboxState {
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

  /// The same where it is an item's; nil on the row of a group.
  var activeItem: RowSummary? { activeRow.flatMap { $0.isGroup ? nil : $0 } }

  /// Whether the store has nothing at all, and the tray says how that is changed.
  var isFirstRun: Bool {
    guard let counts = counting.base, search == nil, tab == .tray else { return false }
    return counts.isEmpty && pending.changes.isEmpty
  }

  /// Where the person is, for the key map.
  var place: Places {
    if isFirstRun { return .firstRun }
    if isInApps { return .apps }
    if focus == .detail { return .detail }
    return search == nil ? .list : .results
  }

  var timeText: TimeText { TimeText(zone: zone, now: now) }
}
