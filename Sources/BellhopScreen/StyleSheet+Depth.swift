/// A style with nothing left to decide: what a terminal of one colour depth draws.
package struct ResolvedStyle: Hashable, Sendable {
  /// nil is the terminal's own colour. Within the depth it was made for: RGB only for `.direct`.
  package var foreground: Color?
  package var background: Color?
  package var isBold: Bool
  package var isItalic: Bool
  package var isUnderlined: Bool
  package var isReversed: Bool
}

extension StyleSheet {
  /// The style of a role on a terminal of `depth`, with the selection laid over it if asked.
  ///
  /// Where a terminal has no colours, the attributes of `StyleSheet.monochrome` join those of the
  /// theme, so that nothing is told by colour alone.
  package func resolved(_ role: StyleRole, selected: Bool, depth: ColorDepth) -> ResolvedStyle {
    var result = resolved(self[role], role: role, depth: depth)
    // Every role lies on the screen's own colours, those of plain text.
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
    // Twice reversed is not reversed: a badge stays visible on a reversed line.
    result.isReversed = result.isReversed != over.isReversed
    // Reversed, each role's colour would be a ground of its own: a row is one bar.
    if over.isReversed {
      result.foreground = ground.foreground
      result.background = ground.background
    }
    // Among few colours the selection's can be that of a rule.
    if result.foreground == result.background { result.foreground = nil }
    // The terminal's own text may be dark or light; on a ground of the theme's it is one of them.
    if result.foreground == nil, !result.isReversed, let ground = result.background {
      let isLight = ground.contrast(with: .palette(0)) > ground.contrast(with: .palette(7))
      result.foreground = .palette(isLight ? 0 : 7)
    }
    return readable(result, role: role, depth: depth, isSelected: true)
  }

  /// A style that can be read on its ground: fewer colours, and the selection, bring colours together
  /// that the theme keeps apart. The terminal's own text colour stays.
  private func readable(
    _ style: ResolvedStyle, role: StyleRole, depth: ColorDepth, isSelected: Bool = false
  ) -> ResolvedStyle {
    guard let foreground = style.foreground, let ground = style.background ?? terminalBackground,
      ![.rule, .ruleFocus, .selection].contains(role)
    else { return style }
    var result = style
    // WCAG 2.1, 1.4.3: 4.5 for text, and a little for the rounding; the 16 colours are only as xterm
    // has them.
    let wanted = isSelected && depth > .ansi16 ? 4.6 : 3
    result.foreground = foreground.legible(on: ground, contrast: wanted, depth: depth)
    // Many terminals brighten what is bold among the first eight colours: bold black is a grey.
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
  /// Bright variants do not exist among 8 colours: a bright foreground becomes bold, a bright
  /// background would become one that may be the terminal's own, so the cell is reversed.
  fileprivate mutating func reduceTo8() {
    if case .palette(let index)? = foreground, index >= 8 {
      // "Bright black" is grey; on 8 colours it would be black on black.
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
  /// The colour as 0xRRGGBB; palette entries as xterm has them, 0 for the terminal's own.
  package var rgbValue: Int {
    let parts: (Int, Int, Int)
    switch self {
    case .default: parts = (0, 0, 0)
    case .palette(let index): parts = Color.components(of: Int(index))
    case .rgb(let red, let green, let blue): parts = (Int(red), Int(green), Int(blue))
    }
    return parts.0 << 16 | parts.1 << 8 | parts.2
  }

  /// The nearest of the 256 colours. The first 16 are never chosen: people set them to taste.
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

  /// Red, green and blue of a palette entry as xterm has them.
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

  /// How different two colours look: a weighted distance, as eyes see green best and blue least.
  private static func distance(_ left: (Int, Int, Int), _ right: (Int, Int, Int)) -> Int {
    let meanRed = (left.0 + right.0) / 2
    let red = left.0 - right.0
    let green = left.1 - right.1
    let blue = left.2 - right.2
    return (512 + meanRed) * red * red + 1024 * green * green + (767 - meanRed) * blue * blue
  }
}
