extension Frame {
  /// Returns the screen as an image (SVG 1.1), which is the same for equal frames and styles.
  ///
  /// Characters keep their columns in every monospaced font. Rules are lines instead of characters,
  /// so that they have no gaps. A pixel image is left out.
  package func svg(styles: StyleSheet) -> String {
    SVGWriter(frame: self, styles: styles).document()
  }
}
