import BellhopScreen
import BellhopText

/// A piece of a header or footer, with the command of a click on it.
struct Span: Hashable, Sendable {
  var text: SafeText
  var role: StyleRole
  var command: Command?

  init(_ text: SafeText, _ role: StyleRole = .text, _ command: Command? = nil) {
    self.text = text
    self.role = role
    self.command = command
  }
}

struct PlacedSpan: Hashable, Sendable {
  var x: Int
  var span: Span
}

extension [Span] {
  var width: Int { reduce(0) { $0 + $1.text.width } }

  /// Places the spans one after another from column `x`.
  func placed(at x: Int) -> [PlacedSpan] {
    var x = x
    return map { span in
      defer { x += span.text.width }
      return PlacedSpan(x: x, span: span)
    }
  }
}

extension Canvas {
  /// Draws spans in the first row of `rect`, with columns counted from its left edge.
  mutating func put(_ spans: [PlacedSpan], in rect: Rect) {
    for placed in spans {
      put(
        placed.span.text, at: Point(x: rect.x + placed.x, y: rect.y), in: rect,
        role: placed.span.role)
    }
  }

  /// Draws a line of pieces, cut at the right edge.
  mutating func put(_ line: StyledLine, in rect: Rect) {
    guard !rect.isEmpty else { return }
    var room = rect.width
    var x = rect.x
    if let piece = line.trailing, piece.text.width + 1 < room {
      room -= piece.text.width + 1
      put(
        piece.text, at: Point(x: rect.maxX - piece.text.width, y: rect.y), in: rect,
        role: piece.role)
    }
    for piece in line.pieces where room > 0 {
      let used = put(
        piece.text.truncated(to: room), at: Point(x: x, y: rect.y), in: rect, role: piece.role)
      x += used
      room -= used
    }
  }
}
