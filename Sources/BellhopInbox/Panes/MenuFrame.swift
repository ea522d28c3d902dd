import BellhopModel
import BellhopScreen
import BellhopText

/// Where the parts of a menu are, for those who draw it and those who look up a click.
struct MenuFrame: Hashable, Sendable {
  /// All of it: what lies below is covered.
  var area: Rect
  var rule: Rect?
  var title: Rect?
  /// Only of a menu that has a place of its own.
  var subtitle: Rect?
  /// One row a line of the menu; some may be left over.
  var lines: Rect

  /// So many lines, with rule and title above them as far as there is room.
  ///
  /// - Parameter rules: Those of the screen: no second one is drawn below any of them.
  init(atBottomOf body: Rect, height: Int, rules: [Rect]) {
    // The title says what is being chosen, so that one line gives way to it.
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

  /// In a place of its own, with two lines above as far as there is room.
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
  let state: InboxState
  let menu: any Menu
  /// Whether one of its lines is chosen: false while the keys act on the list beside it.
  var isOpen = true

  func draw(in frame: MenuFrame, on canvas: inout Canvas) {
    canvas.cover(frame.area)
    if let rule = frame.rule { canvas.horizontalRule(rule, role: .ruleFocus) }
    if let title = frame.title {
      var heading = menu.heading(in: state)
      if isOpen, menu.count > frame.lines.height, heading.trailing == nil {
        heading.trailing = StyledLine.Piece(
          text: SafeText("\((menu.selected + 1).grouped) of \(menu.count.grouped)"), role: .dim)
      }
      draw(heading, in: title, on: &canvas)
    }
    if let subtitle = frame.subtitle {
      canvas.put(StyledLine(" " + menu.subheading(in: state), .dim), in: subtitle)
    }
    let lines = frame.lines
    let first = isOpen ? menu.first(height: lines.height) : 0
    for offset in 0..<max(0, lines.height) where first + offset < menu.count {
      draw(first + offset, in: lines.row(offset), on: &canvas)
    }
  }

  private func draw(_ heading: MenuLine, in rect: Rect, on canvas: inout Canvas) {
    var line = StyledLine(" ", .accent)
    line.pieces += heading.pieces
    line.trailing = heading.trailing
    canvas.put(line, in: rect.inset(right: 1))
    if let column = heading.cursor {
      canvas.cursor = Point(x: min(rect.x + 1 + column, rect.maxX - 1), y: rect.y)
    }
  }

  private func draw(_ index: Int, in rect: Rect, on canvas: inout Canvas) {
    var line = StyledLine(" ", .accent)
    if menu.isNumbered {
      // A tenth line has no digit that takes it.
      line.pieces.append(
        StyledLine.Piece(
          text: index < 9 ? SafeText("\(index + 1)  ") : "   ", role: isOpen ? .accent : .dim))
    }
    let head = line.pieces.reduce(0) { $0 + $1.text.width }
    let content = menu.line(index, width: max(0, rect.width - head), in: state)
    let isSelected = isOpen && content.isTaken && index == menu.selected
    if isSelected { line.pieces[0].text = "▌" }
    line.pieces += content.pieces
    line.trailing = content.trailing
    canvas.put(line, in: rect)
    if isSelected, let column = content.cursor {
      canvas.cursor = Point(x: min(rect.x + head + column, rect.maxX - 1), y: rect.y)
    } else if isSelected {
      canvas.select(rect)
    }
  }
}
