/// Emoji composed of several scalars (UTS #51, 1.4.9, "EBNF and Regex").
enum EmojiSequence {
  /// The maximum number of pictures connected by joiners; the longest in use, a kiss, has four.
  private static let elementsMax = 8
  /// The maximum number of tags in a flag: the code of a part of a country.
  private static let tagsMax = 6

  /// Returns the end of a composed emoji at the start of the text; nil if there is none.
  ///
  /// Also nil for an emoji of a single scalar.
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

  /// Whether a joiner may connect the scalar to others: a picture, except skin tones and flag
  /// letters.
  private static func isElement(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isPicture && scalar.flagLetter == nil && !scalar.properties.isEmojiModifier
  }

  /// Removes the modification of one picture: a skin tone, a variation selector, or a flag's tags.
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
  /// Whether the character is on one of the keys that keycap emoji show: a digit, `#` or `*`.
  var hasKeycap: Bool { ("0"..."9").contains(self) || self == "#" || self == "*" }
}
