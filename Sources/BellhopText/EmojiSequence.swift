/// Emoji that are composed of several scalars (UTS #51, 1.4.9, "EBNF and Regex").
enum EmojiSequence {
  /// The most pictures that joiners connect; the longest in use, a kiss, has four.
  private static let elementsMax = 8
  /// The most tags of a flag: the code of a part of a country.
  private static let tagsMax = 6

  /// The end of the composed emoji that begins the text; nil where none does, or it is one scalar.
  static func end(
    in text: Substring.UnicodeScalarView
  ) -> Substring.UnicodeScalarView.Index? {
    guard let first = text.first else { return nil }
    var rest = text.dropFirst()
    if first.flagLetter != nil {
      guard rest.popFirst()?.flagLetter != nil else { return nil }
      return rest.startIndex
    }
    if first.hasKeycap {
      if rest.first == variation { rest.removeFirst() }
      guard rest.popFirst() == keycap else { return nil }
      return rest.startIndex
    }
    guard isElement(first) else { return nil }
    takeModification(of: first, &rest)
    for _ in 1..<elementsMax {
      var next = rest
      guard next.popFirst() == joiner, let picture = next.popFirst(), isElement(picture) else {
        break
      }
      takeModification(of: picture, &next)
      rest = next
    }
    return text.distance(from: text.startIndex, to: rest.startIndex) > 1 ? rest.startIndex : nil
  }

  /// Whether a joiner may connect it to others: a picture, but no skin tone and no half of a flag.
  private static func isElement(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isPicture && scalar.flagLetter == nil && !scalar.properties.isEmojiModifier
  }

  /// Removes what belongs to one picture: a skin tone, a variation selector, or the tags of a flag.
  private static func takeModification(
    of picture: Unicode.Scalar, _ rest: inout Substring.UnicodeScalarView
  ) {
    guard let next = rest.first else { return }
    if picture == blackFlag {
      let tags = rest.prefix(tagsMax).prefix { (0xE0030...0xE007A).contains($0.value) }
      let behind = rest[tags.endIndex...]
      if !tags.isEmpty, behind.first == endOfTags { rest = behind.dropFirst() }
    }
    let isTone = next.properties.isEmojiModifier && picture.properties.isEmojiModifierBase
    if next == variation || isTone { rest.removeFirst() }
  }

  private static let joiner: Unicode.Scalar = "\u{200D}"
  private static let variation: Unicode.Scalar = "\u{FE0F}"
  private static let keycap: Unicode.Scalar = "\u{20E3}"
  private static let blackFlag: Unicode.Scalar = "\u{1F3F4}"
  private static let endOfTags: Unicode.Scalar = "\u{E007F}"
}

extension Unicode.Scalar {
  /// Whether the character is on one of the keys that emoji show: a digit, `#` or `*`.
  var hasKeycap: Bool { ("0"..."9").contains(self) || self == "#" || self == "*" }
}
