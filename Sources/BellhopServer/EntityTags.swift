/// The tags of `If-Match` and `If-None-Match`: `*`, or a list of them (RFC 9110 §13.1, §8.8.3).
struct EntityTags: Sendable, Hashable {
  let isAny: Bool
  /// The tags without quotes and weakness marks.
  private(set) var values: [String] = []
  /// Whether a part of the header is not a valid tag.
  private(set) var isDamaged = false

  /// Parses a header. Accepts tags without quotes, which many clients send.
  ///
  /// Commas within quotes are part of their tag. Empty list elements are ignored (§5.6.1).
  init(_ header: String) {
    isAny = header.trimmed == "*"
    guard !isAny else { return }
    var rest = header[...]
    func skip(_ isSkipped: (Character) -> Bool) {
      while let first = rest.first, isSkipped(first) { rest.removeFirst() }
    }
    while true {
      skip { $0 == "," || $0.isWhitespace }
      guard !rest.isEmpty else { break }
      if rest.hasPrefix("W/") { rest.removeFirst(2) }
      if rest.first == "\"" {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "\"") else {
          isDamaged = true
          return
        }
        values.append(String(rest[..<end]))
        rest = rest[rest.index(after: end)...]
        skip { $0 != "," && $0.isWhitespace }
        guard rest.isEmpty || rest.first == "," else {
          isDamaged = true
          return
        }
      } else {
        let tag = rest.prefix { $0 != "," }
        guard !tag.contains("\""), tag.trimmed != "*" else {
          isDamaged = true
          return
        }
        values.append(tag.trimmed)
        rest = rest.dropFirst(tag.count)
      }
    }
    isDamaged = values.isEmpty
  }

  /// Whether the header contains the quoted tag.
  func match(_ tag: String) -> Bool {
    isAny || values.contains(String(tag.dropFirst().dropLast()))
  }
}
