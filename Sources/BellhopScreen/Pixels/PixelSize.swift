/// A size in pixels.
package struct PixelSize: Hashable, Sendable {
  package var width: Int
  package var height: Int

  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  /// How many there are.
  package var count: Int { width * height }
}

/// How a terminal takes pictures of pixels.
package enum GraphicsProtocol: String, Hashable, Sendable {
  /// kitty's "Terminal graphics protocol", which other terminals took up.
  case kitty
  /// DEC's sixels (VT330/VT340 Programmer Reference Manual, volume 2, chapter 14).
  case sixel
}

/// What a picture is drawn with on a terminal.
package enum PictureMeans: Hashable, Sendable {
  /// Characters with colours of their own: every terminal has them.
  case cells
  /// Pixels; a cell is that large, and that many colours can be on the screen at once.
  case pixels(GraphicsProtocol, cell: PixelSize, colors: Int)
}
