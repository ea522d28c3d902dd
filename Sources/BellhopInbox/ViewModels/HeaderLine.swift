import BellhopModel
import BellhopScreen
import BellhopText

/// The first line: tabs with their counts, account, connection.
struct HeaderLine {
  private let state: InboxState
  private let counts: InboxCounts

  init(_ state: InboxState) {
    self.state = state
    counts = state.counts
  }

  /// What fits into `width`, the most telling parts first.
  func place(width: Int) -> [PlacedSpan] {
    let brand = [Span(" bellhop", .accent), Span("  ")]
    let wideBrand = [Span(" bellhop", .accent), Span("   ")]
    let margin = [Span(" ")]
    let account = [Span(state.accountLabel, .dim), Span("   ")]
    var candidates: [(left: [Span], right: [Span])] = [
      (wideBrand + tabs, account + [connection]),
      (brand + tabs, [connection]),
      (margin + tabs, [connection]),
      (margin + tabs, [shortConnection]),
      (margin + activeTab, [connection]),
      (margin + activeTab, [shortConnection]),
      (activeTab, []),
    ]
    if let filter = state.filter {
      // That a list is not whole is said before anything else.
      candidates = [
        (wideBrand + tabs, narrowed(by: filter, cells: 60) + account + [connection]),
        (wideBrand + tabs, narrowed(by: filter, cells: 30) + account + [connection]),
        (brand + tabs, narrowed(by: filter, cells: 30) + [connection]),
        (margin + tabs, narrowed(by: filter, cells: 16) + [connection]),
        (margin + activeTab, narrowed(by: filter, cells: 16) + [shortConnection]),
        (activeTab, narrowed(by: filter, cells: 8)),
      ]
    }
    for (left, right) in candidates where left.width + right.width + 3 <= width {
      return left.placed(at: 0) + right.placed(at: width - right.width - 1)
    }
    return activeTab.placed(at: 0)
  }

  private func narrowed(by filter: FilterState, cells: Int) -> [Span] {
    [
      Span("f ", .accent, .filter), Span(filter.field.drawn.truncated(to: cells), .text, .filter),
      Span("   "),
    ]
  }

  private var tabs: [Span] {
    Array(Tab.allCases.map { span(of: $0) }.joined(separator: [Span("  ")]))
  }

  private var activeTab: [Span] { span(of: state.tab) }

  private func span(of tab: Tab) -> [Span] {
    let count: Int
    switch tab {
    case .tray: count = counts.tray
    case .history: count = 0
    case .later: count = counts.later
    }
    let isActive = tab == state.tab
    let role: StyleRole = isActive ? .text : .dim
    var spans = [Span("\(tab.rawValue + 1) " + tab.title, role, tab.command)]
    if count > 0 {
      spans.append(Span(" " + SafeText(count.grouped), isActive ? .badge : role, tab.command))
    }
    return isActive ? [Span("[", .accent)] + spans + [Span("]", .accent)] : spans
  }

  private var connection: Span {
    let waiting = state.connection.waiting
    let number = SafeText("\(waiting.grouped) waiting")
    func text(_ base: SafeText, _ separator: SafeText, _ idle: SafeText = .empty) -> SafeText {
      waiting > 0 ? base + separator + number : base + idle
    }
    switch state.connection.link {
    case .connecting: return Span(text("◐ connecting", " · "), .dim)
    case .live: return Span(text("● live", ", ", ", all sent"), .ok)
    case .polling(let interval):
      return Span(text("◐ polling every " + Self.interval(interval), ", "), .accent)
    case .offline: return Span(text("○ offline", " · "), .error)
    case .signedOut: return Span("✗ sign in again", .error)
    }
  }

  /// The mark alone, with what waits.
  private var shortConnection: Span {
    let waiting = state.connection.waiting
    let number = waiting > 0 ? SafeText(" \(waiting.grouped)") : .empty
    let full = connection
    return Span(full.text.prefix(cells: 1) + number, full.role)
  }

  /// `30 s`, `5 min`.
  private static func interval(_ duration: Duration) -> SafeText {
    let seconds = max(1, duration.components.seconds)
    return seconds < 120 ? "\(Int(seconds)) s" : "\(Int(seconds / 60)) min"
  }
}

extension InboxState {
  /// Whether there is a line about the connection.
  var hasConnectionNotice: Bool {
    switch connection.link {
    case .connecting, .live, .polling: false
    case .offline, .signedOut: true
    }
  }

  /// What is safe, and what to do, while the store is away: the fullest text that fits.
  func connectionNotice(width: Int) -> SafeText? {
    let candidates: [SafeText]
    switch connection.link {
    case .connecting, .live, .polling: return nil
    case .offline(let since):
      let when: SafeText = since.map { " since " + timeText.moment($0) } ?? .empty
      let retry: SafeText = "  " + keyHint(.syncNow) + " try now"
      candidates = [
        "Store unreachable" + when + ". What you do is kept and sent later." + retry,
        "Store unreachable. Changes are kept." + retry,
        "Offline. Changes are kept." + retry,
      ]
    case .signedOut(let provenance):
      let who: SafeText = provenance.map(signedOutText) ?? .empty
      candidates = [
        "This device was signed out" + who + ". History is still here.  To sign in: bellhop login",
        "Signed out" + who + ". History is still here.  bellhop login",
        "Signed out; history is here. bellhop login",
        "Signed out. bellhop login",
      ]
    }
    return candidates.first { $0.width <= width } ?? candidates.last
  }

  private func signedOutText(_ provenance: Provenance) -> SafeText {
    let isToday = zone.local(provenance.at).date == zone.local(now).date
    return " from " + provenance.by + (isToday ? ", today " : ", ")
      + timeText.moment(provenance.at)
  }
}
