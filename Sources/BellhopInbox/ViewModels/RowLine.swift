import BellhopModel
import BellhopScreen
import BellhopText

/// One line of a list, in columns: state, level, app, title, time.
struct RowLine {
  var row: RowSummary
  var ghost: DepartedItem?
  var list: ListID
  /// Whether a heading above names the day of its arrival.
  var isByDay = false
  /// Whether there is room for an annotation: how the item was handled, when and where.
  var hasRoomForAnnotation = false
  var time: TimeText

  /// The mark of the state: `●` unread, `○` read, `✓` dismissed or resolved, `»` opened, `z` snoozed.
  ///
  /// A ghost shows its current state.
  var stateMark: SafeText {
    if let ghost, ghost.now == nil { return .goneMark }
    if ghost == nil, let extent = row.extent { return extent.unread > 0 ? .unreadMark : .readMark }
    let shown = ghost?.now ?? row
    switch shown.action {
    case .dismissed: return .dismissedMark
    case .activated: return .activatedMark
    case .snoozed where shown.placement == .snoozed: return "z"
    case .snoozed, .noInteraction: return shown.readState == .unread ? .unreadMark : .readMark
    }
  }

  /// The mark of the level: `‼` urgent, `!` high, `↓` low and min.
  var levelMark: SafeText { row.priority.mark }
  var levelRole: StyleRole { ghost == nil ? row.priority.role : .ghost }

  /// Whether the item of the line has attachments or links to some.
  var hasFiles: Bool { row.hasAttachments && row.extent == nil }

  var appRole: StyleRole {
    if ghost != nil { return .ghost }
    return row.placement == .handled ? .dim : .text
  }

  /// The role of the state mark: that of the title, except for new arrivals and resolved alerts.
  var stateRole: StyleRole { titleRole == .unread && isNew ? .new : settledRole }

  /// The role of the state mark in a list that does not mark new arrivals.
  var settledRole: StyleRole { ghost == nil && row.isResolved ? .resolved : titleRole }

  /// The number of repeats, such as `×37`; empty for an item that came once, and above a group.
  var repeatMark: SafeText {
    let count = (ghost?.now ?? row).repeatCount
    return count > 1 && !isHead ? "×" + SafeText(count.grouped) : .empty
  }

  var titleRole: StyleRole {
    if ghost != nil { return .ghost }
    switch row.action {
    case .dismissed, .activated: return .dismissed
    case .snoozed where row.placement == .snoozed: return .snoozed
    case .snoozed, .noInteraction: break
    }
    if row.placement == .scheduled { return .snoozed }
    if row.isRawOnly { return .dim }
    let isUnread = row.extent.map { $0.unread > 0 } ?? (row.readState == .unread)
    return isUnread ? .unread : .read
  }

  /// The time for which the mark of an arrival is that of a new one.
  static let newMarkDuration = Duration.seconds(60)

  /// Whether the item, or the newest of the group, arrived within the last minute.
  private var isNew: Bool {
    row.placement == .tray && time.now >= row.newestArrival
      && time.now.duration(since: row.newestArrival) < Self.newMarkDuration
  }

  var title: SafeText {
    if isHead { return row.group.flatMap { $0 == row.app ? nil : $0 } ?? .empty }
    if row.isRawOnly { return "data" }
    guard let subtitle = row.subtitle, !subtitle.isEmpty else { return row.title }
    return row.title + " · " + subtitle
  }

  /// Whether the row is above the items of an open group.
  var isHead: Bool { if case .open = row.fold { true } else { false } }

  /// The mark of a group: `▸` if folded, `▾` if open.
  var foldMark: SafeText { row.isFolded ? "▸" : "▾" }

  /// The mark of a group in ASCII, where a single character would look like text.
  var foldMarkInASCII: SafeText { row.isFolded ? "[+]" : "[-]" }

  /// The right column.
  var timeLabel: SafeText {
    switch list {
    case .tray: time.age(row.shownArrival)
    case .later: row.due.map(dueLabel) ?? time.age(row.arrival)
    case .handled, .history, .search: time.timeOrDay(row.arrival)
    }
  }

