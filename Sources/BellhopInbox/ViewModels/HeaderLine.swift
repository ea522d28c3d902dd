import BellhopModel
import BellhopScreen
import BellhopText

/// The first line: tabs with their counts, account, connection.
struct HeaderLine {
  /// The left and right parts of a line.
  private typealias Halves = (left: [Span], right: [Span])

  private let counts: InboxCounts
  private let accountLabel: SafeText
  private let status: ConnectionStatus
  /// The account of the connection, if it has to be named.
  private let worstAccount: SafeText?
  /// The text for do not disturb or quiet hours; empty if neither is active.
  /// Do not disturb, quiet hours and hidden texts; empty if none is in effect.
  private let silence: SafeText
  private let briefSilence: SafeText
  /// The filter of the list, as text.
  private let filter: SafeText?
  private let tab: Tab
  private let shownView: Int?
  private let views: ViewsState
  private let keymap: Keymap
  private let screenWidth: Int
  private let time: TimeText

  init(_ state: InboxState) {
    counts = state.counts
    accountLabel = state.accountLabel
    status = state.connection
    worstAccount = state.accounts.worst
    silence = SafeText.joined(
      [state.silenceText, state.hidesTexts ? "texts hidden" : .empty].filter { !$0.isEmpty },
      by: " · ")
    briefSilence = SafeText.joined(
      [state.silenceText.isEmpty ? .empty : "quiet", state.hidesTexts ? "hidden" : .empty]
        .filter { !$0.isEmpty }, by: " · ")
    filter = state.filter?.field.drawn
    tab = state.tab
    shownView = state.shownView
    views = state.views
    keymap = state.keymap
    screenWidth = state.size.width
    time = state.timeText
  }

  private var brand: [Span] { [Span(" bellhop", .accent), Span("  ")] }
  private var wideBrand: [Span] { [Span(" bellhop", .accent), Span("   ")] }
  private var margin: [Span] { [Span(" ")] }
  private var account: [Span] { [Span(accountLabel, .dim), Span("   ")] }

  /// Returns the contents that fit into `width`, most important parts first.
  func place(width: Int) -> [PlacedSpan] {
    // The account's name is shortened before the program's name is omitted.
    func shortAccount(beside tabs: [Span]) -> [Span] {
      let room = width - (brand + tabs).width - connection.text.width - 6
      return [Span(self.shortAccount(cells: room), .dim), Span("   ")]
    }
    var candidates: [() -> Halves] = [
      { (wideBrand + countedTabs, account + [connection]) },
      { (brand + countedTabs, account + [connection]) },
      { (wideBrand + allTabs, account + [connection]) },
      { (brand + allTabs, account + [connection]) },
      { (brand + allTabs, shortAccount(beside: allTabs) + [connection]) },
      { (brand + allTabs, [connection]) },
      { (wideBrand + tabs, account + [connection]) },
      { (brand + tabs, account + [connection]) },
      { (brand + tabs, shortAccount(beside: tabs) + [connection]) },
      { (brand + tabs, [connection]) },
      { (margin + tabs, [connection]) },
      { (margin + tabs, [briefConnection]) },
      { (margin + tabs, [shortConnection]) },
      { (margin + numberedTabs, [connection]) },
      { (margin + numberedTabs, [shortConnection]) },
      { (margin + activeTab, [connection]) },
      { (margin + activeTab, [shortConnection]) },
      { (activeTab, []) },
    ]
    if !silence.isEmpty {
      // The reason for silence is more important than the account.
      let quiet = [Span(silence, .accent, .doNotDisturb), Span("   ")]
      let brief = [Span(briefSilence, .accent, .doNotDisturb), Span("  ")]
      candidates = [
        { (wideBrand + countedTabs, quiet + account + [connection]) },
        { (wideBrand + allTabs, quiet + account + [connection]) },
        { (wideBrand + tabs, quiet + account + [connection]) },
        { (wideBrand + tabs, quiet + [connection]) },
        { (margin + tabs, quiet + [shortConnection]) },
        { (margin + tabs, brief + [shortConnection]) },
        { (margin + numberedTabs, brief + [shortConnection]) },
        { (margin + activeTab, brief + [shortConnection]) },
        { (activeTab, []) },
      ]
    }
    if let filter { candidates = self.candidates(narrowedBy: filter) }
    for candidate in candidates {
      let (left, right) = candidate()
      guard left.width + right.width + 3 <= width else { continue }
      return left.placed(at: 0) + right.placed(at: width - right.width - 1)
    }
    return activeTab.placed(at: 0)
  }

