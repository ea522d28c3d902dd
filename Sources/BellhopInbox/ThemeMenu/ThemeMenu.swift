package import BellhopScreen
package import BellhopText

/// The menu of available themes; the selected one is shown on the whole screen.
struct ThemeMenu: Menu {
  var names: [String]
  /// The theme that Esc restores.
  var before: String
  var selected: Int

  /// The maximum height; more would hide the screen above, on which the user tries the theme.
  private static let heightMax = 6

  var title: SafeText { "Theme" }
  var count: Int { names.count }
  var isNumbered: Bool { false }
  var hints: [MenuHint] {
    [MenuHint("↓ ↑", "try"), MenuHint("Enter", "save"), MenuHint("Esc", "cancel")]
  }

  func height(in body: Rect) -> Int { min(count, Self.heightMax, max(1, body.height / 2)) }

  func first(height: Int) -> Int { max(0, min(selected - height / 2, count - height)) }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    var line = MenuLine()
    line.add(SafeText(names[index], byteLimit: 128), index == selected ? .unread : .text)
    return line
  }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    switch meaning(of: key) {
    case .leave:
      state.closeOverlay()
      if names[selected] != before { effects.append(.terminal(.showTheme(before))) }
    case .take:
      state.closeOverlay()
      effects.append(.terminal(.keepTheme(names[selected])))
    case .select(let index): select(index, &state, &effects)
    case .number, .other: break
    }
  }

  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    if let index { select(index, &state, &effects) } else { take(.escape, &state, &effects) }
  }

  /// Shows the theme at the index, if there is one.
  private func select(_ index: Int, _ state: inout InboxState, _ effects: inout [Effect]) {
    guard names.indices.contains(index), index != selected else { return }
    var menu = self
    menu.selected = index
    state.overlay = .menu(menu)
    effects.append(.terminal(.showTheme(names[index])))
  }
}

extension Command {
  static let themeCommands: [Command] = [themes]

  static let themes = Command(
    id: "themes", title: "themes", help: "try the themes; Enter saves one, Esc goes back",
    synonyms: ["dark mode", "light mode", "colors", "colours"], keys: ["t"], places: .everywhere,
    chapter: .program,
    perform: { _, effects in effects.append(.terminal(.loadThemes)) })
}

extension InboxState {
  mutating func openThemeMenu(_ names: [String], current: String) {
    guard overlay.isNone, !names.isEmpty else { return }
    let all = names.contains(current) ? names : [current] + names
    overlay = .menu(
      ThemeMenu(names: all, before: current, selected: all.firstIndex(of: current) ?? 0))
  }
}

// MARK: - Sample

/// A small sample screen that shows every mark and level in a theme.
package enum SampleScreen {
  package static let size = Size(width: 72, height: 9)

  /// Returns the sample frame, with the theme's name in its header.
  package static func frame(named name: SafeText) -> Frame {
    var canvas = Canvas(size: size)
    var lines = canvas.bounds
    func next() -> Rect {
      let (top, rest) = (lines.row(0), lines)
      lines = Rect(x: rest.x, y: rest.y + 1, width: rest.width, height: max(0, rest.height - 1))
      return top
    }
    func line(_ pieces: [(SafeText, StyleRole)], _ trailing: (SafeText, StyleRole)? = nil) {
      var line = StyledLine.empty
      line.pieces = pieces.map { StyledLine.Piece(text: $0.0, role: $0.1) }
      line.trailing = trailing.map { StyledLine.Piece(text: $0.0, role: $0.1) }
      canvas.put(line, in: next())
    }
    line(
      [
        (" bellhop", .accent), ("   [", .accent), ("1 Tray", .text), (" 5", .badge),
        ("]", .accent), ("  2 History  3 Later", .dim), ("   " + name, .text),
      ], ("● live", .ok))
    canvas.horizontalRule(next())
    let first = lines.row(0)
    line(
      [
        ("▌● ", .new), ("‼ ", .priorityUrgent), ("nas       ", .text),
        ("sdb: 11 bad sectors", .unread),
      ], (" 9m", .dim))
    canvas.select(first)
    line(
      [
        (" ● ", .unread), ("! ", .priorityHigh), ("ci        ", .text),
        ("build 412 failed", .unread), (" · unit tests", .dim),
      ], (" 1h", .dim))
    line(
      [
        (" ○ ", .read), ("↓ ", .priorityLow), ("apt       ", .text),
        ("12 upgrades available", .read),
      ],
      ("Fri", .dim))
    line(
      [
        (" ✓   ", .dismissed), ("grafana   ", .dim), ("CPU high", .dismissed),
        (" · done on work-laptop", .ghost),
      ], ("Thu", .dim))
    line(
      [(" z   ", .snoozed), ("jira      ", .dim), ("OPS-77 until Mon 9:00", .snoozed)],
      ("Thu", .dim))
    canvas.horizontalRule(next(), role: .ruleFocus)
    line([
      (" https://ci.example.com/412", .link), ("  make check", .code), ("  offline", .error),
      ("  d ", .accent), ("dismiss", .dim),
    ])
    return canvas.frame
  }
}
