extension Color {
  /// Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.1, "contrast ratio").
  ///
  /// Uses xterm's values for palette entries.
  package func contrast(with other: Color) -> Double {
    let (mine, theirs) = (luminance, other.luminance)
    return (max(mine, theirs) + 0.05) / (min(mine, theirs) + 0.05)
  }

  /// Whether black text is easier to read on this colour than white text.
  package var isLight: Bool { contrast(with: .rgb(0)) > contrast(with: .rgb(0xFFFFFF)) }

  /// Relative luminance, from 0 to 1.
  private var luminance: Double {
    let value = rgbValue
    /// Converts an sRGB component to linear light with a polynomial, accurate to 0.002.
    func linear(_ part: Int) -> Double {
      let share = Double(part & 255) / 255
      return share * (share * (share * 0.305306011 + 0.682171111) + 0.012522878)
    }
    return 0.2126 * linear(value >> 16) + 0.7152 * linear(value >> 8) + 0.0722 * linear(value)
  }

  /// Returns this colour, or the nearest one of a depth that is legible on `ground`.
  func legible(on ground: Color, contrast wanted: Double, depth: ColorDepth) -> Color {
    if contrast(with: ground) >= wanted { return self }
    let poles: [Color] =
      depth <= .ansi16
      ? [.palette(depth == .ansi16 ? 15 : 7), .palette(0)]
      : [.rgb(red: 255, green: 255, blue: 255), .rgb(red: 0, green: 0, blue: 0)]
    let pole =
      poles[0].contrast(with: ground) >= poles[1].contrast(with: ground) ? poles[0] : poles[1]
    if depth <= .ansi16 {
      if case .palette(let index) = self, index < 8, depth == .ansi16 {
        let bright = Color.palette(index + 8)
        if bright.contrast(with: ground) >= wanted { return bright }
      }
      return pole
    }
    for step in 1...Color.steps {
      let mixed = mixed(with: pole, share: step)
      let color = depth == .indexed256 ? mixed.in256 : mixed
      if color.contrast(with: ground) >= wanted { return color }
    }
    return depth == .indexed256 ? pole.in256 : pole
  }

  private static let steps = 8

  /// Mixes this colour with another one; `share` counts in `steps` equal steps.
  private func mixed(with other: Color, share: Int) -> Color {
    let (mine, theirs) = (rgbValue, other.rgbValue)
    func part(_ shift: Int) -> UInt8 {
      let (from, to) = (mine >> shift & 255, theirs >> shift & 255)
      return UInt8(clamping: from + (to - from) * share / Color.steps)
    }
    return .rgb(red: part(16), green: part(8), blue: part(0))
  }
}
