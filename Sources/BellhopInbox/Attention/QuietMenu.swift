import BellhopModel
import BellhopScreen
import BellhopText

/// The menu of durations for do not disturb.
struct QuietState: Menu {
  var choices: [QuietChoice]
  var selected = 0

  var title: SafeText { "Do not disturb, on every device" }
  var count: Int { choices.count }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    var line = MenuLine()
    let cells = (choices.map(\.title.width).max() ?? 0) + 2
    line.add(choices[index].title.padded(to: cells), .text)
    if let until = choices[index].mute.end {
      let full = state.timeText.full(until)
      line.add(full.width <= width - cells ? full : state.timeText.moment(until), .snoozed)
    }
    return line
  }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    switch meaning(of: key) {
    case .leave: state.closeOverlay()
    case .take: state.choose(self, selected, &effects)
    case .number(let index): state.choose(self, index, &effects)
    case .select(let index):
      var menu = self
      menu.selected = index
      state.overlay = .menu(menu)
    case .other: if key == .character("!") { state.closeOverlay() }
    }
  }

  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    guard let index else { return state.closeOverlay() }
    state.choose(self, index, &effects)
  }
}

struct QuietChoice: Hashable, Sendable {
  var title: SafeText
  var mute: Mute

  /// Returns the choices: an hour, this evening, tomorrow, and until turned off.
  static func choices(now: Timestamp, zone: ZoneRules) -> [QuietChoice] {
    let moments = SnoozeChoice.choices(now: now, zone: zone, expires: nil)
      .filter { $0.title != "15 minutes" }
    return moments.map { QuietChoice(title: "until " + $0.title, mute: .until($0.until)) }.map {
      choice in
      choice.title == "until 1 hour" ? QuietChoice(title: "for 1 hour", mute: choice.mute) : choice
    } + [QuietChoice(title: "until I turn it off", mute: .forever)]
  }
}
