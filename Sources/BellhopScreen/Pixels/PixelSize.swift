/// A size in pixels.
package struct PixelSize: Hashable, Sendable {
  package var width: Int
  package var height: Int

  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  /// The number of pixels.
  package var count: Int { width * height }
}

/// A protocol by which a terminal receives images.
package enum GraphicsProtocol: String, Hashable, Sendable {
  /// kitty's "Terminal graphics protocol", which other terminals support, too.
  case kitty
  /// DEC's sixels (VT330/VT340 Programmer Reference Manual, volume 2, chapter 14).
  case sixel
}

/// The means of drawing pictures on a terminal.
package enum PictureRendering: Hashable, Sendable {
  /// Characters with their own colours, which every terminal can draw.
  case cells
  /// Pixels, with the size of a cell and the number of colours shown at once.
  case pixels(GraphicsProtocol, cell: PixelSize, colors: Int)
}
