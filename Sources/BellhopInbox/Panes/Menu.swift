import BellhopScreen
import BellhopText

/// A menu with a rule, a title and lines, at the bottom of the body or beside a list.
///
/// A conformance contains everything specific to a menu: its lines, its keys and its hints.
/// ``MenuFrame`` and ``MenuPane`` lay out and draw all menus.
protocol Menu: Sendable {
  /// The title; untrusted parts are cut if they do not fit.
  var title: SafeText { get }
  /// The number of lines to choose from; at least one.
  var count: Int { get }
  var selected: Int { get }
  /// Whether the lines are numbered and can be chosen by their digits.
  var isNumbered: Bool { get }
  /// A question over the last line, answered by `y` or `n`; nil while there is none.
  var question: SafeText? { get }
  /// A shorter question, for when there is no room.
  var shortQuestion: SafeText? { get }
  /// The key hints in the last line.
  var hints: [MenuHint] { get }
  /// The menu from which this one was opened, which is drawn below it.
  var before: (any Menu)? { get }

  /// Returns the position: at the bottom of the body, unless the menu has its own place.
  func frame(in layout: Layout, of state: InboxState) -> MenuFrame
  /// Returns the number of lines drawn in a body.
  func height(in body: Rect) -> Int
  /// Returns the first line drawn, if not all fit.
  func first(height: Int) -> Int
  /// Returns the drawn title, with the terminal's cursor if the user types into it.
  func heading(in state: InboxState) -> MenuLine
  /// Returns the text below the title, for a menu with its own place.
  func subheading(in state: InboxState) -> SafeText
  /// Returns the text of a line, after the cursor's mark and the number.
  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect])
  /// Handles a click on a line; nil for a click outside of the lines.
  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect])
  func paste(_ text: String, _ state: inout InboxState)
}

/// A key, and its effect in a menu.
struct MenuHint: Hashable, Sendable {
  var key: SafeText
  var word: SafeText

  init(_ key: SafeText, _ word: SafeText) {
    self.key = key
    self.word = word
  }

  static func choosing(of count: Int) -> [MenuHint] {
    [
      MenuHint("Enter", "choose"), MenuHint(SafeText("1…\(min(count, 9))"), "at once"),
      MenuHint("Esc", "close"),
    ]
  }
}

/// The contents of a line of a menu.
struct MenuLine: Hashable, Sendable {
  var pieces: [StyledLine.Piece] = []
  /// The piece at the right edge.
  var trailing: StyledLine.Piece?
  /// The column of the terminal's cursor, if the user types into the line.
  var cursor: Int?
  /// Whether the line can be chosen; other lines are never marked as selected.
  var isTaken = true

  mutating func add(_ text: SafeText, _ role: StyleRole) {
    pieces.append(StyledLine.Piece(text: text, role: role))
  }

  /// Adds typed text, followed by the cursor.
  mutating func addTyped(_ text: SafeText, _ role: StyleRole = .text) {
    cursor = pieces.reduce(text.width) { $0 + $1.text.width }
    add(text, role)
  }
}

/// The default meaning of a key in menus.
enum MenuKey: Hashable, Sendable {
  case leave, take
  case select(Int)
  /// A digit of a line.
  case number(Int)
  case other
}

extension Menu {
  var isNumbered: Bool { true }
  var question: SafeText? { nil }
  var shortQuestion: SafeText? { question }
  var hints: [MenuHint] { MenuHint.choosing(of: count) }
  var before: (any Menu)? { nil }

  func frame(in layout: Layout, of state: InboxState) -> MenuFrame { frame(atBottomOf: layout) }

  func frame(atBottomOf layout: Layout) -> MenuFrame {
    MenuFrame(
      atBottomOf: layout.body, height: height(in: layout.body),
      rules: layout.horizontalRules)
  }

  func height(in body: Rect) -> Int { min(count, body.height) }
  func first(height: Int) -> Int { max(0, selected - height + 1) }
  func subheading(in state: InboxState) -> SafeText { .empty }
  func paste(_ text: String, _ state: inout InboxState) {}

  func heading(in state: InboxState) -> MenuLine {
    var line = MenuLine()
    line.add(title, .accent)
    return line
  }

  /// Returns the line at a point; nil outside of the lines.
  func index(at point: Point, in frame: MenuFrame) -> Int? {
    guard frame.lines.contains(point) else { return nil }
    let index = point.y - frame.lines.y + first(height: frame.lines.height)
    return index < count ? index : nil
  }

  func meaning(of key: Key) -> MenuKey {
    switch key {
    case .escape, .left, .character("h"), .character("q"), .control("c"), .control("g"):
      return .leave
    case .enter, .right, .character("l"): return .take
    case .down, .character("j"), .tab, .control("n"): return .select((selected + 1) % count)
    case .up, .character("k"), .backTab, .control("p"):
      return .select((selected + count - 1) % count)
    case .home: return .select(0)
    case .end: return .select(count - 1)
    case .character(let character):
      guard let number = character.wholeNumberValue, (1...count).contains(number) else {
        return .other
      }
      return .number(number - 1)
    default: return .other  // open: Key
    }
  }
}
