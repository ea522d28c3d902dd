/// Colours that a cell uses instead of its role's, for pictures.
package struct Paint: Hashable, Sendable {
  /// A palette index, as in `Color.palette`; nil is the terminal's own colour.
  package var foreground: UInt8?
  package var background: UInt8?
  package var isBold: Bool
  package var isReversed: Bool

  package init(
    foreground: UInt8? = nil, background: UInt8? = nil, isBold: Bool = false,
    isReversed: Bool = false
  ) {
    self.foreground = foreground
    self.background = background
    self.isBold = isBold
    self.isReversed = isReversed
  }

  /// Returns the style that a terminal of `depth` draws, with the nearest colours it has.
  package func resolved(depth: ColorDepth) -> ResolvedStyle {
    func color(_ number: UInt8?) -> Color? {
      guard let number else { return nil }
      switch depth {
      case .monochrome: return nil
      case .ansi8:
        guard case .palette(let index) = Color.palette(number).in16 else { return nil }
        return .palette(index % 8)
      case .ansi16: return Color.palette(number).in16
      case .indexed256, .direct: return .palette(number)
      }
    }
    return ResolvedStyle(
      foreground: color(foreground), background: color(background), isBold: isBold,
      isItalic: false, isUnderlined: false, isReversed: isReversed)
  }
}
