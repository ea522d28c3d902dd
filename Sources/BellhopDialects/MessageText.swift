internal import BellhopModel
internal import BellhopServer

/// Conversions between items and messages of other services, which need no title.
enum MessageText {
  /// The maximum size of a title made from a message, well below the store's limit.
  private static let titleBytesMax = 200

  /// Returns the visual content of a message.
  ///
  /// Without a title, the message's first line is the title, and the body is present only if it
  /// contains more.
  static func visual(title: String?, message: String) -> VisualContent {
    if let title, !title.isBlank { return VisualContent(title: title, body: message) }
    let short = clipped(firstLine(of: message) ?? "triggered", bytesMax: titleBytesMax)
    return VisualContent(title: short, body: short == message ? nil : message)
  }

  /// Returns the first line that is not blank; nil if there is none.
  ///
  /// A line longer than a title may be cut, but stays longer than a title.
  private static func firstLine(of message: String) -> String? {
    let scalars = message.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }) else { return nil }
    let before = scalars[..<first].lastIndex(where: isNewline)
    let start = before.map { scalars.index(after: $0) } ?? scalars.startIndex
    let line = scalars[start...].prefix(2 * titleBytesMax).prefix { !isNewline($0) }
    return String(Substring(line))
  }

  private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\u{a}"..."\u{d}", "\u{85}", "\u{2028}", "\u{2029}": true
    default: false  // open: Unicode.Scalar
    }
  }

  /// Returns the title and message of an item's content.
  ///
  /// The title is nil if it is only the beginning of the message.
  static func texts(of visual: VisualContent) -> (title: String?, message: String) {
    let lines = [visual.subtitle, visual.body].compactMap { $0 }.filter { !$0.isEmpty }
    if lines.isEmpty { return (nil, visual.title) }
    let message = lines.joined(separator: "\n")
    let isUntitled = Self.visual(title: nil, message: message).title == visual.title
    return (isUntitled ? nil : visual.title, message)
  }

  /// Returns the text, cut between two characters if it is too long.
  ///
  /// Removes U+0000, which the store allows in no text.
  static func clipped(_ text: String, bytesMax: Int) -> String {
    var text = text
    if text.utf8.contains(0) {
      text = String(decoding: text.utf8.filter { $0 != 0 }, as: UTF8.self)
    }
    guard text.utf8.count > bytesMax else { return text }
    var short = ""
    var count = 0
    // One byte beyond the limit shows where the last fitting character ends.
    for character in beginning(of: text, bytesMax: bytesMax + 1) {
      count += character.utf8.count
      if count > bytesMax - 3 { break }
      short.append(character)
    }
    return short + "…"
  }

  /// Returns the beginning of a text, cut between two scalars, however long its characters are.
  static func beginning(of text: String, bytesMax: Int) -> String {
    guard text.utf8.count > bytesMax else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: bytesMax)
    while UTF8.isContinuation(text.utf8[end]) { end = text.utf8.index(before: end) }
    return String(text[..<end])
  }
}

extension UserNotification {
  /// The level in messages of other services: at most `low` if a rule silences the item.
  ///
  /// Their clients have no other sign of silence, and ring by the level.
  var announcedPriority: Priority {
    isSilenced ? min(effectivePriority, .low) : effectivePriority
  }
}
