import BellhopModel
import BellhopScreen
import BellhopText
import BellhopTime

extension Command {
  static let snooze = Command(
    id: "snooze", title: "snooze", help: "snooze it until a time, on every device",
    synonyms: ["later", "remind me", "postpone"], keys: ["s"],
    places: .items, chapter: .handling, changesItems: true, footer: Footer(3),
    disabledReason: { state in
      if state.actsOnMarks { return nil }
      if let reason = state.reasonAgainstRow { return reason }
      return state.activeRow?.isRawOnly == true
        ? "This item has only data, so it never enters the tray." : nil
    },
    perform: { state, _ in state.openSnoozeMenu() })
}

extension InboxState {
  fileprivate mutating func openSnoozeMenu() {
    if actsOnMarks {
      let title = marks.count.map { SafeText("\($0.grouped) marked") } ?? "all marked"
      overlay = .menu(
        SnoozeState(
          key: nil, title: "Snooze until · " + title,
          choices: SnoozeChoice.choices(now: now, zone: zone, expires: nil)))
      return
    }
    guard let row = subjectRow() else { return }
    if let extent = row.extent {
      overlay = .menu(
        SnoozeState(
          key: nil, group: row.groupKey,
          title: "Snooze until · " + label(of: row) + " " + SafeText(extent.count.grouped),
          choices: SnoozeChoice.choices(now: now, zone: zone, expires: nil)))
      return
    }
    overlay = .menu(
      SnoozeState(
        key: row.key, expires: row.expires, title: "Snooze until · " + shownTitle(of: row),
        choices: SnoozeChoice.choices(now: now, zone: zone, expires: row.expires)))
  }

  mutating func take(_ key: Key, in menu: SnoozeState, _ effects: inout [Effect]) {
    guard menu.field == nil else { return takeSnoozeTime(key, menu, &effects) }
    var menu = menu
    switch menu.meaning(of: key) {
    case .leave: closeOverlay()
    case .take: choose(menu, menu.selected, &effects)
    case .number(let index): choose(menu, index, &effects)
    case .select(let index):
      menu.selected = index
      overlay = .menu(menu)
    case .other:
      guard case .character(let character) = key, character.isLetter else { return }
      menu.selected = menu.choices.count
      menu.field = TextField(String(character))
      overlay = .menu(menu)
    }
  }

  /// Takes a choice, or starts typing a time.
  mutating func choose(_ menu: SnoozeState, _ index: Int, _ effects: inout [Effect]) {
    guard menu.choices.indices.contains(index) else {
      var menu = menu
      menu.selected = menu.choices.count
      menu.field = TextField()
      overlay = .menu(menu)
      return
    }
    snooze(menu, until: menu.choices[index].until, &effects)
  }

  private mutating func takeSnoozeTime(
    _ key: Key, _ menu: SnoozeState, _ effects: inout [Effect]
  ) {
    var menu = menu
    switch key {
    case .control("c"), .control("g"): closeOverlay()
    case .escape:
      menu.field = nil
      overlay = .menu(menu)
    case .enter:
      switch snoozeTime(menu) {
      case .success(let until): snooze(menu, until: until, &effects)
      case .failure(let problem): notice = Notice(.error, SnoozeState.words(of: problem))
      }
    case .backspace where menu.field?.text.isEmpty == true:
      menu.field = nil
      overlay = .menu(menu)
    default:  // open: Key
      _ = menu.field?.take(key)
      overlay = .menu(menu)
    }
  }

  /// Returns the meaning of the typed time.
  func snoozeTime(_ menu: SnoozeState) -> Result<Timestamp, WhenPhrase.SyntaxError> {
    WhenPhrase(now: now, zone: zone).instant(menu.field?.text ?? "")
  }

  /// Snoozes the item for which the menu was opened, if the cursor is still on it.
  private mutating func snooze(
    _ menu: SnoozeState, until: Timestamp, _ effects: inout [Effect]
  ) {
    if let group = menu.group { return snoozeGroup(group, until: until, &effects) }
    guard let key = menu.key else { return snoozeMarked(until: until, &effects) }
    guard let row = activeItem, row.key == key else { return closeOverlay() }
    if let expires = row.expires, until > expires {
      return say("The item expires " + timeText.full(expires) + ". Choose an earlier time.")
    }
    guard until > now else {
      closeOverlay()
      return say("That time has passed. Nothing was done.")
    }
    if let order = menu.schedule { return reschedule(order, to: .once(at: until), &effects) }
    closeOverlay()
    act(.snooze(until: until), &effects)
  }

  private mutating func snoozeMarked(until: Timestamp, _ effects: inout [Effect]) {
    closeOverlay()
    guard until > now else { return say("That time has passed. Nothing was done.") }
    guard actsOnMarks else { return }
    actOnMarked(.snooze(until: until), &effects)
  }
}
