package import BellhopModel
package import BellhopText

/// An item as text that leaves the screen: for the clipboard, or the standard input of a command.
package struct ItemText: Hashable, Sendable {
  /// `#12 · build 412 failed`, to say which one it is.
  package var title: SafeText
  /// What is copied or piped.
  package var text: String

  package init(title: SafeText, text: String) {
    self.title = title
    self.text = text
  }

  /// Title, subtitle and body of an item; raw content of one that has nothing else.
  ///
  /// - Parameter json: In place of its text.
  package init(_ item: UserNotification, json: String? = nil) {
    let content = item.content
    let name: SafeText = content.visual.map { SafeText($0.title) } ?? "data"
    let head = [content.visual?.title, content.visual?.subtitle].compactMap(\.self)
      .filter { !$0.isEmpty }.joined(separator: "\n")
    let parts = content.visual == nil ? [content.raw ?? ""] : [head, content.visual?.body ?? ""]
    self.init(
      title: "#\(String(item.shortNumber)) · " + name,
      text: json
        ?? Self.cleaned(parts.filter { !$0.isEmpty }.joined(separator: "\n\n")))
  }

  /// The text without what could tell a terminal something: control characters but line feeds and
  /// tabs, and what turns the order of text. All else stays as it was published.
  package static func cleaned(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text.unicodeScalars {
      defer { isAfterReturn = scalar == "\r" }
      switch scalar.value {
      case 0x0A where isAfterReturn: continue
      case 0x0D: result.append("\n")
      case 0x09, 0x0A: result.append(scalar)
      case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: continue
      default: result.append(scalar)  // open: Unicode.Scalar
      }
    }
    return String(result)
  }

  /// As much of several items' texts as a terminal takes, with a blank line between them.
  ///
  /// - Returns: the text, and how many bytes it would have had.
  static func joined(_ items: [ItemText], bytesMax: Int) -> (text: String, bytes: Int) {
    let whole = items.map(\.text).joined(separator: "\n\n")
    let bytes = whole.utf8.count
    guard bytes > bytesMax else { return (whole, bytes) }
    var text = ""
    var used = 0
    for character in whole {
      used += character.utf8.count
      guard used <= bytesMax else { break }
      text.append(character)
    }
    return (text, bytes)
  }
}

/// What the texts of items are wanted for.
package enum TextUse: Hashable, Sendable {
  case copy
  case pipe(command: String, asJSON: Bool)

  /// More items are not copied or piped at once: each is read whole, and a command is run for each.
  package static let itemsMax = 200
  /// What terminals take at once (OSC 52).
  static let copiedBytesMax = 8 * 1024
}

/// A command that the person typed, to be run for each of some items.
package struct PipeOrder: Hashable, Sendable {
  /// For a shell. It was typed here, never published.
  package var command: String
  /// Each the standard input of one run.
  package var items: [ItemText]

  package init(command: String, items: [ItemText]) {
    self.command = command
    self.items = items
  }
}
