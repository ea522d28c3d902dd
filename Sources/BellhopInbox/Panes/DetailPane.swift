import BellhopScreen
import BellhopText

/// Draws the lines of the item under the cursor from the scroll position.
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
    // A mark in the margin shows that lines continue beyond an edge.
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
  /// The words of the search that found the item; empty if there are none.
  let words: String

  /// Returns the number of rows that show the complete preview.
  static func rows(of row: RowSummary, width: Int) -> Int {
    2 + (row.preview.isEmpty ? 0 : row.preview.wrapped(to: max(1, width - 2)).count)
  }

  func draw(in rect: Rect, on canvas: inout Canvas) {
    let inner = rect.inset(left: 1, right: 1)
    var line = StyledLine(row.isRawOnly ? "data" : row.title, .accent)
    if !row.priority.label.isEmpty {
      line.trailing = StyledLine.Piece(text: row.priority.label, role: row.priority.role)
    }
    var lines = [line, StyledLine(row.app + " · " + time.full(row.arrival), .dim)]
    let room = inner.height - lines.count
    if room > 0, !row.preview.isEmpty {
      let body = row.preview.wrapped(to: inner.width)
      lines += body.prefix(room).enumerated().map { offset, text in
        let isCut = offset == room - 1 && body.count > room
        return StyledLine(isCut ? text.prefix(cells: inner.width - 1) + "…" : text)
      }
    }
    if let highlight = Highlight(words) { lines = highlight.highlighted(lines) }
    for (offset, line) in lines.enumerated() { canvas.put(line, in: inner.row(offset)) }
  }
}
