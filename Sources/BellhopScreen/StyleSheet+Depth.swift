/// A fully resolved style, as a terminal of one colour depth draws it.
package struct ResolvedStyle: Hashable, Sendable {
  /// The foreground, within the colour depth (RGB only for `.direct`); nil is the terminal's own.
  package var foreground: Color?
  package var background: Color?
  package var isBold: Bool
  package var isItalic: Bool
  package var isUnderlined: Bool
  package var isReversed: Bool
}

extension StyleSheet {
  /// Returns the style of a role on a terminal of `depth`, combined with the selection if
  /// requested.
  ///
  /// If a terminal has no colours, the attributes of `StyleSheet.monochrome` are added to those of
  /// the theme, so that no information depends on colour alone.
  package func resolved(_ role: StyleRole, selected: Bool, depth: ColorDepth) -> ResolvedStyle {
    var result = resolved(self[role], role: role, depth: depth)
    // Every role is drawn on the screen's own colours, which are those of plain text.
    let ground = role == .text ? result : resolved(self[.text], role: .text, depth: depth)
    if result.foreground == nil { result.foreground = ground.foreground }
    if result.background == nil { result.background = ground.background }
    guard selected else { return readable(result, role: role, depth: depth) }
    let over = resolved(self[.selection], role: .selection, depth: depth)
    if let foreground = over.foreground { result.foreground = foreground }
    if let background = over.background { result.background = background }
    result.isBold = result.isBold || over.isBold
    result.isItalic = result.isItalic || over.isItalic
    result.isUnderlined = result.isUnderlined || over.isUnderlined
    // Reversing twice cancels out: a badge stays visible on a reversed line.
    result.isReversed = result.isReversed != over.isReversed
    // Reversing would turn each role's colour into a background; the row must be one bar.
    if over.isReversed {
      result.foreground = ground.foreground
      result.background = ground.background
    }
    // With few colours, the selection's background can equal a rule's colour.
    if result.foreground == result.background { result.foreground = nil }
    // The terminal's own text may be dark or light; choose black or white for the theme's
    // background.
    if result.foreground == nil, !result.isReversed, let ground = result.background {
      let isLight = ground.contrast(with: .palette(0)) > ground.contrast(with: .palette(7))
      result.foreground = .palette(isLight ? 0 : 7)
    }
    return readable(result, role: role, depth: depth, isSelected: true)
  }

  /// Adjusts a style until its text is legible on its background.
  ///
  /// With few colours or a selection, colours that the theme keeps apart can become too similar.
  /// The terminal's own text colour is not changed.
  private func readable(
    _ style: ResolvedStyle, role: StyleRole, depth: ColorDepth, isSelected: Bool = false
  ) -> ResolvedStyle {
    guard let foreground = style.foreground, let ground = style.background ?? terminalBackground,
      ![.rule, .ruleFocus, .selection].contains(role)
    else { return style }
    var result = style
    // WCAG 2.1, 1.4.3: 4.5 for text, plus a margin for rounding. The 16 colours are known only as
    // xterm defines them.
    let wanted = isSelected && depth > .ansi16 ? 4.6 : 3
    result.foreground = foreground.legible(on: ground, contrast: wanted, depth: depth)
    // Many terminals brighten bold text in the first eight colours: bold black becomes grey.
    if depth <= .ansi16, result.foreground == .palette(0) { result.isBold = false }
    return result
  }

  private func resolved(_ style: Style, role: StyleRole, depth: ColorDepth) -> ResolvedStyle {
    var result = ResolvedStyle(
      foreground: style.foreground, background: style.background, isBold: style.isBold,
      isItalic: style.isItalic, isUnderlined: style.isUnderlined, isReversed: style.isReversed)
    switch depth {
    case .direct:
      break
    case .indexed256:
      result.foreground = result.foreground?.in256
      result.background = result.background?.in256
    case .ansi16, .ansi8:
      result.foreground = (style.foreground16 ?? style.foreground)?.in16
      result.background = (style.background16 ?? style.background)?.in16
      if depth == .ansi8 { result.reduceTo8() }
    case .monochrome:
      let plain = Self.monochrome[role]
      result.foreground = nil
      result.background = nil
      result.isItalic = false
      result.isBold = result.isBold || plain.isBold
      result.isUnderlined = result.isUnderlined || plain.isUnderlined
      result.isReversed = result.isReversed || plain.isReversed
    }
    if result.foreground == .default { result.foreground = nil }
    if result.background == .default { result.background = nil }
    return result
  }

