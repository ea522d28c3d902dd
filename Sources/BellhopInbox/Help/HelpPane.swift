import BellhopScreen
import BellhopText

/// Draws the keys of the user's current place over the body, with the filter above.
struct HelpPane {
  let help: HelpState
  let lines: [StyledLine]

  func draw(_ layout: Layout, on canvas: inout Canvas) {
    let header = layout.header
    if !header.isEmpty {
      let prompt: SafeText = " Keys here: " + help.filter.drawn
      canvas.put(StyledLine(prompt.truncated(to: header.width - 1), .accent), in: header)
      canvas.cursor = Point(x: min(prompt.width, header.width - 1), y: header.y)
    }
    let body = layout.body.inset(left: 1, right: 1)
    let start = min(max(0, help.scroll), lines.count)
    for (offset, line) in lines[start...].prefix(body.height).enumerated() {
      canvas.put(line, in: body.row(offset))
    }
  }
}
