import BellhopModel
import BellhopScreen
import BellhopText

/// Draws one app's settings: beside the apps, in their place, or at the bottom of another list.
struct AppPane {
  let state: InboxState
  /// With nothing chosen in it where the keys act on the list.
  let menu: AppMenu
  let isOpen: Bool

  private static let headRows = 2
  private static let titleCells = 9
  private static let valueCells = 22

  /// Where the settings are: in the tab of the apps, or at the bottom of the body.
  static func area(_ settings: Rect?, in body: Rect) -> Rect {
    settings ?? body.splitBottom(min(AppSetting.allCases.count + 2, body.height)).bottom
  }

  /// Where the lines of the settings are.
  private static func lines(in rect: Rect) -> Rect {
    rect.splitTop(min(headRows, max(0, rect.height - 1))).rest
  }

  private static func first(of menu: AppMenu, height: Int) -> Int {
    max(0, min(menu.selected - height + 1, AppSetting.allCases.count - 1))
  }

  /// The setting at a point.
  static func line(at point: Point, of menu: AppMenu, in rect: Rect) -> Int? {
    let lines = lines(in: rect)
    guard lines.contains(point) else { return nil }
    let index = point.y - lines.y + first(of: menu, height: lines.height)
    return AppSetting.allCases.indices.contains(index) ? index : nil
  }

  func draw(in rect: Rect, isBottom: Bool, on canvas: inout Canvas) {
    canvas.fill(rect)
    let settings = state.apps.settings(of: menu.key)
    let lines = Self.lines(in: rect)
    let heads = rect.height - lines.height
    if isBottom, heads > 1 { canvas.horizontalRule(rect.row(0), role: .ruleFocus) }
    if heads > 0 { head(settings, in: rect.row(isBottom ? heads - 1 : 0), on: &canvas) }
    if !isBottom, heads > 1 { place(settings, in: rect.row(1), on: &canvas) }
    let all = AppSetting.allCases
    let first = isOpen ? Self.first(of: menu, height: lines.height) : 0
    for offset in 0..<lines.height where first + offset < all.count {
      line(all[first + offset], settings, in: lines.row(offset), on: &canvas)
    }
  }

  private func head(_ settings: AppSettings, in rect: Rect, on canvas: inout Canvas) {
    var line = StyledLine(" " + state.name(of: menu.key), .accent)
    line.pieces.append(StyledLine.Piece(text: " · on every device", role: .dim))
    if state.apps.isWaiting(menu.key) {
      line.trailing = StyledLine.Piece(text: "not sent yet ", role: .dim)
    }
    canvas.put(line, in: rect)
  }

  /// Its own name, and when it was last seen.
  private func place(_ settings: AppSettings, in rect: Rect, on canvas: inout Canvas) {
    var parts: [SafeText] = []
    if settings.displayName != nil {
      parts.append(SafeText(menu.key.app, byteLimit: RowSummary.nameBytesMax))
    }
    if state.accounts.areSeveral { parts.append(state.accounts.label(of: menu.key.account)) }
    if let seen = overview?.lastSeen {
      let ago = state.timeText.relative(seen)
      parts.append("last seen " + (ago.isEmpty ? state.timeText.full(seen) : ago))
    }
    let text = SafeText(parts.map(\.string).joined(separator: " · "))
    canvas.put(StyledLine(" " + text, .dim), in: rect)
  }

  private var overview: AppOverview? { state.apps.rows.first { $0.key == menu.key } }

  private func line(
    _ setting: AppSetting, _ settings: AppSettings, in rect: Rect, on canvas: inout Canvas
  ) {
    let isSelected = isOpen && setting == menu.setting
    var line = StyledLine(isSelected ? "▌" : " ", .accent)
    func add(_ text: SafeText, _ role: StyleRole) {
      line.pieces.append(StyledLine.Piece(text: text, role: role))
    }
    let number = setting.rawValue < 9 ? SafeText("\(setting.rawValue + 1)  ") : "   "
    add(number, isOpen ? .accent : .dim)
    add(setting.title.padded(to: Self.titleCells), .text)
    var cursor: Int?
    if isSelected, let field = menu.field {
      let room = max(4, rect.width - 6 - Self.titleCells)
      let typed = field.drawn.width < room ? field.drawn : field.drawn.suffix(cells: room - 1)
      cursor = line.pieces.reduce(0) { $0 + $1.text.width } + typed.width
      add(typed, .text)
      add("  " + setting.help, .dim)
    } else {
      let value = value(of: setting, settings)
      add(value.text, value.role)
      let room = rect.width - 6 - Self.titleCells - Self.valueCells
      if room >= 12 {
        add(.blanks(max(2, Self.valueCells - value.text.width)), .text)
        add(setting.help.truncated(to: room), .dim)
      }
    }
    canvas.put(line, in: rect)
    if let cursor {
      canvas.cursor = Point(x: min(rect.x + cursor, rect.maxX - 1), y: rect.y)
    } else if isSelected {
      canvas.select(rect)
    }
  }

