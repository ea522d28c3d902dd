import CPty

/// Cells as the C library counts them, as terminals do.
///
/// It shares no code with the program under test.
enum CellWidth {
  /// The number of cells that a line takes.
  static func of(_ line: some StringProtocol) -> Int {
    line.unicodeScalars.reduce(0) { $0 + Int(cpty_cell_width($1.value)) }
  }

  /// The cells that contain `mark`.
  static func columns(of mark: Character, in line: String) -> [Int] {
    line.indices.filter { line[$0] == mark }.map { of(line[..<$0]) }
  }
}

/// Characters that mislead a terminal or a reader.
enum Hidden {
  /// The first such character in `text`, except line ends.
  static func first(in text: String) -> Unicode.Scalar? {
    text.unicodeScalars.first { scalar in
      switch scalar.value {
      case 0x0A: false
      // C0, DEL, C1; line and paragraph separators.
      case 0...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
      // Embeddings and overrides; zero width space; byte order mark; tags.
      case 0x202A...0x202E, 0x200B, 0xFEFF, 0xE0000...0xE007F: true
      default: false
      }
    }
  }
}
