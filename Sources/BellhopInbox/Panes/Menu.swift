import BellhopScreen
import BellhopText

/// A rule, a title, and lines of which one is taken: over the bottom of the body, or beside a list.
///
/// Everything that a menu has of its own is in its conformance: how its lines read, what its keys
/// do, what the last line says. Where it is drawn and clicked is in ``MenuFrame`` and ``MenuPane``,
/// for all.
protocol Menu: Sendable {
  /// Untrusted parts of it are cut where there is no room.
  var title: SafeText { get }
  /// How many lines there are to take; at least one.
  var count: Int { get }
  var selected: Int { get }
  /// Whether the lines have numbers, which take them at once.
  var isNumbered: Bool { get }
  /// A question over the last line, answered by `y` or `n`; nil while there is none.
  var question: SafeText? { get }
  /// The same where there is no room for it.
  var shortQuestion: SafeText? { get }
  /// What the last line says of keys.
  var hints: [MenuHint] { get }
  /// The menu that it was opened from, which is drawn below it.
  var before: (any Menu)? { get }

  /// Where it is: at the bottom of the body, unless it has a place of its own.
  func frame(in layout: Layout, of state: InboxState) -> MenuFrame
  /// How many lines are drawn in a body.
  func height(in body: Rect) -> Int
  /// The first line drawn, where there is no room for all.
  func first(height: Int) -> Int
  /// The title as it is drawn, with the terminal's cursor where it is typed into.
  func heading(in state: InboxState) -> MenuLine
  /// What is said below the title of a menu that has a place of its own.
  func subheading(in state: InboxState) -> SafeText
  /// A line, behind the cursor's mark and the number.
  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect])
  /// A click on a line; nil for one beside them all.
  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect])
  func paste(_ text: String, _ state: inout InboxState)
}

/// A key, and what it does in a menu.
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

/// How a line of a menu reads.
struct MenuLine: Hashable, Sendable {
  var pieces: [StyledLine.Piece] = []
  /// What stands at the right edge.
  var trailing: StyledLine.Piece?
  /// The column of the terminal's cursor, for a line that is typed into.
  var cursor: Int?
  /// Whether it can be taken; what cannot is never marked as chosen.
  var isTaken = true

  mutating func add(_ text: SafeText, _ role: StyleRole) {
    pieces.append(StyledLine.Piece(text: text, role: role))
  }

  /// Adds what was typed so far, with the cursor behind it.
  mutating func addTyped(_ text: SafeText, _ role: StyleRole = .text) {
    cursor = pieces.reduce(text.width) { $0 + $1.text.width }
    add(text, role)
  }
}

/// What a key means in every menu that has no other use for it.
enum MenuKey: Hashable, Sendable {
  case leave, take
  case select(Int)
  /// A digit that some line has.
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

  /// The line at a point; nil beside them.
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
