import BellhopScreen
import BellhopText

/// Draws the lines of the item under the cursor from where the person has scrolled to.
struct DetailPane {
  let lines: [StyledLine]
  let scroll: Int

  func draw(in rect: Rect, on canvas: inout Canvas) {
    let inner = rect.inset(left: 1, right: 1)
    let start = min(max(0, scroll), lines.count)
    for (offset, line) in lines[start...].prefix(inner.height).enumerated() {
      canvas.put(line, in: inner.row(offset))
    }
    guard lines.count > start + inner.height || start > 0, inner.height > 1 else { return }
    // A mark in the margin says that lines lie beyond an edge.
    if start > 0 { mark("↑", x: rect.maxX - 1, y: rect.y, rect, &canvas) }
    if lines.count > start + inner.height {
      mark("↓", x: rect.maxX - 1, y: rect.maxY - 1, rect, &canvas)
    }
  }

  private func mark(_ text: SafeText, x: Int, y: Int, _ rect: Rect, _ canvas: inout Canvas) {
    canvas.put(text, at: Point(x: x, y: y), in: rect, role: .accent)
  }
}

/// Draws title, app and time of the item under the cursor, and as much of its body as fits.
struct DetailPreview {
  let row: RowSummary
  let time: TimeText

  /// How many rows show everything that there is to show.
  static func rows(of row: RowSummary, width: Int) -> Int {
    2 + (row.preview.isEmpty ? 0 : row.preview.wrapped(to: max(1, width - 2)).count)
  }

  func draw(in rect: Rect, on canvas: inout Canvas) {
    let inner = rect.inset(left: 1, right: 1)
    var line = StyledLine(row.isRawOnly ? "data" : row.title, .accent)
    if !row.priority.label.isEmpty {
      line.trailing = StyledLine.Piece(text: row.priority.label, role: row.priority.role)
    }
    canvas.put(line, in: inner.row(0))
    canvas.put(
      StyledLine(row.app + " · " + time.full(row.arrival), .dim), in: inner.row(1))
    let room = inner.height - 2
    guard room > 0, !row.preview.isEmpty else { return }
    let body = row.preview.wrapped(to: inner.width)
    for (offset, text) in body.prefix(room).enumerated() {
      let isCut = offset == room - 1 && body.count > room
      let shown = isCut ? text.prefix(cells: inner.width - 1) + "…" : text
      canvas.put(StyledLine(shown), in: inner.row(2 + offset))
    }
  }
}
