package import BellhopScreen
package import BellhopText

/// The preview of a file, based on its bytes and never on its declared type.
package enum PreviewContent: Hashable, Sendable {
  case text(PreviewText)
  /// A picture of a known format; whether it can be drawn is known only after trying.
  case picture(path: String)
  case empty
  /// Neither text nor a picture.
  case other

  /// Detects the kind of a file.
  ///
  /// - Parameters:
  ///   - bytes: The first bytes of the file, at most ``PreviewText/bytesMax``.
  ///   - isWhole: Whether these are all bytes of the file.
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

  /// Whether the first bytes are those of PNG, JPEG, GIF or WebP.
  ///
  /// Other formats are left to dedicated programs.
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
  /// Whether the file continues after the lines.
  package let isCut: Bool

  /// The maximum number of bytes read from a file.
  package static let bytesMax = 256 << 10
  /// The maximum number of lines; longer texts need a pager.
  package static let linesMax = 2_000
  /// The UTF-8 size of a mark that replaces a byte.
  private static let markBytes = 3

  /// Creates a preview; nil unless the bytes are valid UTF-8 without NUL.
  ///
  /// Pictures and programs are practically never valid UTF-8 by chance.
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

  /// Removes an incomplete character from the end.
  private static func withoutBrokenEnd(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let tail = bytes.suffix(3)
    guard let head = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[head] >= 0xC0 else {
      return bytes[...]
    }
    let length = bytes[head] >= 0xF0 ? 4 : bytes[head] >= 0xE0 ? 3 : 2
    return head + length > bytes.count ? bytes[..<head] : bytes[...]
  }
}

/// A picture to be rendered.
package struct PictureOrder: Hashable, Sendable {
  package var serial: Int
  package var path: String
  /// The available size in cells.
  package var size: Size
  /// The means of drawing it.
  package var means = PictureRendering.cells
}

/// The outcome of rendering a picture.
package enum PictureOutcome: Hashable, Sendable {
  case drawn(Picture)
  /// The pixels that were ordered.
  case pixels(TerminalImage)
  /// The program that draws pictures is not installed.
  case noProgram
  case cancelled
  /// Rendering failed, for this reason.
  case failed(SafeText)
}
