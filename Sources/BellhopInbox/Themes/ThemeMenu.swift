public import BellhopScreen
public import BellhopText

/// The themes there are, of which the one under the cursor is shown on the whole screen.
struct ThemeMenu: Sendable {
  var names: [String]
  /// The one that Esc goes back to.
  var before: String
  var selected: Int
}

extension InboxState {
  mutating func openThemeMenu(_ names: [String], current: String) {
    guard overlay.isNone, !names.isEmpty else { return }
    let all = names.contains(current) ? names : [current] + names
    overlay = .themes(
      ThemeMenu(names: all, before: current, selected: all.firstIndex(of: current) ?? 0))
  }

  mutating func take(_ key: Key, in menu: ThemeMenu, _ effects: inout [Effect]) {
    let count = menu.names.count
    switch key {
    case .escape, .left, .character("h"), .character("q"), .control("c"), .control("g"):
      overlay = .none
      if menu.names[menu.selected] != menu.before { effects.append(.showTheme(menu.before)) }
    case .enter, .right, .character("l"):
      overlay = .none
      effects.append(.keepTheme(menu.names[menu.selected]))
    case .down, .character("j"), .tab, .control("n"):
      select((menu.selected + 1) % count, in: menu, &effects)
    case .up, .character("k"), .backTab, .control("p"):
      select((menu.selected + count - 1) % count, in: menu, &effects)
    case .home: select(0, in: menu, &effects)
    case .end: select(count - 1, in: menu, &effects)
    default: break
    }
  }

  /// Shows the theme at the index, if there is one.
  mutating func select(_ index: Int, in menu: ThemeMenu, _ effects: inout [Effect]) {
    guard menu.names.indices.contains(index), index != menu.selected else { return }
    var menu = menu
    menu.selected = index
    overlay = .themes(menu)
    effects.append(.showTheme(menu.names[index]))
  }
}

/// Draws the themes at the bottom of the body; the screen above is the example.
struct ThemePane {
  let state: InboxState
  let menu: ThemeMenu

  /// More would hide what the theme is tried on.
  private static let heightMax = 6

  static func choices(of menu: ThemeMenu, in body: Rect) -> Rect {
    body.splitBottom(min(menu.names.count, heightMax, max(1, body.height / 2))).bottom
  }

  /// The first line drawn: the chosen one stays in sight.
  static func first(of menu: ThemeMenu, height: Int) -> Int {
    max(0, min(menu.selected - height / 2, menu.names.count - height))
  }

  func draw(in body: Rect, on canvas: inout Canvas) {
    let choices = Self.choices(of: menu, in: body)
    var above = Rect(x: body.x, y: body.y, width: body.width, height: choices.y - body.y)
    if above.height > 0 {
      let title = above.splitBottom(1).bottom
      canvas.fill(title)
      canvas.put(StyledLine(" Theme", .accent), in: title)
      above = above.splitBottom(1).rest
    }
    if above.height > 0 {
      let rule = above.splitBottom(1).bottom
      canvas.fill(rule)
      canvas.horizontalRule(rule, role: .ruleFocus)
    }
    let first = Self.first(of: menu, height: choices.height)
    for offset in 0..<choices.height where first + offset < menu.names.count {
      let isSelected = first + offset == menu.selected
      let rect = choices.row(offset)
      canvas.fill(rect)
      var line = StyledLine(isSelected ? "▌" : " ", .accent)
      line.pieces.append(
        StyledLine.Piece(
          text: SafeText(menu.names[first + offset], byteLimit: 128),
          role: isSelected ? .unread : .text))
      canvas.put(line, in: rect)
      if isSelected { canvas.select(rect) }
    }
  }
}

// MARK: - A sample

/// A small screen that shows every mark and level: what a theme looks like.
public enum SampleScreen {
  public static let size = Size(width: 72, height: 9)

  /// The frame, with the theme's name in its header.
  public static func frame(named name: SafeText) -> Frame {
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
        ("sdb: 11 bad sectors", .new),
      ], (" 9m", .dim))
    canvas.select(first)
    line(
      [
        (" ● ", .unread), ("! ", .priorityHigh), ("ci        ", .text),
        ("build 412 failed", .unread), (" · unit tests", .dim),
      ], (" 1h", .dim))
    line(
      [(" ○ ", .read), ("↓ ", .priorityLow), ("apt       ", .text), ("12 upgrades wait", .read)],
      ("Fri", .dim))
    line(
      [
        (" ✓   ", .dismissed), ("grafana   ", .dim), ("CPU high", .dismissed),
        (" · done on work-laptop", .ghost),
      ], ("Thu", .dim))
    line(
      [(" z   ", .snoozed), ("jira      ", .dim), ("OPS-77 waits until Mon 9:00", .snoozed)],
      ("Thu", .dim))
    canvas.horizontalRule(next(), role: .ruleFocus)
    line([
      (" https://ci.example.com/412", .link), ("  make check", .code), ("  offline", .error),
      ("  d ", .accent), ("dismiss", .dim),
    ])
    return canvas.frame
  }
}
