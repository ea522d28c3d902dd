/// The parser of a template's text.
package enum HookText {
  package enum Piece: Hashable {
    case plain(String)
    /// The first of these places that exists.
    case place([Place])
  }

  /// A member, and the value without which it does not count.
  package struct Place: Hashable {
    package var path: Substring
    package var value: Substring?
  }

  static func isWellFormed(_ text: String) -> Bool { pieces(text) != nil }

  /// The pieces of a text; nil if a brace is not closed or empty. `{{` is one brace.
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
