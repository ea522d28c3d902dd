internal import BellhopModel
internal import HTTPTypes
internal import Hummingbird

/// The parameters of an ntfy request: header first, then query, under any of their names.
struct NtfyParameters {
  /// Each parameter with the names it goes by.
  private static let names: [String: [String]] = [
    "title": ["x-title", "title", "t"],
    "message": ["x-message", "message", "m"],
    "priority": ["x-priority", "priority", "prio", "p"],
    "tags": ["x-tags", "tags", "tag", "ta"],
    "click": ["x-click", "click"],
    "icon": ["x-icon", "icon"],
    "markdown": ["x-markdown", "markdown", "md"],
    "sequence-id": ["x-sequence-id", "sequence-id", "sid"],
    "attach": ["x-attach", "attach", "a"],
    "filename": ["x-filename", "filename", "file", "f"],
    "actions": ["x-actions", "actions", "action"],
    "delay": ["x-delay", "delay", "x-at", "at", "x-in", "in"],
  ]

  /// Passing over these would do something else than was asked.
  private static let unsupported = ["delay", "attach", "filename", "actions"]

  private var values: [String: String] = [:]

  init(_ exchange: Exchange) {
    for (parameter, names) in Self.names {
      if let value = names.lazy.compactMap({ name in
        Self.header(name, in: exchange.request.headers)
      }).first ?? names.lazy.compactMap({ exchange.query[$0] }).first {
        values[parameter] = value
      }
    }
    if exchange.request.headers[.contentType]?.lowercased().hasPrefix("text/markdown") == true {
      values["markdown"] = "yes"
    }
  }

  /// The parameter, trimmed; nil when it is missing or empty.
  subscript(parameter: String) -> String? {
    guard let value = values[parameter]?.trimmed, !value.isEmpty else { return nil }
    return value
  }

  /// The comma-separated values of the parameter.
  func list(_ parameter: String) -> [String] {
    (self[parameter] ?? "").split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
  }

  /// Whether the parameter says yes.
  func isTrue(_ parameter: String) -> Bool {
    ["1", "true", "yes"].contains(self[parameter]?.lowercased() ?? "")
  }

  /// The level; 1 to 5 or its word.
  func priority() throws -> Priority {
    guard let text = self["priority"] else { return .normal }
    if let number = Int(text), let priority = Priority(rawValue: number) { return priority }
    let isNtfyWord = !["normal", "none"].contains(text.lowercased())
    guard isNtfyWord, let priority = Priority(name: text) else {
      throw Failure.badRequest(
        "The priority is wrong: expected 1 to 5, min, low, default, high, max or urgent.",
        ntfyCode: 40007)
    }
    return priority
  }

  /// Fails for what ntfy knows and this store does not yet.
  func refuseUnsupported() throws {
    for parameter in Self.unsupported where self[parameter] != nil {
      throw Failure.badRequest(
        "The parameter \(parameter) is not supported yet; nothing was published.")
    }
  }

  /// Everything in the parameters that shapes a publication, for an idempotency key.
  var fingerprint: [[UInt8]] {
    values.sorted { $0.key < $1.key }.flatMap { [Array($0.key.utf8), Array($0.value.utf8)] }
  }

  private static func header(_ name: String, in headers: HTTPFields) -> String? {
    guard let field = HTTPField.Name(name), let value = headers[field], !value.isEmpty else {
      return nil
    }
    // Browsers and curl send RFC 9218's Priority: u=1, i by themselves.
    if name == "priority", value.hasPrefix("u="), value.count <= 6 { return nil }
    return EncodedWord.decode(value)
  }
}

/// Header text in RFC 2047's encoded words, as mail tools and older clients send it.
enum EncodedWord {
  /// The text with every well-formed UTF-8 word decoded; anything else stays as it is.
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

  /// `=?charset?encoding?text?=` at the start of the text.
  private static func word(_ text: Substring) -> (String, Substring.Index)? {
    let parts = text.dropFirst(2).split(
      separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, ["utf-8", "us-ascii"].contains(parts[0].lowercased()),
      parts[3].first == "="
    else { return nil }
    let bytes: [UInt8]?
    switch parts[1].lowercased() {
    case "b": bytes = Base64.decode(String(parts[2]))
    case "q": bytes = quoted(parts[2])
    default: bytes = nil
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
      default: result.append(byte)
      }
    }
    return result
  }
}
