import BellhopModel
import BellhopScreen
import BellhopText
import BellhopTime

/// The menu of snooze times, or of times of delivery, followed by a line for typing a time.
struct SnoozeState: Menu {
  /// The item for which the menu was opened; nil for a group, and for marked items.
  var key: ItemKey?
  /// The group for which the menu was opened.
  var group: GroupKey?
  /// The delivery whose time is chosen; nil for a snooze.
  var schedule: ScheduleOrder?
  /// The time when the item expires; no later time is possible.
  var expires: Timestamp?
  var title: SafeText
  var choices: [SnoozeChoice]
  var selected = 0
  /// The time being typed; nil while one of the choices is selected.
  var field: TextField?

  var count: Int { choices.count + 1 }

  var hints: [MenuHint] {
    guard field == nil else {
      return [
        MenuHint("Enter", schedule == nil ? "snooze" : "change"),
        MenuHint("Esc", "back to the choices"),
      ]
    }
    return MenuHint.choosing(of: choices.count)
  }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    guard choices.indices.contains(index) else { return typed(in: state) }
    let choice = choices[index]
    var line = MenuLine()
    line.add(choice.title.padded(to: 14), .text)
    line.add(state.timeText.full(choice.until), .snoozed)
    return line
  }

  /// Returns the line for typing a time, with its meaning in the zone of the screen.
  private func typed(in state: InboxState) -> MenuLine {
    var line = MenuLine()
    guard let field else {
      line.add(SafeText("type a time").padded(to: 14), .text)
      let limit = expires.map { " · expires " + state.timeText.full($0) }
      line.add("2h, fri 9:00, in 3 days, 24 dec" + (limit ?? " · " + state.timeText.zoneName), .dim)
      return line
    }
    let text = field.drawn
    line.addTyped(text)
    line.add(.blanks(max(2, 14 - text.width)), .text)
    switch state.snoozeTime(self) {
    case .success(let until):
      line.add(state.timeText.full(until), .snoozed)
      if let expires, until > expires {
        line.add(" · expires earlier, " + state.timeText.full(expires), .error)
      }
    case .failure(let problem): line.add(Self.words(of: problem), .dim)
    }
    return line
  }

  /// Returns the reason why a time is not valid, with the accepted form.
  static func words(of problem: WhenPhrase.SyntaxError) -> SafeText {
    let words = SafeText(problem.description)
    return words.string.contains("2h") ? words : words + " Try 2h, fri 9:00 or tomorrow."
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