  /// Bold, underline and reverse only: for terminals without colours and for `NO_COLOR`.
  package static let monochrome = StyleSheet([
    .accent: Style(isBold: true),
    .ruleFocus: Style(isBold: true),
    .selection: Style(isReversed: true),
    .unread: Style(isBold: true),
    .new: Style(isBold: true),
    .priorityUrgent: Style(isBold: true, isReversed: true),
    .priorityHigh: Style(isBold: true),
    .link: Style(isUnderlined: true),
    .error: Style(isBold: true),
    .badge: Style(isReversed: true),
  ])
}

extension ResolvedStyle {
  /// Replaces bright variants, which do not exist with 8 colours.
  ///
  /// A bright foreground becomes bold. A bright background reverses the cell, because its plain
  /// variant may be the terminal's own background.
  fileprivate mutating func reduceTo8() {
    if case .palette(let index)? = foreground, index >= 8 {
      // "Bright black" is grey; with 8 colours it would be black on black.
      foreground = index == 8 ? nil : .palette(index - 8)
      if index != 8 { isBold = true }
    }
    if case .palette(let index)? = background, index >= 8 {
      background = nil
      isReversed.toggle()
    }
  }
}

extension Color {
  /// The colour as 0xRRGGBB, with xterm's values for palette entries; 0 for the terminal's own.
  package var rgbValue: Int {
    let parts: (Int, Int, Int)
    switch self {
    case .default: parts = (0, 0, 0)
    case .palette(let index): parts = Color.components(of: Int(index))
    case .rgb(let red, let green, let blue): parts = (Int(red), Int(green), Int(blue))
    }
    return parts.0 << 16 | parts.1 << 8 | parts.2
  }

  /// The nearest of the 256 colours, never one of the first 16, which users customise.
  package var in256: Color {
    guard case .rgb(let red, let green, let blue) = self else { return self }
    let wanted = (Int(red), Int(green), Int(blue))
    var best = (index: 16, distance: Int.max)
    for index in 16...255 {
      let distance = Color.distance(wanted, Color.components(of: index))
      if distance < best.distance { best = (index, distance) }
    }
    return .palette(UInt8(best.index))
  }

  /// The nearest of the 16 ANSI colours, by xterm's values for them.
  package var in16: Color {
    let wanted: (Int, Int, Int)
    switch self {
    case .default: return self
    case .palette(let index) where index < 16: return self
    case .palette(let index): wanted = Color.components(of: Int(index))
    case .rgb(let red, let green, let blue): wanted = (Int(red), Int(green), Int(blue))
    }
    var best = (index: 0, distance: Int.max)
    for index in 0..<16 {
      let distance = Color.distance(wanted, Color.components(of: index))
      if distance < best.distance { best = (index, distance) }
    }
    return .palette(UInt8(best.index))
  }

  /// Returns red, green and blue of a palette entry, as xterm defines them.
  private static func components(of index: Int) -> (Int, Int, Int) {
    switch index {
    case 0..<16:
      return ansiComponents[index]
    case 16..<232:
      let level = { (step: Int) in step == 0 ? 0 : 55 + 40 * step }
      let cube = index - 16
      return (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
    default:  // open: Int
      let grey = 8 + 10 * (index - 232)
      return (grey, grey, grey)
    }
  }

  private static let ansiComponents: [(Int, Int, Int)] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0),
    (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
    (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
  ]

  /// Returns the perceived difference of two colours, with green weighted most and blue least.
  private static func distance(_ left: (Int, Int, Int), _ right: (Int, Int, Int)) -> Int {
    let meanRed = (left.0 + right.0) / 2
    let red = left.0 - right.0
    let green = left.1 - right.1
    let blue = left.2 - right.2
    return (512 + meanRed) * red * red + 1024 * green * green + (767 - meanRed) * blue * blue
  }
}
