internal import BellhopModel

/// A decoder for RFC 2047's encoded words, which mail tools and older clients send in headers.
enum EncodedWord {
  /// Decodes every well-formed UTF-8 word. Anything else stays unchanged.
  static func decode(_ text: String) -> String {
    guard text.contains("=?") else { return text }
    var result = ""
    var rest = text[...]
    var lastWasWord = false
    while let start = rest.firstRange(of: "=?") {
      let gap = rest[..<start.lowerBound]
      guard let (word, end) = word(rest[start.lowerBound...]) else {
        result += rest[..<start.upperBound]
        rest = rest[start.upperBound...]
        lastWasWord = false
        continue
      }
      // White space between two encoded words is not part of the text (RFC 2047 §6.2).
      if !(lastWasWord && gap.allSatisfy(\.isWhitespace)) { result += gap }
      result += word
      rest = rest[end...]
      lastWasWord = true
    }
    return result + rest
  }

  /// Parses `=?charset?encoding?text?=` at the start of the text.
  private static func word(_ text: Substring) -> (String, Substring.Index)? {
    let parts = text.dropFirst(2).split(
      separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, ["utf-8", "us-ascii"].contains(parts[0].lowercased()),
      parts[3].first == "="
    else { return nil }
    let bytes: [UInt8]?
    switch parts[1].lowercased() {
    case "b": bytes = Base64.decodeLeniently(String(parts[2]))
    case "q": bytes = quoted(parts[2])
    default: bytes = nil  // open: String
    }
    guard let bytes, let decoded = String(validating: bytes, as: UTF8.self) else { return nil }
    return (decoded, parts[3].index(after: parts[3].startIndex))
  }

  private static func quoted(_ text: Substring) -> [UInt8]? {
    var result: [UInt8] = []
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      switch byte {
      case UInt8(ascii: "_"): result.append(0x20)
      case UInt8(ascii: "="):
        guard let high = bytes.next(), let low = bytes.next(),
          let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
        else { return nil }
        result.append(value)
      default: result.append(byte)  // open: UInt8
      }
    }
    return result
  }
}
