import BellhopScreen
import BellhopText

/// A text with several roles, before wrapping.
struct StyledText: Hashable, Sendable {
  private(set) var pieces: [StyledLine.Piece] = []

  var isEmpty: Bool { pieces.allSatisfy(\.text.isEmpty) }

  mutating func append(_ text: SafeText, _ role: StyleRole) {
    guard !text.isEmpty else { return }
    if let last = pieces.last, last.role == role {
      pieces[pieces.count - 1].text = last.text + text
    } else {
      pieces.append(StyledLine.Piece(text: text, role: role))
    }
  }

  /// Wraps the text to lines of at most `cells` cells, as ``SafeText/wrapped(to:)`` does.
  ///
  /// - Parameters:
  ///   - first: The margin of the first line.
  ///   - rest: The margin of all other lines; as wide as `first`.
  func lines(
    to cells: Int, first: StyledLine.Piece? = nil, rest: StyledLine.Piece? = nil
  ) -> [StyledLine] {
    let room = max(1, cells - (first?.text.width ?? 0))
    let whole = SafeText.joined(pieces.map(\.text), by: .empty)
    var roles = RoleWalk(pieces)
    return whole.wrapped(to: room).enumerated().map { index, line in
      var styled = StyledText()
      if let prefix = index == 0 ? first : rest { styled.append(prefix.text, prefix.role) }
      roles.skipBlanks(before: line)
      line.forEachCluster { styled.append(SafeText($0.text), roles.next()) }
      return StyledLine(styled.pieces)
    }
  }
}

/// The role of each cluster of a text, one after another.
private struct RoleWalk {
  private let clusters: [(isBlank: Bool, role: StyleRole)]
  private var position = 0

  init(_ pieces: [StyledLine.Piece]) {
    clusters = pieces.flatMap { piece in
      piece.text.clusters.map { ($0.text == " ", piece.role) }
    }
  }

  /// Skips the blanks that wrapping dropped at a break; it drops nothing else.
  mutating func skipBlanks(before line: SafeText) {
    guard line.string.first != " " else { return }
    while position < clusters.count, clusters[position].isBlank { position += 1 }
  }

  mutating func next() -> StyleRole {
    guard position < clusters.count else { return .text }
    defer { position += 1 }
    return clusters[position].role
  }
}

extension StyledLine {
  init(_ pieces: [Piece]) {
    self.init(.empty)
    if !pieces.isEmpty { self.pieces = pieces }
  }
}
