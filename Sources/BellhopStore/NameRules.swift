extension Unicode.Scalar {
  /// Whether names must not have this scalar: a control character, a line separator, a control of
  /// text direction, or one of the characters that draw nothing.
  ///
  /// In a list, such a scalar controls the terminal, forges a line, or makes two names look the
  /// same. The classes are C0, DEL and C1 (`U+0000…001F`, `U+007F…009F`), the line and paragraph
  /// separators (`U+2028`, `U+2029`), the bidirectional controls (`U+202A…202E`, `U+2066…2069`), the
  /// zero-width space (`U+200B`), the byte-order mark (`U+FEFF`) and the tag characters
  /// (`U+E0000…E007F`).
  package var isForbiddenInNames: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0x200B, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF,
      0xE0000...0xE007F:
      true
    default: false  // open: UInt32
    }
  }
}
