import BellhopModel
import BellhopScreen
import BellhopText

/// The positions of a menu's parts, for drawing and for clicks.
struct MenuFrame: Hashable, Sendable {
  /// The whole area, which covers what is below.
  var area: Rect
  var rule: Rect?
  var title: Rect?
  /// The line below the title; only in a menu with its own place.
  var subtitle: Rect?
  /// One row per line of the menu; some may be left over.
  var lines: Rect

  /// Creates a frame for so many lines, below a rule and a title if they fit.
  ///
  /// - Parameter rules: The rules of the screen; a menu directly below one draws no second rule.
  init(atBottomOf body: Rect, height: Int, rules: [Rect]) {
    // The title names the choice, so that one line makes way for it.
    let height = min(height, body.height >= 4 ? body.height - 1 : body.height)
    let above = body.height - height
    let isWhole = above <= (rules.contains { $0.y == body.y - 1 } ? 2 : 1)
    if isWhole {
      area = body
      (title, lines) =
        above == 0 ? (nil, body) : (body.row(0), body.splitTop(1).rest)
    } else {
      let top = body.maxY - height - 2
      let isBelowRule = rules.contains { $0.y == top - 1 && $0.x <= body.x }
      area = body.splitBottom(height + (isBelowRule ? 3 : 2)).bottom
      rule = area.row(0)
      title = area.row(1)
      lines = area.splitTop(2).rest
    }
  }

  /// Creates a frame that fills its own place, with two lines above if they fit.
  init(filling rect: Rect) {
    area = rect
    let heads = min(2, max(0, rect.height - 1))
    title = heads > 0 ? rect.row(0) : nil
    subtitle = heads > 1 ? rect.row(1) : nil
    lines = rect.splitTop(heads).rest
  }
}

/// Draws a menu in its frame.
struct MenuPane {
  private let frame: MenuFrame
  private let heading: MenuLine
  private let subheading: SafeText
  /// The lines that are drawn, with the number of each.
  private let lines: [(index: Int, line: MenuLine)]
  private let selected: Int?
  private let isNumbered: Bool

  /// Creates a pane.
  ///
  /// - Parameter isOpen: Whether one of its lines is selected; false while the keys act on the list
  ///   beside it.
  init(_ menu: any Menu, frame: MenuFrame, in state: InboxState, isOpen: Bool = true) {
    self.frame = frame
    let height = max(0, frame.lines.height)
    var heading = menu.heading(in: state)
    if isOpen, menu.count > height, heading.trailing == nil {
      heading.trailing = StyledLine.Piece(
        text: SafeText("\((menu.selected + 1).grouped) of \(menu.count.grouped)"), role: .dim)
    }
    self.heading = heading
    subheading = menu.subheading(in: state)
    isNumbered = menu.isNumbered
    selected = isOpen ? menu.selected : nil
    let width = max(0, frame.lines.width - Self.headCells(isNumbered: menu.isNumbered))
    let first = isOpen ? menu.first(height: height) : 0
    lines = (first..<max(first, min(first + height, menu.count))).map { index in
      (index, menu.line(index, width: width, in: state))
    }
  }

  /// Returns the number of columns for the cursor's mark and the number.
  private static func headCells(isNumbered: Bool) -> Int { isNumbered ? 4 : 1 }

  func draw(on canvas: inout Canvas) {
    canvas.cover(frame.area)
    if let rule = frame.rule { canvas.horizontalRule(rule, role: .ruleFocus) }
    if let title = frame.title { drawHeading(in: title, on: &canvas) }
    if let subtitle = frame.subtitle {
      canvas.put(StyledLine(" " + subheading, .dim), in: subtitle)
    }
    for (offset, line) in lines.enumerated() {
      draw(line.line, at: line.index, in: frame.lines.row(offset), on: &canvas)
    }
  }

  private func drawHeading(in rect: Rect, on canvas: inout Canvas) {
    var line = StyledLine(" ", .accent)
    line.pieces += heading.pieces
    line.trailing = heading.trailing
    canvas.put(line, in: rect.inset(right: 1))
    if let column = heading.cursor {
      canvas.cursor = Point(x: min(rect.x + 1 + column, rect.maxX - 1), y: rect.y)
    }
  }

  private func draw(
    _ content: MenuLine, at index: Int, in rect: Rect, on canvas: inout Canvas
  ) {
    let isSelected = content.isTaken && index == selected
    var line = StyledLine(isSelected ? "▌" : " ", .accent)
    if isNumbered {
      // From the tenth line on there are no digits.
      let number: SafeText = index < 9 ? SafeText("\(index + 1)  ") : "   "
      line.add(number, selected == nil ? .dim : .accent)
    }
    line.pieces += content.pieces
    line.trailing = content.trailing
    canvas.put(line, in: rect)
    guard isSelected else { return }
    if let column = content.cursor {
      let head = Self.headCells(isNumbered: isNumbered)
      canvas.cursor = Point(x: min(rect.x + head + column, rect.maxX - 1), y: rect.y)
    } else {
      canvas.select(rect)
    }
  }
}
