import BellhopModel
import BellhopScreen
import BellhopText

/// Draws the apps, one per line.
///
/// Each line shows the name, the number of items in the tray and in the history, the app's own
/// settings, and when it was last seen.
struct AppsPane {
  /// The contents of one app's line.
  private struct Line {
    var overview: AppOverview
    var label: SafeText
    var isMuted: Bool
    var isCursor: Bool
    /// The time it was last seen.
    var seen: SafeText
    /// The settings that differ from the defaults.
    var facts: SafeText
  }

  private let rect: Rect
  /// The number of all apps; nil until they have been read.
  private let count: Int?
  private let lines: [Line]
  /// Whether keys act on the list, not on an overlay.
  private let hasKeys: Bool

  init(_ state: InboxState, in rect: Rect) {
    self.rect = rect
    hasKeys = state.overlay.isNone
    let apps = state.apps
    count = apps.isLoaded ? apps.rows.count + apps.omitted : nil
    lines = apps.rows.dropFirst(apps.top).prefix(Self.rows(in: rect).height).map { row in
      let name = state.name(of: row.key)
      let isMuted = apps.isMuted(row.key, at: state.now)
      let facts = state.facts(of: row.key, isMuted: isMuted).map(\.string)
      return Line(
        overview: row,
        label: state.accounts.marksItems
          ? name + " " + state.accounts.label(of: row.key.account) : name,
        isMuted: isMuted, isCursor: row.key == apps.cursor,
        seen: row.lastSeen.map { state.timeText.age($0) } ?? "never",
        facts: SafeText(facts.joined(separator: " · ")))
    }
  }

  private static let trayCells = 6
  private static let unreadCells = 8
  private static let historyCells = 10
  private static let seenCells = 11
  /// The minimum widths for showing the unread count and the app's settings.
  private static let unreadWidth = 48
  private static let factsWidth = 64

  /// Returns the area of the apps, below the line with the column titles.
  static func rows(in rect: Rect) -> Rect {
    rect.splitTop(rect.height >= 4 ? 1 : 0).rest
  }

  func draw(on canvas: inout Canvas) {
    let rows = Self.rows(in: rect)
    if rows.height < rect.height { heads(in: rect.row(0), on: &canvas) }
    guard !lines.isEmpty else {
      let text: SafeText = count == nil ? "…" : "No app has sent anything yet."
      return canvas.put(StyledLine("    " + text, .dim), in: rows.row(min(1, rows.height - 1)))
    }
    for (offset, line) in lines.enumerated() { draw(line, in: rows.row(offset), on: &canvas) }
  }

  private func nameCells(_ width: Int) -> Int {
    switch width {
    case ..<48: max(4, width - 3 - Self.trayCells - Self.historyCells - 6)
    case ..<64: 14
    case ..<90: 18
    default: 24  // open: Int
    }
  }

  private func heads(in rect: Rect, on canvas: inout Canvas) {
    let title: SafeText = count.map { SafeText($0.counted("app")) } ?? "apps"
    var text = ("   " + title).padded(to: 3 + nameCells(rect.width))
    text += SafeText("tray").leftPadded(to: Self.trayCells)
    if rect.width >= Self.unreadWidth {
      text += SafeText("unread").leftPadded(to: Self.unreadCells)
    }
    text += SafeText("total").leftPadded(to: Self.historyCells)
    var line = StyledLine(text, .dim)
    line.trailing = StyledLine.Piece(
      text: rect.width >= Self.unreadWidth ? "last seen " : "seen ", role: .dim)
    canvas.put(line, in: rect)
  }

  private func draw(_ app: Line, in rect: Rect, on canvas: inout Canvas) {
    let row = app.overview
    var line = StyledLine(app.isCursor ? "▌" : " ", hasKeys ? .accent : .rule)
    line.add(app.isMuted ? "× " : "  ", .snoozed)
    let cells = nameCells(rect.width)
    line.add(
      app.label.truncated(to: cells).padded(to: cells),
      app.isMuted ? .snoozed : row.unread > 0 ? .unread : .text)
    line.add(number(row.tray, Self.trayCells), .text)
    if rect.width >= Self.unreadWidth {
      line.add(number(row.unread, Self.unreadCells), row.unread > 0 ? .unread : .dim)
    }
    line.add(number(row.history, Self.historyCells), .dim)
    if rect.width >= Self.factsWidth {
      let room = rect.width - line.pieces.reduce(0) { $0 + $1.text.width } - Self.seenCells - 2
      if room > 8 { line.add("  " + app.facts.truncated(to: room - 2), .dim) }
    }
    line.trailing = StyledLine.Piece(text: app.seen + " ", role: .dim)
    canvas.put(line, in: rect)
    if app.isCursor, hasKeys { canvas.select(rect) }
  }

  /// Formats a right-aligned number; zero is drawn as a point.
  private func number(_ count: Int, _ cells: Int) -> SafeText {
    (count == 0 ? "·" : SafeText(count.grouped)).leftPadded(to: cells)
  }
}

extension InboxState {
  /// Returns the settings of an app that differ from the defaults, in a few words each.
  func facts(of key: AppKey, isMuted: Bool) -> [SafeText] {
    let settings = apps.settings(of: key)
    var facts: [SafeText] = []
    if isMuted {
      facts.append(settings.mute.end.map { "muted until " + timeText.moment($0) } ?? "muted")
    }
    switch settings.authorization {
    case .authorized: break
    case .notDetermined, .denied, .provisional: facts.append(settings.authorization.words)
    }
    if let badge = settings.badge, badge > 0 { facts.append(SafeText("badge \(badge.grouped)")) }
    for setting in AppSetting.allCases where setting.isGranted(settings) == false {
      facts.append("no " + setting.title)
    }
    if let hours = settings.quietHours {
      facts.append(SafeText("quiet " + hours.words))
    }
    if let days = settings.retentionDays {
      facts.append(SafeText("keeps " + days.counted("day")))
    }
    if settings.responses != .actions { facts.append("learns " + settings.responses.words) }
    if settings.usesPlaces { facts.append("waits for places") }
    if settings.repeatKey != nil { facts.append("repeats: " + settings.repeatWords) }
    if settings.resolutions != .mark {
      facts.append("resolutions " + settings.resolutions.words)
    }
    if !settings.aliases.isEmpty {
      facts.append("aliases: " + SafeText(settings.aliases.joined(separator: ", ")))
    }
    if apps.isWaiting(key) { facts.append("not sent yet") }
    return facts
  }
}
