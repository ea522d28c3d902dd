/// What one cell, or two neighbouring cells, of a terminal show.
///
/// One spacing character and at most four combining ones: that is what a cell of ncurses and of
/// tmux holds, so nothing is cut or counted differently below.
public struct Cluster: Hashable, Sendable {
  /// One spacing scalar and the combining scalars that belong to it; never a control character.
  public let text: String
  /// Cells: 1 or 2.
  public let width: Int

  /// A blank cell.
  public static let space = Cluster(text: " ", width: 1)
}
