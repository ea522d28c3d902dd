import BellhopScreen
import BellhopText

/// The typed words that find a command, with the selected entry.
struct PaletteState: Menu {
  var field = TextField()
  var selected = 0
  /// The matching entries, best first.
  var entries: [PaletteEntry] = []

  /// The maximum number of rows, as many as users take in at a glance.
  private static let rowsMax = 14
  private static let titleCells = 18
  private static let helpWidth = 50

  var title: SafeText { "Commands" }
  /// The number of lines; the message without results takes one, too.
  var count: Int { max(1, entries.count) }
  var isNumbered: Bool { false }
  var hints: [MenuHint] {
    let choosing =
      entries.isEmpty
      ? [MenuHint("type", "other words")] : [MenuHint("Enter", "run"), MenuHint("↓ ↑", "move")]
    return choosing + [MenuHint("Esc", "close")]
  }

  /// Returns the height, which does not depend on the matches, so that nothing moves while typing.
  func height(in body: Rect) -> Int { min(Self.rowsMax, body.height) }

  func heading(in state: InboxState) -> MenuLine {
    var line = MenuLine()
    line.addTyped(": " + field.drawn, .accent)
    if field.text.isEmpty { line.add("type what you want to do", .dim) }
    return line
  }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    var line = MenuLine()
    guard entries.indices.contains(index) else {
      line.add("  No command matches.", .dim)
      line.isTaken = false
      return line
    }
    let entry = entries[index]
    let title = SafeText(entry.title)
    let role: StyleRole = entry.disabledReason == nil ? .text : .dim
    let help = entry.disabledReason ?? SafeText(entry.help)
    line.add(" ", .text)
    if entry.title == help.string {
      line.add(title, role)
    } else {
      line.add(
        title.width > Self.titleCells - 1 ? title + " " : title.padded(to: Self.titleCells), role)
      if width >= Self.helpWidth { line.add(help, .dim) }
    }
    if !entry.keys.isEmpty {
      line.trailing = StyledLine.Piece(
        text: SafeText(entry.keys.prefix(2).joined(separator: " ")) + " ", role: .code)
    }
    return line
  }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    var palette = self
    func moved(by step: Int) -> Int { min(max(0, selected + step), count - 1) }
    let page = max(1, frame(in: state.layout, of: state).lines.height - 1)
    switch key {
    case .escape, .control("c"), .control("g"): return state.closeOverlay()
    case .backspace where field.text.isEmpty: return state.closeOverlay()
    case .enter: return press(selected, &state, &effects)
    case .down, .control("n"), .tab: palette.selected = moved(by: 1)
    case .up, .control("p"), .backTab: palette.selected = moved(by: -1)
    case .pageDown: palette.selected = moved(by: page)
    case .pageUp: palette.selected = moved(by: -page)
    case .home: palette.selected = 0
    case .end: palette.selected = count - 1
    default: if palette.field.take(key) { palette.find(in: state) }  // open: Key
    }
    state.overlay = .menu(palette)
  }

  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    guard let index else { return state.closeOverlay() }
    if entries.indices.contains(index) { state.run(entries[index], &effects) }
  }

  func paste(_ text: String, _ state: inout InboxState) {
    var palette = self
    palette.field.insert(text)
    palette.find(in: state)
    state.overlay = .menu(palette)
  }

  private mutating func find(in state: InboxState) {
    entries = state.paletteEntries(field.text)
    selected = 0
  }
}
