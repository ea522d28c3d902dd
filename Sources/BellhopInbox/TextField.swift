import BellhopScreen
import BellhopText

/// One line being typed, with its cursor at the end.
struct TextField: Hashable, Sendable {
  private(set) var text = ""
  /// In bytes.
  var limit = TextField.bytesMax

  /// Longer than any search a person types.
  static let bytesMax = 256

  init(_ text: String = "") { insert(text) }

  /// Appends what can be drawn of `string`.
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

  /// Takes an editing key; false when it is none.
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

  /// Whole, where it may be longer than a title.
  func drawn(limit: Int) -> SafeText { SafeText(text, byteLimit: limit) }
}
