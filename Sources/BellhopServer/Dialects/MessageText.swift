internal import BellhopModel

/// Between messages of other services, which need no title, and items, which have one.
enum MessageText {
  /// A title made from a message is cut here, well below what a store takes.
  private static let titleBytesMax = 200

  /// Without a title the message's first line is the title, and the body is there only when it says
  /// more.
  static func visual(title: String?, message: String) -> VisualContent {
    if let title, !title.trimmed.isEmpty { return VisualContent(title: title, body: message) }
    let line =
      message.split(whereSeparator: \.isNewline).first { !$0.trimmed.isEmpty } ?? "triggered"
    let short = clipped(String(line), bytesMax: titleBytesMax)
    return VisualContent(title: short, body: short == message ? nil : message)
  }

  /// The other way round: no title where it is but the beginning of the message.
  static func texts(of visual: VisualContent) -> (title: String?, message: String) {
    let lines = [visual.subtitle, visual.body].compactMap { $0 }.filter { !$0.isEmpty }
    if lines.isEmpty { return (nil, visual.title) }
    let message = lines.joined(separator: "\n")
    let isUntitled = Self.visual(title: nil, message: message).title == visual.title
    return (isUntitled ? nil : visual.title, message)
  }

  /// The text, cut between two characters if it is too long, and without U+0000, which no text of
  /// the store has.
  static func clipped(_ text: String, bytesMax: Int) -> String {
    var short = ""
    var count = 0
    for character in text where character != "\0" {
      count += character.utf8.count
      if count > bytesMax - 3 {
        guard text.utf8.count > bytesMax else { return text.filter { $0 != "\0" } }
        return short + "…"
      }
      short.append(character)
    }
    return short
  }
}
