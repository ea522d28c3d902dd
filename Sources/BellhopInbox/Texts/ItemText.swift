package import BellhopModel
package import BellhopText

/// An item as text that leaves the screen: for the clipboard, or a command's standard input.
package struct ItemText: Hashable, Sendable {
  /// The title, which identifies the item: `#12 · build 412 failed`.
  package var title: SafeText
  /// The text to copy or pipe.
  package var text: String

  package init(title: SafeText, text: String) {
    self.title = title
    self.text = text
  }

  /// Creates the text from title, subtitle and body, or from raw content if there is nothing else.
  ///
  /// - Parameter json: JSON to use instead of the text.
  package init(_ item: UserNotification, json: String? = nil) {
    let content = item.content
    let name: SafeText = content.visual.map { SafeText($0.title) } ?? "data"
    let head = [content.visual?.title, content.visual?.subtitle].compactMap(\.self)
      .filter { !$0.isEmpty }.joined(separator: "\n")
    let parts = content.visual == nil ? [content.raw ?? ""] : [head, content.visual?.body ?? ""]
    self.init(
      title: SafeText(ItemNumber.text(item.shortNumber)) + " · " + name,
      text: json
        ?? Self.cleaned(parts.filter { !$0.isEmpty }.joined(separator: "\n\n")))
  }

  /// Removes everything that a terminal could interpret as a command.
  ///
  /// Removes control characters except line feeds and tabs, and characters that change the order of
  /// text. Everything else stays as published.
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

  /// Joins the texts of several items with blank lines, up to a limit.
  ///
  /// - Returns: The text, and the number of bytes without the limit.
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

/// The use of items' texts.
package enum TextUse: Hashable, Sendable {
  case copy
  case pipe(command: String, asJSON: Bool)

  /// The maximum number of items; each is read completely, and a command runs once per item.
  package static let itemsMax = 200
  /// The maximum size that terminals accept at once (OSC 52), in bytes.
  static let copiedBytesMax = 8 * 1024
}

/// A command that the user typed, to run once for each of some items.
package struct PipeOrder: Hashable, Sendable {
  /// The command for a shell, typed by the user and never published.
  package var command: String
  /// The items; each is the standard input of one run.
  package var items: [ItemText]
}
