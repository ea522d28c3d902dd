/// A text in pieces with a role each, before wrapping.
package struct RoleText<Role: Hashable & Sendable>: Hashable, Sendable {
  /// A part of the text with one role.
  package struct Piece: Hashable, Sendable {
    package var text: SafeText
    package var role: Role

    package init(text: SafeText, role: Role) {
      self.text = text
      self.role = role
    }
  }

  package private(set) var pieces: [Piece] = []

  package init() {}

  package init(_ text: SafeText, _ role: Role) { append(text, role) }

  package var isEmpty: Bool { pieces.allSatisfy(\.text.isEmpty) }

  /// The width on one line, in cells.
  package var width: Int { pieces.reduce(0) { $0 + $1.text.width } }

  package mutating func append(_ text: SafeText, _ role: Role) {
    guard !text.isEmpty else { return }
    if let last = pieces.last, last.role == role {
      pieces[pieces.count - 1].text = last.text + text
    } else {
      pieces.append(Piece(text: text, role: role))
    }
  }

  /// Wraps the text to lines of at most `cells` cells, as ``SafeText/wrapped(to:)`` does.
  ///
  /// - Parameters:
  ///   - first: The margin of the first line.
  ///   - rest: The margin of all other lines; as wide as `first`.
  package func wrapped(to cells: Int, first: Piece? = nil, rest: Piece? = nil) -> [RoleText] {
    let room = max(1, cells - (first?.text.width ?? 0))
    let whole = SafeText.joined(pieces.map(\.text), by: .empty)
    var roles = RoleWalk(pieces)
    return whole.wrapped(to: room).enumerated().map { index, line in
      var wrapped = RoleText()
      if let prefix = index == 0 ? first : rest { wrapped.append(prefix.text, prefix.role) }
      roles.skipBlanks(before: line)
      line.forEachCluster { cluster in
        if let role = roles.next() { wrapped.append(SafeText(cluster.text), role) }
      }
      return wrapped
    }
  }
}

/// The role of each cluster of a text, one after another.
private struct RoleWalk<Role: Hashable & Sendable> {
  private let clusters: [(isBlank: Bool, role: Role)]
  private var position = 0

  init(_ pieces: [RoleText<Role>.Piece]) {
    clusters = pieces.flatMap { piece in
      piece.text.clusters.map { ($0.text == " ", piece.role) }
    }
  }

  /// Skips the blanks that wrapping dropped at a break; it drops nothing else.
  mutating func skipBlanks(before line: SafeText) {
    guard line.string.first != " " else { return }
    while position < clusters.count, clusters[position].isBlank { position += 1 }
  }

  /// Returns the role of the next cluster; after the end, that of the last one.
  mutating func next() -> Role? {
    guard position < clusters.count else { return clusters.last?.role }
    defer { position += 1 }
    return clusters[position].role
  }
}
