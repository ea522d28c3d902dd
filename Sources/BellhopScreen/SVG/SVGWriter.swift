import BellhopText

/// A writer of one frame as an SVG image.
struct SVGWriter {
  let frame: Frame
  private let styles: StyleSheet
  /// The appearance of plain text, whose background is that of the whole image.
  private let plain: Appearance

  // In pixels. Nearly all monospaced fonts are 0.6 times as wide as they are high.
  private static let cellWidth = 9
  private static let cellHeight = 19
  private static let fontSize = 15
  /// The distance from the top of a cell to the line on which characters stand.
  private static let ascent = 14
  private static let margin = 12
  private static let cornerRadius = 8
  private static let fonts =
    "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"

  init(frame: Frame, styles: StyleSheet) {
    self.frame = frame
    self.styles = styles
    let text = styles.resolved(.text, selected: false, depth: .direct)
    let ground = text.background ?? styles.terminalBackground ?? .rgb(0x1C1C1C)
    let ink = text.foreground ?? .rgb(ground.isLight ? 0x1C1C1C : 0xD0D0D0)
    plain = Appearance(
      ink: ink.rgbValue, ground: ground.rgbValue, isBold: text.isBold, isItalic: text.isItalic,
      isUnderlined: text.isUnderlined)
  }

  func document() -> String {
    let width = frame.size.width * Self.cellWidth + 2 * Self.margin
    let height = frame.size.height * Self.cellHeight + 2 * Self.margin
    let title = frame.title.string
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" "
        + "viewBox=\"0 0 \(width) \(height)\" font-family=\"\(Self.fonts)\" "
        + "font-size=\"\(Self.fontSize)\" xml:space=\"preserve\">"
    ]
    if !title.isEmpty { lines.append("<title>\(Self.escaped(title))</title>") }
    lines.append(
      "<rect width=\"\(width)\" height=\"\(height)\" rx=\"\(Self.cornerRadius)\" "
        + "fill=\"\(Self.color(plain.ground))\"/>")
    for y in 0..<frame.size.height {
      let runs = runs(ofRow: y)
      lines += grounds(runs, y: y)
      lines += runs.compactMap { element($0, y: y) }
    }
    if let cursor = frame.cursor {
      lines.append(
        "<rect x=\"\(Self.left(cursor.x))\" y=\"\(Self.top(cursor.y))\" "
          + "width=\"\(Self.cellWidth)\" height=\"\(Self.cellHeight)\" fill=\"none\" "
          + "stroke=\"\(Self.color(plain.ink))\"/>")
    }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  // MARK: - Runs

  /// The colours and attributes of a cell, with reversal applied.
  private struct Appearance: Hashable {
    var ink: Int
    var ground: Int
    var isBold: Bool
    var isItalic: Bool
    var isUnderlined: Bool
  }

  /// Neighbouring cells of one row that one element draws.
  private struct Run {
    enum Kind: Hashable {
      /// ASCII characters, which all monospaced fonts contain.
      case ascii
      /// One other character, which may come from a font of another width.
      case other
      case rule
    }

    var kind: Kind
    var appearance: Appearance
    /// The first column.
    var x: Int
    /// The number of cells.
    var width: Int
    var text: String
    /// The arms of the rule in each cell.
    var arms: [RuleArms] = []

    func takes(_ next: Run) -> Bool {
      kind == next.kind && kind != .other && appearance == next.appearance
    }
  }

  private func runs(ofRow y: Int) -> [Run] {
    var runs: [Run] = []
    for (x, cell) in frame.row(y).enumerated() {
      if cell.isContinuation {
        if !runs.isEmpty { runs[runs.count - 1].width += 1 }
        continue
      }
      var run = Run(
        kind: .other, appearance: appearance(of: cell), x: x, width: 1, text: cell.text)
      if cell.glyph.ascii != nil {
        run.kind = .ascii
      } else if let arms = Self.arms[cell.glyph] {
        run.kind = .rule
        run.arms = [arms]
      }
      if let last = runs.last, last.takes(run) {
        runs[runs.count - 1].width += 1
        runs[runs.count - 1].text += run.text
        runs[runs.count - 1].arms += run.arms
      } else {
        runs.append(run)
      }
    }
    return runs
  }

