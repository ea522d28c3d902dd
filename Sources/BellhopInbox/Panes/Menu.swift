import BellhopScreen
import BellhopText

/// What lies over the bottom of the body: a rule, a title, and lines of which one is taken.
///
/// Everything that a menu has of its own is in its conformance: how its lines read, what its keys
/// do, what the last line says. Where it is drawn and clicked is here and in ``MenuPane``, for all.
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
  /// What the last line says of keys.
  var hints: [MenuHint] { get }

  /// How many lines are drawn in a body.
  func height(in body: Rect) -> Int
  /// The first line drawn, where there is no room for all.
  func first(height: Int) -> Int
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
      MenuHint("Enter", "choose"), MenuHint(SafeText("1…\(count)"), "at once"),
      MenuHint("Esc", "close"),
    ]
  }
}

/// How a line of a menu reads.
struct MenuLine: Hashable, Sendable {
  var pieces: [StyledLine.Piece] = []
  /// The column of the terminal's cursor, for a line that is typed into.
  var cursor: Int?

  mutating func add(_ text: SafeText, _ role: StyleRole) {
    pieces.append(StyledLine.Piece(text: text, role: role))
  }

  /// Adds what was typed so far, with the cursor behind it.
  mutating func addTyped(_ text: SafeText) {
    cursor = pieces.reduce(text.width) { $0 + $1.text.width }
    add(text, .text)
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
  var hints: [MenuHint] { MenuHint.choosing(of: count) }

  func height(in body: Rect) -> Int { min(count, body.height) }
  func first(height: Int) -> Int { max(0, selected - height + 1) }
  func paste(_ text: String, _ state: inout InboxState) {}

  /// Where the lines are, one a row.
  func lines(in body: Rect) -> Rect { body.splitBottom(height(in: body)).bottom }

  /// The line at a point; nil beside them.
  func index(at point: Point, in body: Rect) -> Int? {
    let rect = lines(in: body)
    guard rect.contains(point) else { return nil }
    return point.y - rect.y + first(height: rect.height)
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
    default: return .other
    }
  }
}

/// Draws a menu at the bottom of the body.
struct MenuPane {
  let state: InboxState
  let menu: any Menu

  func draw(in body: Rect, on canvas: inout Canvas) {
    let lines = menu.lines(in: body)
    var above = Rect(x: body.x, y: body.y, width: body.width, height: lines.y - body.y)
    if above.height > 0 {
      let title = above.splitBottom(1).bottom
      canvas.fill(title)
      canvas.put(StyledLine(" " + menu.title, .accent), in: title.inset(right: 1))
      above = above.splitBottom(1).rest
    }
    if above.height > 0 {
      let rule = above.splitBottom(1).bottom
      canvas.fill(rule)
      canvas.horizontalRule(rule, role: .ruleFocus)
    }
    let first = menu.first(height: lines.height)
    for offset in 0..<lines.height where first + offset < menu.count {
      draw(first + offset, in: lines.row(offset), on: &canvas)
    }
  }

  private func draw(_ index: Int, in rect: Rect, on canvas: inout Canvas) {
    let isSelected = index == menu.selected
    canvas.fill(rect)
    var line = StyledLine(isSelected ? "▌" : " ", .accent)
    if menu.isNumbered {
      line.pieces.append(StyledLine.Piece(text: SafeText("\(index + 1)  "), role: .accent))
    }
    let head = line.pieces.reduce(0) { $0 + $1.text.width }
    let content = menu.line(index, width: max(0, rect.width - head), in: state)
    line.pieces += content.pieces
    canvas.put(line, in: rect)
    if let column = content.cursor {
      canvas.cursor = Point(x: min(rect.x + head + column, rect.maxX - 1), y: rect.y)
    } else if isSelected {
      canvas.select(rect)
    }
  }
}
