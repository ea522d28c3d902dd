extension Unicode.Scalar {
  /// Whether names must not contain this scalar.
  ///
  /// This applies to control characters, line separators, controls of text direction and invisible
  /// characters. In a list, such a scalar controls the terminal, forges a line, or makes two names
  /// look the same. The classes are C0, DEL and C1 (`U+0000…001F`, `U+007F…009F`), the line and
  /// paragraph separators (`U+2028`, `U+2029`), and Unicode's properties `Bidi_Control` and
  /// `Default_Ignorable_Code_Point`. Of the last, names may contain the two joiners (`U+200C`,
  /// `U+200D`) and the variation selectors (`U+FE00…FE0F`), which scripts and emoji need.
  package var isForbiddenInNames: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
    case 0x200C, 0x200D, 0xFE00...0xFE0F: false
    default:  // open: UInt32
      properties.isBidiControl || properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether the scalar is visible: not a space, an ignorable character or the empty Braille
  /// pattern.
  var isVisible: Bool {
    !isForbiddenInNames && !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
      && value != 0x2800
  }
}
