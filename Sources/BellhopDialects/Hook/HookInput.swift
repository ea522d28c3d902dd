internal import BellhopServer
internal import BellhopWire
internal import HTTPTypes

/// The request of a web hook, which fills the placeholders of a template.
struct HookInput {
  var body: JSONValue
  var headers: HTTPFields

  /// The maximum size of a value. A filled text exceeds it by at most one piece.
  ///
  /// No field accepts more.
  static let bytesMax = 64 * 1024

  /// Returns the first text that is not empty and whose placeholders all have values.
  func first(of texts: [String]) -> String? {
    texts.lazy.compactMap { filled($0)?.trimmed }.first { !$0.isEmpty }
  }

  /// Returns the text with its placeholders filled.
  ///
  /// - Parameter isLenient: Whether to omit a placeholder without a value, instead of the whole
  ///   text.
  func filled(_ text: String, isLenient: Bool = false) -> String? {
    var result = ""
    for piece in HookText.pieces(text) ?? [] {
      switch piece {
      case .plain(let text): result += text
      case .place(let alternatives):
        if let value = alternatives.lazy.compactMap({ value(at: $0) }).first {
          result += MessageText.beginning(of: value, bytesMax: Self.bytesMax)
        } else if !isLenient {
          return nil
        }
      }
      // Every field would cut a text of this size anyway.
      if result.utf8.count > Self.bytesMax { break }
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
