import BellhopScreen
import BellhopText

/// Draws the inspection of an item over the whole body.
struct InspectPane {
  let inspect: InspectState

  func draw(_ layout: Layout, on canvas: inout Canvas) {
    if !layout.header.isEmpty {
      var line = StyledLine(" Inspect ", .accent)
      line.add(inspect.title, .text)
      if inspect.isGone {
        line.trailing = StyledLine.Piece(text: "no longer in the store ", role: .ghost)
      }
      canvas.put(line, in: layout.header)
    }
    let body = layout.body
    guard !inspect.lines.isEmpty else {
      canvas.put(
        StyledLine(inspect.isGone ? "  This item no longer exists." : "  …", .dim), in: body)
      return
    }
    for (offset, drawn) in inspect.lines.dropFirst(inspect.scroll).prefix(body.height).enumerated()
    {
      let row = body.row(offset)
      canvas.put(drawn.line, in: row)
      guard inspect.scroll + offset == inspect.cursor else { continue }
      canvas.put("▌", at: Point(x: row.x, y: row.y), in: row, role: .accent)
      canvas.select(row)
    }
  }
}
