/// A key as the user presses it, independent of how the terminal encodes it.
package enum Key: Hashable, Sendable {
  /// A character with Shift already applied: `a`, `A`, `/`, ` `.
  case character(Character)
  /// A letter or one of `[ \ ] ^ _ @` with Control, in lower case.
  case control(Character)
  /// A character with Alt, or after an escape byte that arrived at the same moment.
  case alt(Character)
  case enter, escape, tab, backTab, backspace, delete, insert
  case up, down, left, right
  case pageUp, pageDown, home, end
  /// A function key, F1…F24.
  case function(Int)
}

extension Key: CustomStringConvertible {
  private static let names: [(key: Key, name: String)] = [
    (.character(" "), "Space"), (.enter, "Enter"), (.escape, "Esc"), (.tab, "Tab"),
    (.backTab, "Shift-Tab"), (.backspace, "Backspace"), (.delete, "Del"), (.insert, "Ins"),
    (.up, "Up"), (.down, "Down"), (.left, "Left"), (.right, "Right"), (.pageUp, "PgUp"),
    (.pageDown, "PgDn"), (.home, "Home"), (.end, "End"),
  ]

  private static let alternativeNames: [String: Key] = [
    "return": .enter, "escape": .escape, "delete": .delete, "insert": .insert,
    "pageup": .pageUp, "pagedown": .pageDown,
  ]

  /// The key's spelling in the configuration, in help and in hints: `d`, `Ctrl-d`, `PgUp`.
  package var description: String {
    switch self {
    case .character(let character) where character != " ": String(character)
    case .control(let character): "Ctrl-\(character)"
    case .alt(let character): "Alt-\(character == " " ? "Space" : String(character))"
    case .function(let number): "F\(number)"
    default: Key.names.first { $0.key == self }?.name ?? ""  // open: Key
    }
  }

  /// Parses a key as spelled in the configuration.
  ///
  /// Ignores the case of names and modifiers; accepts `C-d` and `M-d`, too.
  ///
  /// - Returns: nil if `spelling` is not a valid key.
  package init?(_ spelling: String) {
    if spelling.count == 1, let character = spelling.first {
      guard character != " ", !Key.isControl(character) else { return nil }
      self = .character(character)
      return
    }
    let lowered = spelling.lowercased()
    if let named = Key.names.first(where: { $0.name.lowercased() == lowered })?.key
      ?? Key.alternativeNames[lowered]
    {
      self = named
      return
    }
    for (prefix, isControl) in [("ctrl-", true), ("c-", true), ("alt-", false), ("m-", false)]
    where lowered.hasPrefix(prefix) {
      let rest = spelling.dropFirst(prefix.count)
      let character: Character? = rest.lowercased() == "space" ? " " : rest.first
      guard let character, rest.count == 1 || character == " " else { return nil }
      self.init(modified: character, isControl: isControl)
      return
    }
    guard lowered.first == "f", let number = Int(lowered.dropFirst()), (1...24).contains(number)
    else { return nil }
    self = .function(number)
  }

  private init?(modified character: Character, isControl: Bool) {
    guard !Key.isControl(character) else { return nil }
    guard isControl else {
      self = .alt(character)
      return
    }
    guard let lowered = character.lowercased().first else { return nil }
    switch lowered {
    // Terminals send the same byte for these.
    case "i": self = .tab
    case "m": self = .enter
    case " ", "@": self = .control("@")
    case "a"..."z", "[", "\\", "]", "^", "_": self = lowered == "[" ? .escape : .control(lowered)
    default: return nil  // open: Character
    }
  }

  private static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }
}
