package import BellhopText

/// What one cell of the screen shows.
package struct Cell: Hashable, Sendable {
  /// One cluster, as `SafeText` makes them; none for the second half of a wide one.
  package let glyph: Glyph
  package let role: StyleRole
  /// The selection's background lies over the role's colours.
  package let isSelected: Bool
  /// Drawn instead of the role's colours; nil for all but pictures.
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

  /// The cluster as text; empty for the second half of a wide one.
  package var text: String { glyph.text }
}

/// A whole screen as a value: graphemes and what they mean; colours only where a picture is.
///
/// Made by `Canvas`, so that what it says is always drawable: each wide character is followed by
/// its continuation in the same row, and nothing lies outside.
package struct Frame: Hashable, Sendable {
  package let size: Size
  /// Where the terminal's cursor is shown; nil hides it. Always inside `size`.
  package let cursor: Point?
  /// The window title.
  package let title: SafeText
  /// A picture of pixels over blank cells; at most one, always inside `size`.
  package let picture: FramePicture?
  var cells: [Cell]

  init(
    size: Size, cells: [Cell], cursor: Point?, title: SafeText, picture: FramePicture? = nil
  ) {
    self.size = size
    self.picture = picture
    self.cells = cells
    self.cursor = cursor
    self.title = title
  }

  /// The cell at a place; blank outside of the frame.
  package subscript(x: Int, y: Int) -> Cell {
    guard x >= 0, x < size.width, y >= 0, y < size.height else { return .blank }
    return cells[y * size.width + x]
  }

  /// The cells of a row, from left to right; none outside of the frame.
  package func row(_ y: Int) -> ArraySlice<Cell> {
    guard y >= 0, y < size.height else { return [] }
    return cells[(y * size.width)..<((y + 1) * size.width)]
  }

  /// The first plane: lines of text without blanks at their ends.
  package var glyphs: String {
    plane { cell, _ in cell.text }
  }

  /// The second plane: one letter a cell (see `StyleRole.letter`), upper case where selected.
  /// A blank stands for an unselected blank cell of role `text`, `p` for a cell with a paint, `#` for
  /// one under a picture of pixels.
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
