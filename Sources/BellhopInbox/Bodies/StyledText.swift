import BellhopScreen
import BellhopText

/// A text with several roles of style, before wrapping.
typealias StyledText = RoleText<StyleRole>

extension StyledText {
  /// Wraps the text to lines of at most `cells` cells; see ``RoleText/wrapped(to:first:rest:)``.
  func lines(
    to cells: Int, first: StyledLine.Piece? = nil, rest: StyledLine.Piece? = nil
  ) -> [StyledLine] {
    wrapped(to: cells, first: first, rest: rest).map { StyledLine($0.pieces) }
  }
}

extension StyledLine {
  init(_ pieces: [Piece]) {
    self.init(.empty)
    if !pieces.isEmpty { self.pieces = pieces }
  }
}