  /// Returns the layouts for a filtered list; the filter is more important than anything else.
  private func candidates(narrowedBy filter: SafeText) -> [() -> Halves] {
    return [
      { (wideBrand + countedTabs, narrowed(by: filter, cells: 60) + account + [connection]) },
      { (wideBrand + allTabs, narrowed(by: filter, cells: 60) + account + [connection]) },
      { (wideBrand + countedTabs, narrowed(by: filter, cells: 30) + account + [connection]) },
      { (wideBrand + allTabs, narrowed(by: filter, cells: 30) + account + [connection]) },
      { (brand + allTabs, narrowed(by: filter, cells: 30) + [connection]) },
      { (wideBrand + tabs, narrowed(by: filter, cells: 60) + account + [connection]) },
      { (wideBrand + tabs, narrowed(by: filter, cells: 30) + account + [connection]) },
      { (brand + tabs, narrowed(by: filter, cells: 30) + [connection]) },
      { (margin + tabs, narrowed(by: filter, cells: 30) + [shortConnection]) },
      { (margin + tabs, narrowed(by: filter, cells: 16) + [shortConnection]) },
      { (margin + numberedTabs, narrowed(by: filter, cells: 30) + [shortConnection]) },
      { (margin + numberedTabs, narrowed(by: filter, cells: 16) + [shortConnection]) },
      { (margin + activeTab, narrowed(by: filter, cells: 16) + [shortConnection]) },
      { (activeTab, narrowed(by: filter, cells: 8)) },
    ]
  }

  /// Returns the user's name, such as `alice` of `alice@home`, or as many whole words as fit.
  ///
  /// Empty for fewer than four cells.
  private func shortAccount(cells: Int) -> SafeText {
    guard cells >= 4 else { return .empty }
    let label = accountLabel
    let person = SafeText(String(label.string.prefix { $0 != "@" }))
    if !person.isEmpty, person.width <= cells { return person }
    let cut = label.prefix(cells: cells + 1).string
    guard let end = cut.lastIndex(of: " "), end > cut.startIndex else {
      return label.truncated(to: cells)
    }
    return SafeText(String(cut[..<end]))
  }

  private func narrowed(by filter: SafeText, cells: Int) -> [Span] {
    [
      Span("f ", .accent, .filter), Span(filter.truncated(to: cells), .text, .filter),
      Span("   "),
    ]
  }

  /// The tabs, followed by the view that is shown.
  private var tabs: [Span] {
    plainTabs + (shownView.map { [Span("  ")] + span(ofView: $0) } ?? [])
  }

  /// The tabs, followed by all saved views.
  private var allTabs: [Span] {
    plainTabs + views.all.indices.flatMap { [Span("  ")] + span(ofView: $0) }
  }

  /// The tabs and all saved views, with the number of items of each view, if known.
  private var countedTabs: [Span] {
    plainTabs
      + views.all.indices.flatMap { [Span("  ")] + span(ofView: $0, isCounted: true) }
  }

  /// Whether the views' numbers may fit; otherwise they are not requested.
  var hasRoomForCounts: Bool {
    allTabs.width + connection.text.width + views.all.count * 2 + 6 <= screenWidth
  }

  private var plainTabs: [Span] {
    Array(Tab.allCases.map { span(of: $0) }.joined(separator: [Span("  ")]))
  }

  /// The current tab, and only the keys of the others, which the user can still press.
  private var numberedTabs: [Span] {
    let others = Tab.allCases.filter { $0 != self.tab || shownView != nil }.map { tab in
      Span(" " + keymap.hint(for: tab.command), .dim, tab.command)
    }
    return activeTab + others
  }