  /// Returns the due time: `Mon 09:00`; with enough room `until Mon 09:00, desktop`.
  private func dueLabel(_ due: Timestamp) -> SafeText {
    let moment = time.due(due)
    guard hasRoomForAnnotation, due != Occurrence.unknownTime else { return moment }
    return switch row.placement {
    case .scheduled: "scheduled for " + moment
    case .snoozed: "until " + moment + place
    case .tray, .handled, .gone: "again " + moment
    }
  }

  /// The place where the item was handled; empty if it was not.
  private var place: SafeText {
    guard var handled = row.handled else { return .empty }
    handled.by = handled.by.truncated(to: Self.deviceCellsMax)
    return handled.place
  }

  /// The maximum width of a device's name, enough to distinguish it from others.
  private static let deviceCellsMax = 16

  /// The left column of a list by day.
  var clock: SafeText { time.clock(time.zone.local(row.arrival)) }

  /// The outcome in a word or two after the title; empty if the mark shows it.
  var shortAnnotation: SafeText {
    if let ghost {
      guard let now = ghost.now else { return "gone" }
      return ghostWord(now) + (now.handled?.place ?? " elsewhere")
    }
    if list == .later {
      return switch row.placement {
      case .scheduled: "scheduled"
      case .tray, .handled: "repeats"
      case .snoozed, .gone: .empty
      }
    }
    switch row.action {
    case .activated: return row.handled?.choice?.title ?? "opened"
    case .snoozed(let until) where row.placement == .snoozed:
      return "until " + time.moment(until)
    case .dismissed: return row.isResolved ? "resolved" : .empty
    case .snoozed, .noInteraction: return .empty
    }
  }

  /// The outcome with its time and place, for lists with enough room.
  var longAnnotation: SafeText {
    if ghost != nil { return shortAnnotation }
    // The right column shows it.
    if list == .later { return .empty }
    let at: SafeText = row.handled.map { " " + moment($0.at) } ?? .empty
    let choice = row.handled?.choice?.title
    switch row.action {
    case .dismissed:
      return (choice ?? (row.isResolved ? "resolved" : "dismissed")) + at + place
    case .activated: return (choice ?? "opened") + at + place
    case .snoozed(let until) where row.placement == .snoozed:
      return "until " + time.moment(until) + place
    case .snoozed, .noInteraction:
      if row.placement == .scheduled { return "scheduled" }
      return list != .tray && row.placement == .tray ? "in the tray" : .empty
    }
  }

  /// Returns the time of handling; without the day if the heading names it.
  private func moment(_ instant: Timestamp) -> SafeText {
    let local = time.zone.local(instant)
    return isByDay && local.date == time.zone.local(row.arrival).date
      ? time.clock(local) : time.moment(instant)
  }

  private func ghostWord(_ row: RowSummary) -> SafeText {
    if let choice = row.handled?.choice { return choice.title }
    return switch row.action {
    case .dismissed: row.isResolved ? "resolved" : "done"
    case .activated: "opened"
    case .snoozed: "snoozed"
    case .noInteraction: "moved"
    }
  }
}

extension Priority {
  var mark: SafeText {
    switch self {
    case .urgent: .urgentMark
    case .high: "!"
    case .normal: " "
    case .low, .min: .lowMark
    }
  }

  var role: StyleRole {
    switch self {
    case .urgent: .priorityUrgent
    case .high: .priorityHigh
    case .normal: .priorityNormal
    case .low: .priorityLow
    case .min: .priorityMin
    }
  }

  /// The mark and the name, such as `! high`; empty for the normal level.
  var label: SafeText { self == .normal ? .empty : mark + " " + SafeText(name) }
}

/// Created once: a literal beyond ASCII is checked on each evaluation, and lists contain many.
extension SafeText {
  fileprivate static let unreadMark: SafeText = "●"
  fileprivate static let readMark: SafeText = "○"
  fileprivate static let dismissedMark: SafeText = "✓"
  fileprivate static let activatedMark: SafeText = "»"
  fileprivate static let goneMark: SafeText = "✗"
  fileprivate static let urgentMark: SafeText = "‼"
  fileprivate static let lowMark: SafeText = "↓"
  static let cursorMark: SafeText = "▌"
  static let attachmentMark: SafeText = "▤"
}
