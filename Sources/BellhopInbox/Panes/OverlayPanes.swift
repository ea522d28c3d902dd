import BellhopScreen
import BellhopText

/// Draws the ways to snooze at the bottom of the body.
struct SnoozePane {
  let state: InboxState
  let menu: SnoozeState

  /// Where the choices are, one a row.
  static func choices(of menu: SnoozeState, in body: Rect) -> Rect {
    body.splitBottom(min(menu.choices.count + 1, body.height)).bottom
  }

  /// The first line drawn: where there is no room for all, the chosen one stays in sight.
  static func first(of menu: SnoozeState, height: Int) -> Int {
    max(0, min(menu.selected, menu.choices.count) - height + 1)
  }

  func draw(in body: Rect, on canvas: inout Canvas) {
    let choices = Self.choices(of: menu, in: body)
    var above = Rect(x: body.x, y: body.y, width: body.width, height: choices.y - body.y)
    if above.height > 0 {
      let title = above.splitBottom(1).bottom
      canvas.fill(title)
      canvas.put(
        StyledLine(" Snooze until · " + menu.title, .accent), in: title.inset(right: 1))
      above = above.splitBottom(1).rest
    }
    if above.height > 0 {
      let rule = above.splitBottom(1).bottom
      canvas.fill(rule)
      canvas.horizontalRule(rule, role: .ruleFocus)
    }
    let first = Self.first(of: menu, height: choices.height)
    for offset in 0..<choices.height {
      if first + offset < menu.choices.count {
        draw(first + offset, in: choices.row(offset), on: &canvas)
      } else {
        drawTyped(in: choices.row(offset), on: &canvas)
      }
    }
  }

  /// The line in which a time is typed, with what it means in the zone of the screen.
  private func drawTyped(in rect: Rect, on canvas: inout Canvas) {
    canvas.fill(rect)
    let isSelected = menu.selected == menu.choices.count
    var line = StyledLine(isSelected ? "▌" : " ", .accent)
    line.pieces.append(
      StyledLine.Piece(text: SafeText("\(menu.choices.count + 1)  "), role: .accent))
    guard let field = menu.field else {
      line.pieces.append(
        StyledLine.Piece(text: SafeText("type a time").padded(to: 14), role: .text))
      line.pieces.append(
        StyledLine.Piece(
          text: "2h, fri 9:00, in 3 days, 24 dec · " + state.timeText.zoneName, role: .dim))
      canvas.put(line, in: rect)
      if isSelected { canvas.select(rect) }
      return
    }
    let typed = field.drawn
    line.pieces.append(StyledLine.Piece(text: typed, role: .text))
    let column = line.pieces.reduce(0) { $0 + $1.text.width }
    line.pieces.append(StyledLine.Piece(text: .blanks(max(2, 14 - typed.width)), role: .text))
    switch state.snoozeTime(menu) {
    case .success(let until):
      line.pieces.append(StyledLine.Piece(text: state.timeText.full(until), role: .snoozed))
    case .failure(let problem):
      line.pieces.append(StyledLine.Piece(text: SafeText(problem.description), role: .dim))
    }
    canvas.put(line, in: rect)
    canvas.cursor = Point(x: min(rect.x + column, rect.maxX - 1), y: rect.y)
  }

  private func draw(_ index: Int, in rect: Rect, on canvas: inout Canvas) {
    let choice = menu.choices[index]
    let isSelected = index == menu.selected
    canvas.fill(rect)
    let mark: SafeText = isSelected ? "▌" : " "
    var line = StyledLine(mark, .accent)
    line.pieces.append(StyledLine.Piece(text: SafeText("\(index + 1)  "), role: .accent))
    line.pieces.append(
      StyledLine.Piece(
        text: choice.title.padded(to: 14), role: choice.isTooLate ? .dim : .text))
    let until = state.timeText.full(choice.until)
    line.pieces.append(
      StyledLine.Piece(
        text: choice.isTooLate ? until + " · it expires before" : until,
        role: choice.isTooLate ? .dim : .snoozed))
    canvas.put(line, in: rect)
    if isSelected { canvas.select(rect) }
  }
}

/// Draws the keys of the place the person is in, over the body, with the filter above.
struct HelpPane {
  let state: InboxState
  let help: HelpState

  func draw(_ layout: Layout, on canvas: inout Canvas) {
    let header = layout.header
    if !header.isEmpty {
      let prompt: SafeText = " Keys here: " + help.filter.drawn
      canvas.put(StyledLine(prompt.truncated(to: header.width - 1), .accent), in: header)
      canvas.cursor = Point(x: min(prompt.width, header.width - 1), y: header.y)
    }
    let lines = HelpLines(state: state, filter: help.filter.text).lines
    let body = layout.body.inset(left: 1, right: 1)
    let start = min(max(0, help.scroll), lines.count)
    for (offset, line) in lines[start...].prefix(body.height).enumerated() {
      canvas.put(line, in: body.row(offset))
    }
  }
}
