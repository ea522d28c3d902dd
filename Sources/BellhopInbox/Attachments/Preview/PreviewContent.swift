package import BellhopScreen
package import BellhopText

/// What there is to see of a file without opening it: told by its bytes, never by what a stranger
/// says it is.
package enum PreviewContent: Hashable, Sendable {
  case text(PreviewText)
  /// A picture of a kind that is known; whether it can be drawn is seen when it is tried.
  case picture(path: String)
  case empty
  /// Neither text nor picture.
  case other

  /// - Parameters:
  ///   - bytes: The file's first ``PreviewText/bytesMax`` at most.
  ///   - isWhole: Whether that is all of it.
  package init(of bytes: [UInt8], isWhole: Bool, path: String) {
    if bytes.isEmpty {
      self = .empty
    } else if Self.isPicture(bytes) {
      self = .picture(path: path)
    } else if let text = PreviewText(bytes, isWhole: isWhole) {
      self = .text(text)
    } else {
      self = .other
    }
  }

  /// PNG, JPEG, GIF and WebP, by their first bytes: others are left to programs that are made for
  /// them.
  private static func isPicture(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: Array("RIFF".utf8)) {
      return bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
    }
    return pictureHeads.contains { bytes.starts(with: $0) }
  }

  private static let pictureHeads: [[UInt8]] = [
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF], Array("GIF87a".utf8),
    Array("GIF89a".utf8),
  ]
}

/// The beginning of a text file.
package struct PreviewText: Hashable, Sendable {
  package let lines: [SafeText]
  /// Whether the file goes on behind the lines.
  package let isCut: Bool

  /// More of a file is not read for it.
  package static let bytesMax = 256 << 10
  /// More lines are for a pager.
  package static let linesMax = 2_000
  /// What a mark that stands for a byte takes in UTF-8.
  private static let markBytes = 3

  /// Nil for what is no text in UTF-8. A file without any NUL that is valid UTF-8 is one: chance
  /// makes no such thing out of pictures or programs.
  init?(_ bytes: [UInt8], isWhole: Bool) {
    let whole = isWhole ? bytes[...] : Self.withoutBrokenEnd(bytes)
    guard !whole.contains(0), let text = String(validating: whole, as: UTF8.self) else {
      return nil
    }
    let all = SafeText(
      text, lineBreaks: .kept, byteLimit: Self.bytesMax * Self.markBytes
    ).lines
    lines = Array(all.prefix(Self.linesMax))
    isCut = !isWhole || all.count > Self.linesMax
  }

  /// Without the beginning of a character whose end was not read.
  private static func withoutBrokenEnd(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let tail = bytes.suffix(3)
    guard let head = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[head] >= 0xC0 else {
      return bytes[...]
    }
    let length = bytes[head] >= 0xF0 ? 4 : bytes[head] >= 0xE0 ? 3 : 2
    return head + length > bytes.count ? bytes[..<head] : bytes[...]
  }
}

/// A picture that is to be drawn.
package struct PictureOrder: Hashable, Sendable {
  package var serial: Int
  package var path: String
  /// Cells that there are for it.
  package var size: Size
  /// What it is to be made of.
  package var means = PictureMeans.cells
}

/// What came of it.
package enum PictureOutcome: Hashable, Sendable {
  case drawn(Picture)
  /// As pixels, which were ordered.
  case pixels(TerminalImage)
  /// The program that draws pictures is not installed.
  case noProgram
  case cancelled
  /// In words.
  case failed(SafeText)
}
