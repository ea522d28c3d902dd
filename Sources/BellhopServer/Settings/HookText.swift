/// A template's text, taken apart.
package enum HookText {
  package enum Piece: Hashable {
    case plain(String)
    /// The first of these that is there.
    case place([Place])
  }

  /// A member, and the value that it must have if it is to count.
  package struct Place: Hashable {
    package var path: Substring
    package var value: Substring?
  }

  static func isWellFormed(_ text: String) -> Bool { pieces(text) != nil }

  /// The pieces of a text; nil when a brace is not closed or holds nothing. Two braces are one.
  package static func pieces(_ text: String) -> [Piece]? {
    var pieces: [Piece] = []
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      if brace > rest.startIndex { pieces.append(.plain(String(rest[..<brace]))) }
      rest = rest[rest.index(after: brace)...]
      if rest.first == "{" {
        pieces.append(.plain("{"))
        rest.removeFirst()
        continue
      }
      guard let end = rest.firstIndex(of: "}") else { return nil }
      let places = rest[..<end].split(separator: "|", omittingEmptySubsequences: false).map {
        let halves = $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return Place(path: halves[0], value: halves.count > 1 ? halves[1] : nil)
      }
      guard places.allSatisfy({ !$0.path.isEmpty && $0.path != "@" }) else { return nil }
      pieces.append(.place(places))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { pieces.append(.plain(String(rest))) }
    return pieces
  }
}
