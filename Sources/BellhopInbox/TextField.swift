import BellhopScreen
import BellhopText

/// One line being typed, with its cursor at the end.
struct TextField: Hashable, Sendable {
  private(set) var text = ""
  /// The maximum size of the text, in bytes.
  var limit = TextField.bytesMax

  /// The default limit, longer than any search that users type.
  static let bytesMax = 256

  init(_ text: String = "") { insert(text) }

  /// Appends text, with control characters replaced by blanks, up to the limit.
  mutating func insert(_ string: String) {
    for character in string {
      let isControl = character.unicodeScalars.contains {
        $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
      }
      let typed = isControl ? " " : String(character)
      guard text.utf8.count + typed.utf8.count <= limit else { return }
      text += typed
    }
  }

  /// Handles an editing key.
  ///
  /// - Returns: false if the key is not an editing key.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(String(character))
    case .backspace, .control("h"):
      if !text.isEmpty { text.removeLast() }
    case .control("u"): text = ""
    case .control("w"):
      while text.last == " " { text.removeLast() }
      while let last = text.last, last != " " { text.removeLast() }
    default: return false  // open: Key
    }
    return true
  }

  var drawn: SafeText { drawn(limit: SafeText.titleBytesMax) }

  /// Returns the text for drawing, with a limit that may exceed that of titles.
  func drawn(limit: Int) -> SafeText { SafeText(text, byteLimit: limit) }
}
