import BellhopModel
import BellhopScreen
import BellhopText

/// The menu of an app's settings, one of which is selected.
struct AppMenu: Menu {
  var key: AppKey
  var title: SafeText
  var selected = 0
  /// The value being typed; nil while a line is being selected.
  var field: TextField?

  private static let titleCells = 10
  private static let valueCells = 22
  /// The minimum width of the help text; less is not worth reading.
  private static let helpCellsMin = 12

  var setting: AppSetting { AppSetting.allCases[selected] }
  var count: Int { AppSetting.allCases.count }

  var hints: [MenuHint] {
    guard field == nil else { return [MenuHint("Enter", "set"), MenuHint("Esc", "cancel")] }
    return [
      MenuHint("Enter", "change"), MenuHint("m", "mute"), MenuHint("u", "undo"),
      MenuHint("Esc", "close"),
    ]
  }

  /// Places the menu beside the list in the apps tab, otherwise at the bottom of the body.
  func frame(in layout: Layout, of state: InboxState) -> MenuFrame {
    if state.isInApps, let place = layout.appSettings { return MenuFrame(filling: place) }
    return frame(atBottomOf: layout)
  }

  func heading(in state: InboxState) -> MenuLine {
    var line = MenuLine()
    line.add(state.name(of: key), .accent)
    line.add(" · on every device", .dim)
    if state.apps.isWaiting(key) {
      line.trailing = StyledLine.Piece(text: "not sent yet", role: .dim)
    }
    return line
  }

  /// Returns the app's own name, its account, and the time it was last seen.
  func subheading(in state: InboxState) -> SafeText {
    var parts: [SafeText] = []
    if state.apps.settings(of: key).displayName != nil {
      parts.append(SafeText(key.app, byteLimit: RowSummary.nameBytesMax))
    }
    if state.accounts.areSeveral { parts.append(state.accounts.label(of: key.account)) }
    if let seen = overview(in: state)?.lastSeen {
      let ago = state.timeText.relative(seen)
      parts.append("last seen " + (ago.isEmpty ? state.timeText.full(seen) : ago))
    }
    return SafeText.joined(parts, by: " · ")
  }

  private func overview(in state: InboxState) -> AppOverview? {
    state.apps.rows.first { $0.key == key }
  }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    let setting = AppSetting.allCases[index]
    var line = MenuLine()
    line.add(setting.title.padded(to: Self.titleCells), .text)
    if index == selected, let field {
      let room = max(4, width - Self.titleCells - 2)
      let typed = field.drawn.tail(cells: room - 1)
      line.addTyped(typed)
      // Show how to type the value only completely: half of it would look like typed text.
      let used = Self.titleCells + typed.width + 3
      if used + setting.help.width <= width { line.add("   " + setting.help, .dim) }
      return line
    }
    let value = value(of: setting, in: state)
    line.add(value.text, value.role)
    let room = width - 2 - Self.titleCells - Self.valueCells
    if room >= Self.helpCellsMin {
      let gap = max(2, Self.valueCells - value.text.width)
      line.add(.blanks(gap), .text)
      if Self.titleCells + value.text.width + gap + setting.help.width <= width {
        line.add(setting.help, .dim)
      }
    }
    return line
  }

  private func value(
    of setting: AppSetting, in state: InboxState
  ) -> (text: SafeText, role: StyleRole) {
    let settings = state.apps.settings(of: key)
    switch setting {
    case .authorization:
      let isSilent = settings.authorization != .authorized
      return (settings.authorization.value, isSilent ? .snoozed : .ok)
    case .whenFocused: return (settings.whenFocused.value, .text)
    case .places: return (settings.usesPlaces ? "yes" : "no", .text)
    case .repeats: return (settings.repeatWords, .text)
    case .resolutions: return (settings.resolutions.words, .text)
    case .alert, .sound, .badge:
      return setting.isGranted(settings) == true ? ("yes", .ok) : ("no", .snoozed)
    case .mute:
      guard settings.mute.holds(at: state.now) else { return ("no", .text) }
      return (settings.mute.end.map { "until " + state.timeText.moment($0) } ?? "always", .snoozed)
    case .quietHours:
      return (settings.quietHours.map { SafeText($0.words) } ?? "none", .text)
    case .retention:
      guard let days = settings.retentionDays else { return ("store default", .dim) }
      return (SafeText(days.counted("day")), .text)
    case .responses: return (settings.responses.words, .text)
    case .name:
      return (settings.displayName.map { SafeText($0, byteLimit: 256) } ?? "its own", .text)
    case .aliases:
      let names = settings.aliases.joined(separator: " ")
      return (names.isEmpty ? "none" : SafeText(names), .text)
    case .tray:
      guard let overview = overview(in: state) else { return ("…", .dim) }
      guard overview.tray > 0 else { return ("none", .text) }
      return (SafeText("\(overview.tray.grouped), \(overview.unread.grouped) unread"), .text)
    case .history: return (overview(in: state).map { SafeText($0.history.grouped) } ?? "…", .text)
    }
  }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    state.take(key, in: self, &effects)
  }

  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    guard let index else { return state.closeOverlay() }
    state.choose(self, index, &effects)
  }

  func paste(_ text: String, _ state: inout InboxState) {
    var menu = self
    menu.field?.insert(text)
    state.overlay = .menu(menu)
  }
}

/// The menu of periods for which an app is muted.
struct MuteMenu: Menu {
  struct Choice: Hashable, Sendable {
    var title: SafeText
    var mute: Mute
  }

  var key: AppKey
  var title: SafeText
  var choices: [Choice]
  var selected = 0
  /// The settings from which this menu was opened.
  var settings: AppMenu?

  private static let titleCells = 14

  var count: Int { choices.count }
  var before: (any Menu)? { settings }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    var line = MenuLine()
    line.add(choices[index].title.padded(to: Self.titleCells), .text)
    if let end = choices[index].mute.end { line.add(state.timeText.full(end), .snoozed) }
    return line
  }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    switch meaning(of: key) {
    case .leave: state.leave(self)
    case .take: state.choose(self, selected, &effects)
    case .number(let index): state.choose(self, index, &effects)
    case .select(let index):
      var menu = self
      menu.selected = index
      state.overlay = .menu(menu)
    case .other: if key == .character("m") { state.leave(self) }
    }
  }

  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    if let index { state.choose(self, index, &effects) } else { state.leave(self) }
  }
}
