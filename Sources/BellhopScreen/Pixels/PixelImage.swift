import BellhopModel

/// A picture of pixels, read strictly from what another program said.
package struct PixelImage: Hashable, Sendable {
  package let size: PixelSize
  /// Red, green, blue and opacity of each pixel, row by row.
  package let bytes: [UInt8]

  /// Nil unless there are four bytes for each pixel, and a pixel.
  package init?(size: PixelSize, bytes: [UInt8]) {
    guard size.count > 0, bytes.count == size.count * 4 else { return nil }
    self.size = size
    self.bytes = bytes
  }
}

/// A picture in the form in which a terminal takes it.
///
/// It is made of pixels here, so that no byte of a stranger's is in it: base 64 for kitty; for sixels
/// what stands between the beginning and the end of the sequence.
package struct TerminalImage: Hashable, Sendable {
  package let size: PixelSize
  package let graphics: GraphicsProtocol
  /// Whether each pixel has a byte of opacity; for kitty only.
  package let isTranslucent: Bool
  package let payload: [UInt8]

  /// More is not written to a terminal for one picture.
  package static let payloadBytesMax = 8 << 20

  /// Nil where it would be larger than ``payloadBytesMax``. The work is some passes over the pixels:
  /// not for the thread that draws.
  ///
  /// - Parameter colors: For sixels: how many the terminal shows at once.
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

  /// How many cells of a size it covers, wholly or in part.
  package func cells(of cell: PixelSize) -> Size {
    func count(_ pixels: Int, _ one: Int) -> Int { one > 0 ? (pixels + one - 1) / one : 0 }
    return Size(width: count(size.width, cell.width), height: count(size.height, cell.height))
  }
}

extension PixelImage {
  /// Three bytes a pixel.
  fileprivate var withoutOpacity: [UInt8] {
    // The initializer has counted four bytes for each pixel.
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

/// A picture on the screen, over cells that are blank.
package struct FramePicture: Hashable, Sendable {
  package let image: TerminalImage
  /// Inside of the frame.
  package let place: Rect
}
