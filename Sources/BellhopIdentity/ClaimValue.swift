internal import BellhopWire

/// The value of a claim, reduced to the kinds that the store reads.
enum ClaimValue: Hashable, Sendable, Decodable {
  case text(String)
  case number(Double)
  case flag(Bool)
  /// A list whose elements are all text.
  case texts([String])
  /// Null, an object or any other list.
  case other

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let texts = try? container.decode([String].self) {
      self = .texts(texts)
    } else {
      self = .other
    }
  }

  /// The text, or the one element of a list.
  var text: String? {
    switch self {
    case .text(let text): text
    case .texts(let texts): texts.count == 1 ? texts[0] : nil
    case .number, .flag, .other: nil
    }
  }

  /// The elements of a list, or the one text.
  var elements: [String] {
    switch self {
    case .text(let text): [text]
    case .texts(let texts): texts
    case .number, .flag, .other: []
    }
  }

  /// The elements of a list, or the space-separated words of a text, as in scopes (RFC 6749 §3.3).
  var words: [String] {
    switch self {
    case .text(let text): text.split(separator: " ").map(String.init)
    case .texts(let texts): texts
    case .number, .flag, .other: []
    }
  }
}
