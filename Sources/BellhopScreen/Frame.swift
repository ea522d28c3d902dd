package import BellhopText

/// The contents of one cell of the screen.
package struct Cell: Hashable, Sendable {
  /// One cluster, as produced by `SafeText`; none for the second half of a wide character.
  package let glyph: Glyph
  package let role: StyleRole
  /// Whether the selection's background is drawn over the role's colours.
  package let isSelected: Bool
  /// The colours used instead of the role's; nil except for pictures.
  package let paint: Paint?

  init(_ glyph: Glyph, role: StyleRole, isSelected: Bool, paint: Paint? = nil) {
    self.glyph = glyph
    self.role = role
    self.isSelected = isSelected
    self.paint = paint
  }

  /// An empty cell.
  package static let blank = Cell(.space, role: .text, isSelected: false)

  /// The second half of a wide character.
  package var isContinuation: Bool { glyph.isNone }

  /// The cluster as text; empty for the second half of a wide character.
  package var text: String { glyph.text }
}

/// A whole screen as a value: graphemes and their roles, with colours only for pictures.
///
/// Made by `Canvas`, so it can always be drawn: each wide character is followed by its continuation
/// in the same row, and everything is inside `size`.
package struct Frame: Hashable, Sendable {
  package let size: Size
  /// The position of the terminal's cursor, always inside `size`; nil hides it.
  package let cursor: Point?
  /// The window title.
  package let title: SafeText
  /// A pixel image over blank cells, always inside `size`; at most one per frame.
  package let picture: FramePicture?
  var cells: [Cell]

  /// The cell at a position; blank outside the frame.
  package subscript(x: Int, y: Int) -> Cell {
    guard x >= 0, x < size.width, y >= 0, y < size.height else { return .blank }
    return cells[y * size.width + x]
  }

  /// Returns the cells of a row, from left to right; empty outside the frame.
  package func row(_ y: Int) -> ArraySlice<Cell> {
    guard y >= 0, y < size.height else { return [] }
    return cells[(y * size.width)..<((y + 1) * size.width)]
  }

  /// The first plane: lines of text without trailing blanks.
  package var glyphs: String {
    plane { cell, _ in cell.text }
  }

  /// The second plane: one letter per cell (see `StyleRole.letter`), upper case if selected.
  ///
  /// A blank means an unselected blank cell of role `text`, `p` a cell with a paint, `#` a cell
  /// under a pixel image.
  package var roles: String {
    plane { cell, point in
      if let picture, picture.place.contains(point) { return "#" }
      if cell == .blank { return " " }
      if cell.paint != nil { return "p" }
      let letter = String(cell.role.letter)
      return cell.isSelected ? letter.uppercased() : letter
    }
  }

  private func plane(_ text: (Cell, Point) -> String) -> String {
    (0..<size.height).map { y in
      var line = row(y).enumerated().map { text($1, Point(x: $0, y: y)) }.joined()
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