  private var activeTab: [Span] { shownView.map { span(ofView: $0) } ?? span(of: tab) }

  private static let viewCellsMax = 16

  private func span(ofView index: Int, isCounted: Bool = false) -> [Span] {
    let isActive = index == shownView
    let command = Command.views[index]
    let title =
      keymap.hint(for: command) + " "
      + views.all[index].title.truncated(to: Self.viewCellsMax)
    var spans = [Span(title, isActive ? .text : .dim, command)]
    if isCounted, let count = views.count(index), count > 0 {
      spans.append(Span(" " + SafeText(count.grouped), isActive ? .badge : .dim, command))
    }
    return isActive ? [Span("[", .accent)] + spans + [Span("]", .accent)] : spans
  }

  private func span(of tab: Tab) -> [Span] {
    let count: Int
    switch tab {
    case .tray: count = counts.tray
    case .history, .apps: count = 0
    case .later: count = counts.later
    }
    let isActive = tab == self.tab && shownView == nil
    let role: StyleRole = isActive ? .text : .dim
    var spans = [Span("\(tab.rawValue + 1) " + tab.title, role, tab.command)]
    if count > 0 {
      spans.append(Span(" " + SafeText(count.grouped), isActive ? .badge : role, tab.command))
    }
    return isActive ? [Span("[", .accent)] + spans + [Span("]", .accent)] : spans
  }

  private var connection: Span { span(of: status, isBrief: false) }

  /// The connection in fewer words, if some can be omitted.
  private var briefConnection: Span { span(of: status, isBrief: true) }

  private func span(of status: ConnectionStatus, isBrief: Bool) -> Span {
    let waiting = status.waiting
    let number = SafeText("\(waiting.grouped) waiting")
    let whose: SafeText = worstAccount.map { $0 + ": " } ?? .empty
    func text(
      _ mark: SafeText, _ words: SafeText, _ separator: SafeText = " · ", _ idle: SafeText = .empty
    ) -> SafeText {
      mark + " " + whose + words + (waiting > 0 ? separator + number : idle)
    }
    switch status.link {
    case .connecting: return Span(text("◐", "connecting"), .dim)
    case .live:
      if let difference = status.clockDifference {
        return Span(text("●", "live, clock " + Self.off(difference), ", "), .accent)
      }
      return Span(text("●", "live", ", ", ", all sent"), .ok)
    case .polling(let interval):
      return Span(text("◐", "polling every " + Self.interval(interval), ", "), .accent)
    case .firstSync(let received, let total):
      let progress = SafeText(received.grouped + (total.map { " of " + $0.grouped } ?? ""))
      return Span(text("◐", isBrief ? progress : "first synchronisation: " + progress), .accent)
    case .busy(let until):
      return Span(text("◐", "store busy until " + time.moment(until)), .error)
    case .offline: return Span(text("○", "offline"), .error)
    case .signedOut: return Span("✗ " + whose + "sign in again", .error)
    }
  }

  /// Formats the clock difference: `2 h behind`, this machine's clock relative to the store's.
  private static func off(_ difference: Duration) -> SafeText {
    let seconds = Int(abs(difference.components.seconds))
    let span =
      switch seconds {
      case ..<7200: "\(seconds / 60) min"
      case ..<172_800: "\(seconds / 3600) h"
      default: "\(seconds / 86_400) days"  // open: Int
      }
    return SafeText(span + (difference > .zero ? " behind" : " ahead"))
  }

  /// The connection's mark only, with the number of waiting changes.
  private var shortConnection: Span {
    let waiting = status.waiting
    let number = waiting > 0 ? SafeText(" \(waiting.grouped)") : .empty
    let full = connection
    return Span(full.text.prefix(cells: 1) + number, full.role)
  }

  /// Formats the polling interval: `30 s`, `5 min`.
  private static func interval(_ duration: Duration) -> SafeText {
    let seconds = max(1, duration.components.seconds)
    return seconds < 120 ? "\(Int(seconds)) s" : "\(Int(seconds / 60)) min"
  }
}