  private func appearance(of cell: Cell) -> Appearance {
    let style =
      cell.paint?.resolved(depth: .direct)
      ?? styles.resolved(cell.role, selected: cell.isSelected, depth: .direct)
    let ink = style.foreground?.rgbValue ?? plain.ink
    let ground = style.background?.rgbValue ?? plain.ground
    return Appearance(
      ink: style.isReversed ? ground : ink, ground: style.isReversed ? ink : ground,
      isBold: style.isBold, isItalic: style.isItalic, isUnderlined: style.isUnderlined)
  }

  /// The arms of each character that rules are drawn with.
  private static let arms: [Glyph: RuleArms] = (UInt8(1)..<16).reduce(into: [:]) {
    let arms = RuleArms(rawValue: $1)
    // A line with one arm looks like one with both, which has the greater value.
    $0[arms.glyph] = arms
  }

  // MARK: - Elements

  /// Returns the backgrounds of a row that differ from that of the image.
  private func grounds(_ runs: [Run], y: Int) -> [String] {
    var parts: [(ground: Int, x: Int, width: Int)] = []
    for run in runs {
      if let last = parts.last, last.ground == run.appearance.ground {
        parts[parts.count - 1].width += run.width
      } else {
        parts.append((run.appearance.ground, run.x, run.width))
      }
    }
    return parts.filter { $0.ground != plain.ground }.map { part in
      "<rect x=\"\(Self.left(part.x))\" y=\"\(Self.top(y))\" "
        + "width=\"\(part.width * Self.cellWidth)\" height=\"\(Self.cellHeight)\" "
        + "fill=\"\(Self.color(part.ground))\"/>"
    }
  }

  /// Returns the element of a run; nil if it shows nothing.
  private func element(_ run: Run, y: Int) -> String? {
    if run.kind == .rule {
      return "<path d=\"\(Self.path(run, y: y))\" fill=\"none\" "
        + "stroke=\"\(Self.color(run.appearance.ink))\"/>"
    }
    let isBlank = run.text.allSatisfy { $0 == " " }
    if isBlank, !run.appearance.isUnderlined { return nil }
    let leading = run.appearance.isUnderlined ? 0 : run.text.prefix { $0 == " " }.count
    let trailing = run.appearance.isUnderlined ? 0 : run.text.reversed().prefix { $0 == " " }.count
    let text = run.text.dropFirst(leading).dropLast(trailing)
    var attributes =
      "x=\"\(Self.left(run.x + leading))\" y=\"\(Self.top(y) + Self.ascent)\" "
      + "textLength=\"\((run.width - leading - trailing) * Self.cellWidth)\" "
      + "lengthAdjust=\"spacingAndGlyphs\" fill=\"\(Self.color(run.appearance.ink))\""
    if run.appearance.isBold { attributes += " font-weight=\"bold\"" }
    if run.appearance.isItalic { attributes += " font-style=\"italic\"" }
    if run.appearance.isUnderlined { attributes += " text-decoration=\"underline\"" }
    return "<text \(attributes)>\(Self.escaped(text))</text>"
  }

  /// Returns the path of a run of rules. Horizontal lines of neighbouring cells are one line.
  private static func path(_ run: Run, y: Int) -> String {
    // All lengths are doubled: a line in the middle of a cell may be between two pixels.
    let (top, middle, bottom) = (2 * top(y), 2 * top(y) + cellHeight, 2 * top(y + 1))
    var path = ""
    var line: (start: Int, end: Int)?
    func finish() {
      if let line { path += "M\(half(line.start)) \(half(middle))H\(half(line.end))" }
    }
    for (index, arms) in run.arms.enumerated() {
      let (left, right) = (2 * left(run.x + index), 2 * left(run.x + index + 1))
      let center = left + cellWidth
      let start = arms.contains(.left) ? left : center
      let end = arms.contains(.right) ? right : center
      if line?.end == start {
        line?.end = end
      } else if start < end {
        finish()
        line = (start, end)
      }
      let up = arms.contains(.up) ? top : middle
      let down = arms.contains(.down) ? bottom : middle
      if up < down { path += "M\(half(center)) \(half(up))V\(half(down))" }
    }
    finish()
    return path
  }

  private static func left(_ x: Int) -> Int { margin + x * cellWidth }
  private static func top(_ y: Int) -> Int { margin + y * cellHeight }

  /// Returns half of a number, as SVG writes it.
  private static func half(_ number: Int) -> String {
    "\(number / 2)" + (number.isMultiple(of: 2) ? "" : ".5")
  }

  private static func color(_ value: Int) -> String {
    let digits = String(value, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Returns the text as content of an element (XML 1.0, sections 2.2 and 2.4).
  private static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)  // open: Unicode.Scalar
      }
    }
    return result
  }
}
