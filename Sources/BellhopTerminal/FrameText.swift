package import BellhopScreen

/// Frames as lines of coloured text, for output that is not a screen, such as `bellhop themes`.
package enum FrameText {
  /// Returns the lines, each of which resets its styles at its end.
  ///
  /// The styles are SGR sequences (ECMA-48); 38 and 48 select xterm's 256 and direct colours.
  package static func lines(
    _ frame: Frame, styles: StyleSheet, depth: ColorDepth
  ) -> [String] {
    (0..<frame.size.height).map { y in
      var line = ""
      var last = ""
      for cell in frame.row(y) where !cell.isContinuation {
        let style = styles.resolved(cell.role, selected: cell.isSelected, depth: depth)
        let sequence = rendition(style)
        if sequence != last {
          line += sequence
          last = sequence
        }
        line += cell.text
      }
      return line + "\u{1B}[0m"
    }
  }

  private static func rendition(_ style: ResolvedStyle) -> String {
    var codes = ["0"]
    if style.isBold { codes.append("1") }
    if style.isItalic { codes.append("3") }
    if style.isUnderlined { codes.append("4") }
    if style.isReversed { codes.append("7") }
    codes += color(style.foreground, base: 30)
    codes += color(style.background, base: 40)
    return "\u{1B}[" + codes.joined(separator: ";") + "m"
  }

  /// - Parameter base: 30 for the foreground, 40 for the background.
  private static func color(_ color: Color?, base: Int) -> [String] {
    switch color {
    case nil, .default?: []
    case .palette(let index)? where index < 8: ["\(base + Int(index))"]
    case .palette(let index)? where index < 16: ["\(base + 52 + Int(index))"]
    case .palette(let index)?: ["\(base + 8)", "5", "\(index)"]
    case .rgb(let red, let green, let blue)?:
      ["\(base + 8)", "2", "\(red)", "\(green)", "\(blue)"]
    }
  }
}
