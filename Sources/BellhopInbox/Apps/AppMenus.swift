import BellhopModel
import BellhopScreen
import BellhopText

extension MuteMenu {
  /// Returns the choices: an hour, today, always, and unmute if the app is muted.
  static func choices(_ mute: Mute, now: Timestamp, zone: ZoneRules) -> [Choice] {
    let today = zone.local(now).date
    let midnight = zone.instant(
      of: CivilTime(
        date: CivilDate(daysSince1970: today.daysSince1970 + 1), hour: 0, minute: 0))
    let isMuted = mute.holds(at: now)
    return (isMuted ? [Choice(title: "unmute", mute: .off)] : []) + [
      Choice(title: "for 1 hour", mute: .until(now.advanced(by: .seconds(3600)))),
      Choice(title: "today", mute: .until(midnight)),
      Choice(title: "always", mute: .forever),
    ]
  }
}

extension Command {
  static let appCommands: [Command] = [muteApp, appSettings, showAppItems]

  static let muteApp = Command(
    id: "mute", title: "mute",
    help: "mute the app for an hour, today or always; again to unmute it",
    synonyms: ["silence app"], keys: ["m"],
    places: .browsing, chapter: .apps, changesItems: true,
    disabledReason: { $0.reasonAgainstApp },
    perform: { state, _ in state.openMuteMenu() })

  static let appSettings = Command(
    id: "app-settings", title: "app settings",
    help:
      "settings of the app: whether it may notify, quiet hours, retention, name",
    synonyms: ["preferences", "options"], keys: ["M"], places: .browsing, chapter: .apps,
    changesItems: true,
    disabledReason: { $0.reasonAgainstApp },
    perform: { state, _ in state.openAppMenu() })

  static let showAppItems = Command(
    id: "app-items", title: "its items", help: "show all items of the app", keys: ["o"],
    places: .apps, chapter: .apps, changesItems: true,
    disabledReason: { $0.reasonAgainstApp },
    perform: { state, effects in state.showAppItems(&effects) })
}

extension InboxState {
  /// The app that keys act on: the one under the cursor, or the app of the item under it.
  private var subjectApp: AppKey? { isInApps ? apps.cursor : activeRow?.appKey }

  /// The reason why there is no app to act on; nil if there is one.
  fileprivate var reasonAgainstApp: DisabledReason? {
    if subjectApp != nil { return nil }
    return isInApps ? "No app here." : "No item here."
  }

  // MARK: - Mute

  mutating func openMuteMenu() {
    if let key = subjectApp { openMuteMenu(key, before: nil) }
  }

  private mutating func openMuteMenu(_ key: AppKey, before: AppMenu?) {
    let mute = apps.settings(of: key).mute
    overlay = .menu(
      MuteMenu(
        key: key, title: "Mute " + name(of: key) + ", on every device",
        choices: MuteMenu.choices(mute, now: now, zone: zone), settings: before))
  }

  /// Returns to the menu from which this one was opened.
  mutating func leave(_ menu: MuteMenu) {
    overlay = menu.settings.map { .menu($0) } ?? .none
  }

  mutating func choose(_ menu: MuteMenu, _ index: Int, _ effects: inout [Effect]) {
    guard menu.choices.indices.contains(index) else { return }
    leave(menu)
    let mute = menu.choices[index].mute
    guard mute.end.map({ $0 > now }) ?? true else {
      return say("That time has passed. Nothing was done.")
    }
    var change = AppSettingsChange()
    change.mute = mute
    let name = name(of: menu.key)
    let line: SafeText =
      switch mute {
      case .off: name + " is no longer muted, on every device."
      case .until(let end): name + " is muted until " + timeText.moment(end) + ", on every device."
      case .forever: name + " is muted, on every device."
      }
    configure(menu.key, change, line, &effects)
  }

  // MARK: - All settings

  /// Opens the settings of the app under the cursor.
  mutating func openAppMenu() {
    if let key = subjectApp { overlay = .menu(AppMenu(key: key, title: name(of: key))) }
  }

  mutating func take(_ key: Key, in menu: AppMenu, _ effects: inout [Effect]) {
    guard menu.field == nil else { return takeValue(key, in: menu, &effects) }
    var menu = menu
    switch (key, menu.meaning(of: key)) {
    case (.character("M"), _), (_, .leave): closeOverlay()
    case (.character(" "), _), (_, .take): choose(menu, menu.selected, &effects)
    case (.character("m"), _): openMuteMenu(menu.key, before: menu)
    case (.character("u"), _): perform(.undo, &effects)
    case (.control("r"), _): perform(.redo, &effects)
    case (_, .number(let index)): choose(menu, index, &effects)
    case (_, .select(let index)):
      menu.selected = index
      overlay = .menu(menu)
    default: break  // open: Key
    }
  }

  /// Toggles a permission, asks for a value, or shows the items.
  mutating func choose(_ menu: AppMenu, _ index: Int, _ effects: inout [Effect]) {
    guard AppSetting.allCases.indices.contains(index) else { return }
    var menu = menu
    menu.selected = index
    menu.field = nil
    let settings = apps.settings(of: menu.key)
    switch menu.setting {
    case .authorization, .alert, .sound, .badge, .responses, .whenFocused, .places, .repeats,
      .resolutions:
      overlay = .menu(menu)
      let change = menu.setting.toggled(settings)
      configure(
        menu.key, change,
        menu.setting.notice(name(of: menu.key), change.applied(to: settings)), &effects)
    case .mute: openMuteMenu(menu.key, before: menu)
    case .quietHours, .retention, .name, .aliases:
      menu.field = TextField(menu.setting.typed(settings))
      overlay = .menu(menu)
    case .tray: showItems(of: menu.key, in: .tray, &effects)
    case .history: showItems(of: menu.key, in: .history, &effects)
    }
  }

  private mutating func takeValue(_ key: Key, in menu: AppMenu, _ effects: inout [Effect]) {
    var menu = menu
    switch key {
    case .escape, .control("c"), .control("g"):
      menu.field = nil
      overlay = .menu(menu)
    case .enter: setValue(menu, &effects)
    default:  // open: Key
      _ = menu.field?.take(key)
      overlay = .menu(menu)
    }
  }

  private mutating func setValue(_ menu: AppMenu, _ effects: inout [Effect]) {
    let settings = apps.settings(of: menu.key)
    let meant = menu.setting.change(from: menu.field?.text ?? "", settings: settings) { zone in
      attention.wallClock.offsetSeconds(now, zone) != nil
    }
    switch meant {
    case .failure(let problem): notice = Notice(.error, problem.text)
    case .success(let change):
      var menu = menu
      menu.field = nil
      overlay = .menu(menu)
      configure(menu.key, change, menu.setting.notice(name(of: menu.key), settings), &effects)
    }
  }

  // MARK: - Items

  mutating func showAppItems(_ effects: inout [Effect]) {
    if let key = subjectApp { showItems(of: key, in: .history, &effects) }
  }

  private mutating func showItems(of key: AppKey, in tab: Tab, _ effects: inout [Effect]) {
    closeOverlay()
    let from = self.tab
    show(tab, &effects)
    let origin = FilterState.Origin(
      tab: from, filter: filter?.origin == nil ? filter?.field.text : filter?.origin?.filter)
    let text = "app:" + FilterToken.quoted(key.app)
    filter = FilterState(
      field: TextField(text), isTyping: false, filter: ListFilter(), origin: origin)
    filterTextChanged()
    say(
      "Only " + name(of: key) + ". " + keyHint(.leave)
        + (from == .apps ? " goes back to the apps." : " shows all."))
  }
}