  private func value(
    of setting: AppSetting, _ settings: AppSettings
  ) -> (text: SafeText, role: StyleRole) {
    switch setting {
    case .alert, .sound, .badge:
      return setting.isGranted(settings) == true ? ("yes", .ok) : ("no", .snoozed)
    case .mute:
      guard settings.mute.holds(at: state.now) else { return ("no", .text) }
      return (settings.mute.end.map { "until " + state.timeText.moment($0) } ?? "always", .snoozed)
    case .quietHours:
      return (settings.quietHours.map { SafeText(AppSetting.words($0)) } ?? "none", .text)
    case .retention:
      guard let days = settings.retentionDays else { return ("as the store does", .dim) }
      return (SafeText("\(days.grouped) \(days == 1 ? "day" : "days")"), .text)
    case .name:
      return (settings.displayName.map { SafeText($0, byteLimit: 256) } ?? "its own", .text)
    case .aliases:
      let names = settings.aliases.joined(separator: " ")
      return (names.isEmpty ? "none" : SafeText(names), .text)
    case .tray:
      guard let overview else { return ("…", .dim) }
      return (SafeText("\(overview.tray.grouped), \(overview.unread.grouped) unread"), .text)
    case .kept: return (overview.map { SafeText($0.kept.grouped) } ?? "…", .text)
    }
  }
}

/// Draws for how long an app may be silenced, at the bottom of the body.
struct MutePane {
  let state: InboxState
  let menu: MuteMenu

  /// Where the choices are, one a row.
  static func choices(of menu: MuteMenu, in body: Rect) -> Rect {
    body.splitBottom(min(menu.choices.count, body.height)).bottom
  }

  /// The first choice drawn: where there is no room for all, the chosen one stays in sight.
  static func first(of menu: MuteMenu, height: Int) -> Int {
    max(0, menu.selected - height + 1)
  }

  func draw(in body: Rect, on canvas: inout Canvas) {
    let choices = Self.choices(of: menu, in: body)
    var above = Rect(x: body.x, y: body.y, width: body.width, height: choices.y - body.y)
    if above.height > 0 {
      let title = above.splitBottom(1).bottom
      canvas.fill(title)
      let text = " Mute " + state.name(of: menu.key) + ", on every device"
      canvas.put(StyledLine(text, .accent), in: title.inset(right: 1))
      above = above.splitBottom(1).rest
    }
    if above.height > 0 {
      let rule = above.splitBottom(1).bottom
      canvas.fill(rule)
      canvas.horizontalRule(rule, role: .ruleFocus)
    }
    let first = Self.first(of: menu, height: choices.height)
    for offset in 0..<choices.height where first + offset < menu.choices.count {
      draw(first + offset, in: choices.row(offset), on: &canvas)
    }
  }

  private func draw(_ index: Int, in rect: Rect, on canvas: inout Canvas) {
    let choice = menu.choices[index]
    let isSelected = index == menu.selected
    canvas.fill(rect)
    var line = StyledLine(isSelected ? "▌" : " ", .accent)
    line.pieces.append(StyledLine.Piece(text: SafeText("\(index + 1)  "), role: .accent))
    line.pieces.append(StyledLine.Piece(text: choice.title.padded(to: 14), role: .text))
    if let end = choice.mute.end {
      line.pieces.append(StyledLine.Piece(text: state.timeText.full(end), role: .snoozed))
    }
    canvas.put(line, in: rect)
    if isSelected { canvas.select(rect) }
  }
}
