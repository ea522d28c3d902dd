import BellhopModel

/// An image made of pixels, strictly validated from another program's output.
package struct PixelImage: Hashable, Sendable {
  package let size: PixelSize
  /// Red, green, blue and opacity of each pixel, row by row.
  package let bytes: [UInt8]

  /// Creates an image; nil unless there is at least one pixel and exactly four bytes per pixel.
  package init?(size: PixelSize, bytes: [UInt8]) {
    guard size.count > 0, bytes.count == size.count * 4 else { return nil }
    self.size = size
    self.bytes = bytes
  }
}

/// An image, encoded for a terminal.
///
/// Encoded from pixels by this program, so it contains no untrusted byte: base64 for kitty; for
/// sixels, the bytes between the beginning and the end of the sequence.
package struct TerminalImage: Hashable, Sendable {
  package let size: PixelSize
  package let graphics: GraphicsProtocol
  /// Whether each pixel has an opacity byte; only for kitty.
  package let isTranslucent: Bool
  package let payload: [UInt8]

  /// The maximum payload that is written to a terminal for one image, in bytes.
  package static let payloadBytesMax = 8 << 20

  /// Encodes an image; nil if the payload would exceed ``payloadBytesMax``.
  ///
  /// Makes several passes over the pixels: do not call it on the thread that draws.
  ///
  /// - Parameter colors: For sixels: how many colours the terminal shows at once.
  package init?(_ image: PixelImage, for graphics: GraphicsProtocol, colors: Int) {
    size = image.size
    self.graphics = graphics
    switch graphics {
    case .kitty:
      let isOpaque = stride(from: 3, to: image.bytes.count, by: 4).allSatisfy {
        image.bytes[$0] == 0xFF
      }
      isTranslucent = !isOpaque
      payload = Base64.ascii(isOpaque ? image.withoutOpacity : image.bytes)
    case .sixel:
      isTranslucent = false
      payload = SixelEncoder(image, colors: colors).encoded()
    }
    guard payload.count <= Self.payloadBytesMax else { return nil }
  }

  /// Returns the number of cells that the image covers, completely or in part.
  package func cells(of cell: PixelSize) -> Size {
    func count(_ pixels: Int, _ one: Int) -> Int { one > 0 ? (pixels + one - 1) / one : 0 }
    return Size(width: count(size.width, cell.width), height: count(size.height, cell.height))
  }
}

extension PixelImage {
  /// The pixels with three bytes each, without opacity.
  fileprivate var withoutOpacity: [UInt8] {
    // The initializer has checked that there are four bytes per pixel.
    [UInt8](unsafeUninitializedCapacity: size.count * 3) { buffer, count in
      bytes.withUnsafeBufferPointer { bytes in
        for pixel in 0..<size.count {
          for part in 0..<3 { buffer[pixel * 3 + part] = bytes[pixel * 4 + part] }
        }
      }
      count = size.count * 3
    }
  }
}

/// An image on the screen, over blank cells.
package struct FramePicture: Hashable, Sendable {
  package let image: TerminalImage
  /// The rectangle of the image, inside the frame.
  package let place: Rect
}
