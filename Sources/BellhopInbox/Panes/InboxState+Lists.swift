import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  /// Returns the name above a list, and its numbers; nil for search results, which have none.
  func caption(of id: ListID) -> (name: SafeText, numbers: SafeText)? {
    let name: SafeText
    var numbers: SafeText
    let counts = counts
    switch id {
    case .tray:
      name = "TRAY"
      let order = orderText(of: id) ?? "newest first"
      numbers = SafeText("\(counts.trayUnread.grouped) unread · ") + order
    case .handled:
      name = "HANDLED"
      numbers = counts.handled.items
    case .history:
      name = "HISTORY"
      numbers = SafeText("\(counts.today.grouped) today · \(counts.history.grouped) total")
    case .later:
      name = "LATER"
      numbers = "next first"
    case .search: return nil
    }
    // The numbers above are those of whole lists.
    if let narrowed = narrowedText(of: id) { numbers = narrowed }
    if let order = orderText(of: id), id != .tray || self[id].query != .tray {
      numbers += " · " + order
    }
    return (name, counting.base == nil ? .empty : numbers)
  }

  /// Returns the line of a list without rows.
  func emptyText(of id: ListID) -> SafeText {
    let list = self[id]
    let isEmptySearch = list.query == .search("")
    if !list.isLoaded, !isEmptySearch { return "…" }
    // The rest of the list arrives once the cache has performed the change that far.
    if pending.bulks.contains(where: { $0.means(list.query) && $0.confirmedAt == nil }) {
      return "…"
    }
    if filter != nil, search == nil { return "No items match the filter." }
    return switch id {
    case .tray: "The tray is empty."
    case .handled: "Nothing handled yet."
    case .history: "Nothing here yet."
    case .later: "Nothing is snoozed or scheduled."
    case .search: isEmptySearch ? "Type words to search all history." : noMatchText
    }
  }

  /// The text for a search without results.
  ///
  /// For example: `No match for “biuld”. Did you mean “build”? Enter searches for it.`
  private var noMatchText: SafeText {
    guard let search else { return .empty }
    let text = "No match for “" + search.field.drawn + "”."
    return search.suggestion.map {
      text + " Did you mean “" + $0.shown + "”? " + "Enter searches for it."
    } ?? text
  }

  /// Returns the description of an empty list's purpose; empty if its name is enough.
  func promise(of id: ListID) -> SafeText {
    guard filter == nil else { return .empty }
    return switch id {
    case .later: "Items that you snooze with " + keyHint(.snooze) + " wait here until their time."
    case .history: "All items stay here, handled or not."
    case .tray, .handled, .search: .empty
    }
  }

  /// Returns the headings by line; those of days share the scale of their spark lines.
  func headings(of pane: Layout.ListPane, _ layout: ListLines) -> [Int: StyledLine] {
    let list = self[pane.id]
    let lines = layout.lines(from: list.top)
    let width = pane.rows.width - 2
    var days: [Int: DayHeading] = [:]
    var headings: [Int: StyledLine] = [:]
    var row = list.top
    for (offset, line) in lines.enumerated() {
      switch line {
      case .row(let index): row = index + 1
      // The first visible row of the section is below; a heading on the last line has none.
      case .heading(.day(let date)):
        days[offset] = heading(of: date, in: pane.id, layout, at: row)
      case .heading(.level), .heading(.app):
        headings[offset] = sectionHeading(of: pane.id, layout, at: row)?.line(width: width)
      }
    }
    let step = days.values.map { $0.finestStep(width: width) }.max() ?? 1
    for (offset, day) in days { headings[offset] = day.drawn(inSteps: step).line(width: width) }
    return headings
  }
}
