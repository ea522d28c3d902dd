internal import BellhopWire
internal import HTTPTypes

/// What came to a web hook, for the places of a template to be filled from.
struct HookInput {
  var body: JSONValue
  var headers: HTTPFields

  /// The first of the texts whose places are all there, and that is not empty.
  func first(of texts: [String]) -> String? {
    texts.lazy.compactMap { filled($0)?.trimmed }.first { !$0.isEmpty }
  }

  /// The text with its places filled.
  ///
  /// - Parameter isLenient: whether a place that is not there is left out, instead of the text.
  func filled(_ text: String, isLenient: Bool = false) -> String? {
    var result = ""
    for piece in HookText.pieces(text) ?? [] {
      switch piece {
      case .plain(let text): result += text
      case .place(let alternatives):
        if let value = alternatives.lazy.compactMap({ value(at: $0) }).first {
          result += MessageText.beginning(of: value, bytesMax: HookText.bytesMax)
        } else if !isLenient {
          return nil
        }
      }
      // A text that grows beyond what any field takes is cut there anyway.
      if result.utf8.count > HookText.bytesMax { break }
    }
    if isLenient {
      result = result.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        .joined(separator: " ")
    }
    return result
  }

  private func value(at place: HookText.Place) -> String? {
    guard let value = text(at: place.path), !value.isEmpty else { return nil }
    guard let wanted = place.value else { return value }
    return value == wanted ? value : nil
  }

  private func text(at path: Substring) -> String? {
    if path.first == "@" { return HTTPField.Name(String(path.dropFirst())).flatMap { headers[$0] } }
    var value = body
    for step in path.split(separator: ".") where step != "$" {
      switch value {
      case .object(let members):
        guard let member = members[String(step)] else { return nil }
        value = member
      case .array(let elements):
        guard let index = Int(step), elements.indices.contains(index) else { return nil }
        value = elements[index]
      case .null, .bool, .number, .string: return nil
      }
    }
    switch value {
    case .string(let text): return text
    case .number(let text): return text
    case .bool(let flag): return flag ? "true" : "false"
    case .null, .array, .object: return nil
    }
  }
}

/// A template's text, taken apart.
enum HookText {
  enum Piece: Hashable {
    case plain(String)
    /// The first of these that is there.
    case place([Place])
  }

  /// A member, and the value that it must have if it is to count.
  struct Place: Hashable {
    var path: Substring
    var value: Substring?
  }

  static let bytesMax = 64 * 1024

  static func isWellFormed(_ text: String) -> Bool { pieces(text) != nil }

  /// The pieces of a text; nil when a brace is not closed or holds nothing. Two braces are one.
  static func pieces(_ text: String) -> [Piece]? {
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
