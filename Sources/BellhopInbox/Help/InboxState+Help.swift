import BellhopModel
import BellhopScreen
import BellhopText

struct HelpState: Sendable {
  var filter = TextField()
  var scroll = 0

  static let hints = [
    MenuHint("Esc", "close"), MenuHint("↓ ↑", "scroll"), MenuHint("type", "to filter"),
  ]
}

extension Command {
  static let helpCommands: [Command] = [help]

  static let help = Command(
    id: "help", title: "keys", help: "the keys that work here; typing filters them",
    synonyms: ["shortcuts"], keys: ["?"],
    places: .everywhere, chapter: .program,
    perform: { state, _ in state.overlay = .help(HelpState()) })
}

extension InboxState {
  mutating func take(_ key: Key, in help: HelpState) {
    var help = help
    let page = max(1, layout.body.height - 1)
    switch key {
    case .escape, .enter, .control("c"), .control("g"):
      overlay = .none
      return
    case .down, .control("n"): help.scroll += 1
    case .up, .control("p"): help.scroll -= 1
    case .pageDown, .control("d"): help.scroll += page
    case .pageUp: help.scroll -= page
    case .home: help.scroll = 0
    case .end: help.scroll = Int.max / 2
    default:  // open: Key
      if help.filter.take(key) { help.scroll = 0 }
    }
    let lines = HelpLines(state: self, filter: help.filter.text).lines.count
    help.scroll = min(max(0, help.scroll), max(0, lines - layout.body.height))
    overlay = .help(help)
  }
}
