import BellhopModel
import BellhopScreen
import BellhopText

/// Draws the ways to be left in peace at the bottom of the body.
struct QuietPane {
  let state: InboxState
  let menu: QuietState

  /// Where the choices are, one a row.
  static func choices(of menu: QuietState, in body: Rect) -> Rect {
    body.splitBottom(min(menu.choices.count, body.height)).bottom
  }

  /// The first choice drawn: where there is no room for all, the chosen one stays in sight.
  static func first(of menu: QuietState, height: Int) -> Int {
    max(0, menu.selected - height + 1)
  }

  func draw(in body: Rect, on canvas: inout Canvas) {
    let choices = Self.choices(of: menu, in: body)
    var above = Rect(x: body.x, y: body.y, width: body.width, height: choices.y - body.y)
    if above.height > 0 {
      let title = above.splitBottom(1).bottom
      canvas.fill(title)
      canvas.put(
        StyledLine(" Do not disturb, on every device", .accent), in: title.inset(right: 1))
      above = above.splitBottom(1).rest
    }
    if above.height > 0 {
      let rule = above.splitBottom(1).bottom
      canvas.fill(rule)
      canvas.horizontalRule(rule, role: .ruleFocus)
    }
    let first = Self.first(of: menu, height: choices.height)
    for offset in 0..<choices.height where first + offset < menu.choices.count {
      draw(first + offset, in: choices.row(offset), on: &canvas)
    }
  }

  private func draw(_ index: Int, in rect: Rect, on canvas: inout Canvas) {
    let choice = menu.choices[index]
    let isSelected = index == menu.selected
    canvas.fill(rect)
    var line = StyledLine(isSelected ? "▌" : " ", .accent)
    line.pieces.append(StyledLine.Piece(text: SafeText("\(index + 1)  "), role: .accent))
    line.pieces.append(StyledLine.Piece(text: choice.title.padded(to: 22), role: .text))
    if let until = choice.mute.end {
      line.pieces.append(StyledLine.Piece(text: state.timeText.full(until), role: .snoozed))
    }
    canvas.put(line, in: rect)
    if isSelected { canvas.select(rect) }
  }
}
