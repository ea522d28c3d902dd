import BellhopModel
import BellhopScreen
import BellhopText

/// Lines in an indented hierarchy, which can be folded.
struct Outline: Hashable, Sendable {
  struct Line: Hashable, Sendable {
    var indent: Int
    var text: StyledText
    /// Whether the line closes one above and joins it when folded, like a closing bracket.
    var isClosing = false
  }

  /// A line as drawn on the screen; a long one takes several.
  struct Drawn: Hashable, Sendable {
    /// The index of the line in ``Outline/lines``.
    var index: Int
    var line: StyledLine
  }

  private(set) var lines: [Line]
  /// The lines whose children are not drawn.
  private(set) var folded: Set<Int> = []

  /// The cells before a line's text: the cursor, a mark, a blank.
  static let markCells = 3
  /// The width below which long lines continue further left.
  private static let narrowWidth = 48
  /// The margin of continued lines on narrow screens.
  ///
  /// A margin of 4 keeps an id of 36 cells whole in 40, so that the user can copy it.
  private static let narrowMargin = 4

  init(_ lines: [Line]) { self.lines = lines }

  /// Folds the contents of lines deeper than `depth`.
  mutating func fold(deeperThan depth: Int) {
    folded = Set(lines.indices.filter { lines[$0].indent > depth && canFold($0) })
  }

  func canFold(_ index: Int) -> Bool {
    lines.indices.contains(index + 1) && lines[index + 1].indent > lines[index].indent
  }

  /// Folds or opens the line or, if it has no children, the line that contains it.
  ///
  /// - Returns: The line that was folded or opened; nil if there is none.
  mutating func toggle(_ index: Int) -> Int? {
    guard lines.indices.contains(index) else { return nil }
    var target: Int? = index
    if !canFold(index) {
      let indent = lines[index].indent
      target = lines[..<index].lastIndex {
        lines[index].isClosing ? $0.indent <= indent : $0.indent < indent
      }
    }
    guard let target, canFold(target) else { return nil }
    if folded.remove(target) == nil { folded.insert(target) }
    return target
  }

  /// Takes over the folds of another outline of the same form.
  mutating func takeFolds(of other: Outline) { folded = other.folded }

  /// Opens everything; if nothing is folded, folds everything.
  mutating func toggleAll() {
    folded = folded.isEmpty ? Set(lines.indices.filter(canFold)) : []
  }

  /// Returns the visible lines, wrapped to at most `width` cells.
  func drawn(width: Int) -> [Drawn] {
    var drawn: [Drawn] = []
    var index = 0
    while index < lines.count {
      let line = lines[index]
      var text = line.text
      var next = index + 1
      let isFolded = folded.contains(index)
      if isFolded {
        next = endOfInside(index)
        text.append("… " + amount(index + 1..<next), .dim)
        if next < lines.count, lines[next].isClosing, lines[next].indent == line.indent {
          for piece in lines[next].text.pieces { text.append(piece.text, piece.role) }
          next += 1
        }
      }
      let indent = min(line.indent * 2, max(0, width / 2 - Self.markCells))
      let mark: SafeText = canFold(index) ? (isFolded ? "▸ " : "▾ ") : "  "
      let margin: SafeText = " " + .blanks(indent) + mark
      let hang = width < Self.narrowWidth ? min(margin.width, Self.narrowMargin) : margin.width
      let rest = StyledLine.Piece(text: .blanks(hang), role: .dim)
      let first = StyledLine.Piece(text: margin.prefix(cells: hang), role: .dim)
      if hang < margin.width {
        // A margin that only the first line has is wrapped with the text.
        var whole = StyledText()
        whole.append(SafeText(String(margin.string.dropFirst(hang))), .dim)
        for piece in text.pieces { whole.append(piece.text, piece.role) }
        text = whole
      }
      drawn += text.lines(to: max(1, width), first: first, rest: rest)
        .map { Drawn(index: index, line: $0) }
      index = next
    }
    return drawn
  }

  private func endOfInside(_ index: Int) -> Int {
    let indent = lines[index].indent
    return lines[(index + 1)...].firstIndex { $0.indent <= indent } ?? lines.count
  }

  /// Returns the number of direct children.
  private func amount(_ inside: Range<Int>) -> SafeText {
    guard let first = inside.first else { return .empty }
    let count = lines[inside].count { $0.indent == lines[first].indent && !$0.isClosing }
    return "\(count.grouped)"
  }
}

extension Outline.Line {
  /// Creates a line of plain words.
  init(_ text: SafeText, _ role: StyleRole = .text, indent: Int = 0) {
    var styled = StyledText()
    styled.append(text, role)
    self.init(indent: indent, text: styled)
  }

  /// Creates a line with a name and a value: `name   value`
  init(_ name: SafeText, value: SafeText, role: StyleRole = .text, indent: Int = 1) {
    var styled = StyledText()
    styled.append(name.padded(to: max(name.width, Self.nameCells)) + " ", .dim)
    styled.append(value, role)
    self.init(indent: indent, text: styled)
  }

  private static let nameCells = 13
}
