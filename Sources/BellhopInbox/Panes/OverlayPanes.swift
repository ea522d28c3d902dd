import BellhopScreen
import BellhopText

/// Draws the ways to snooze at the bottom of the body.
struct SnoozePane {
  let state: InboxState
  let menu: SnoozeState

  /// Where the choices are, one a row.
  static func choices(of menu: SnoozeState, in body: Rect) -> Rect {
    body.splitBottom(min(menu.choices.count, body.height)).bottom
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
    // Where there is no room for all, the chosen one stays in sight.
    let first = max(0, min(menu.selected, menu.choices.count - 1) - choices.height + 1)
    for offset in 0..<choices.height where first + offset < menu.choices.count {
      draw(first + offset, in: choices.row(offset), on: &canvas)
    }
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
