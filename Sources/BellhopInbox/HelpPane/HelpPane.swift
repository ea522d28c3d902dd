import BellhopManual
import BellhopScreen
import BellhopText

/// Draws the open page of the help over the body, with the filter or the title above.
struct HelpPane {
  let help: HelpState
  /// The lines of the page of keys.
  let keys: [StyledLine]

  func draw(_ layout: Layout, on canvas: inout Canvas) {
    switch help.page {
    case .keys:
      prompt(" Keys here: ", help.filter, in: layout.header, on: &canvas)
      draw(keys, from: help.scroll, in: layout.body, on: &canvas)
    case .topics(let cursor):
      prompt(" Topics: ", help.filter, in: layout.header, on: &canvas)
      draw(help.topics, cursor: cursor, in: layout.body, on: &canvas)
    case .reading(let reader):
      if let field = reader.field {
        prompt(" Find: ", field, in: layout.header, on: &canvas)
      } else if !layout.header.isEmpty {
        let title = StyledLine(
          " " + SafeText(reader.topic.title), .accent,
          trailing: StyledLine.Piece(text: reader.note + " ", role: .dim))
        canvas.put(title, in: layout.header)
      }
      DetailPane(lines: reader.lines, scroll: reader.scroll).draw(in: layout.body, on: &canvas)
    }
  }

  private func prompt(
    _ label: SafeText, _ field: TextField, in header: Rect, on canvas: inout Canvas
  ) {
    guard !header.isEmpty else { return }
    let prompt = label + field.drawn
    canvas.put(StyledLine(prompt.truncated(to: header.width - 1), .accent), in: header)
    canvas.cursor = Point(x: min(prompt.width, header.width - 1), y: header.y)
  }

  private func draw(
    _ lines: [StyledLine], from scroll: Int, in body: Rect, on canvas: inout Canvas
  ) {
    let body = body.inset(left: 1, right: 1)
    let start = min(max(0, scroll), lines.count)
    for (offset, line) in lines[start...].prefix(body.height).enumerated() {
      canvas.put(line, in: body.row(offset))
    }
  }

  /// Returns the first topic shown in a list of some height, so that the cursor is visible.
  static func firstTopic(cursor: Int, height: Int) -> Int { max(0, cursor - height + 1) }

  private func draw(_ topics: [Topic], cursor: Int, in body: Rect, on canvas: inout Canvas) {
    guard !topics.isEmpty else {
      return canvas.put(StyledLine(" No topic contains that.", .dim), in: body)
    }
    let nameWidth = (Manual.user.map(\.name.count).max() ?? 0) + 4
    let first = Self.firstTopic(cursor: cursor, height: body.height)
    for (offset, topic) in topics.dropFirst(first).prefix(body.height).enumerated() {
      let row = body.row(offset)
      let name = SafeText("  " + topic.name).padded(to: min(nameWidth, row.width))
      var line = StyledLine(name, .code)
      line.add(SafeText(topic.summary), .text)
      canvas.put(line, in: row)
      guard first + offset == cursor else { continue }
      canvas.put("▌", at: Point(x: row.x, y: row.y), in: row, role: .accent)
      canvas.select(row)
    }
  }
}
