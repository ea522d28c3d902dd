package import BellhopText

/// A screen being drawn. Nothing is ever drawn outside of it, or outside of the rectangle that a
/// call is clipped to, and no drawing leaves half a wide character behind.
package struct Canvas: Sendable {
  package let size: Size
  /// Where the terminal's cursor will be shown; nil hides it.
  package var cursor: Point?
  /// The window title.
  package var title: SafeText = .empty
  private var picture: FramePicture?
  private var cells: [Cell]
  /// The joints of rules drawn so far, a value a cell; empty before the first rule.
  private var ruleArms: [RuleArms] = []

  /// An empty screen.
  package init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank, count: size.width * size.height)
  }

  /// The whole canvas.
  package var bounds: Rect { Rect(size) }

  /// What has been drawn so far.
  package var frame: Frame {
    let visible = cursor.flatMap { bounds.contains($0) ? $0 : nil }
    return Frame(size: size, cells: cells, cursor: visible, title: title, picture: picture)
  }

  /// Draws one line of text from `point` to the right.
  ///
  /// What lies outside `rect` is left out. A wide character that does not fit whole at an edge is
  /// replaced by blanks.
  /// - Parameters:
  ///   - rect: What the text is clipped to; nil is the whole canvas.
  /// - Returns: The cells between `point` and the end of what was drawn: where the next piece goes.
  @discardableResult
  package mutating func put(
    _ text: SafeText, at point: Point, in rect: Rect? = nil, role: StyleRole = .text,
    selected: Bool = false
  ) -> Int {
    let clip = bounds.intersection(rect ?? bounds)
    var x = point.x
    guard point.y >= clip.y, point.y < clip.maxY, x < clip.maxX else { return 0 }
    if text.isASCII {
      let start = max(x, clip.x)
      let end = min(x + text.width, clip.maxX)
      putNarrow(
        text.string.utf8.dropFirst(start - x), from: start, to: end, y: point.y, role: role,
        selected: selected)
      return end - point.x
    }
    text.forEachCluster { cluster in
      guard x < clip.maxX else { return }
      place(cluster, x: x, y: point.y, clip: clip, role: role, selected: selected)
      x += cluster.width
    }
    return min(x, clip.maxX) - point.x
  }

  /// Draws a character of ASCII into each cell of a row's part that lies on the canvas.
  private mutating func putNarrow(
    _ bytes: Substring.UTF8View, from start: Int, to end: Int, y: Int, role: StyleRole,
    selected: Bool
  ) {
    guard start < end else { return }
    // What is between them is drawn over whole.
    detach(x: start, y: y)
    detach(x: end - 1, y: y)
    let row = y * size.width
    for (index, byte) in zip((row + start)..<(row + end), bytes) {
      // A kept line break is a blank.
      let glyph = byte == 0x0A ? Glyph.space : Glyph(ascii: byte)
      cells[index] = Cell(glyph, role: role, isSelected: selected)
    }
    guard !ruleArms.isEmpty else { return }
    for index in (row + start)..<(row + end) { ruleArms[index] = [] }
  }

  /// Fills a rectangle with blanks of a role.
  package mutating func fill(_ rect: Rect, role: StyleRole = .text, selected: Bool = false) {
    let clip = bounds.intersection(rect)
    for y in clip.y..<clip.maxY {
      for x in clip.x..<clip.maxX {
        place(.space, x: x, y: y, clip: clip, role: role, selected: selected)
      }
    }
  }

  /// Fills a rectangle with blanks for something that lies over what was drawn: vertical rules that
  /// come in from above end at its edge, where a horizontal rule joins them, and what is below it
  /// has no joint any more to what is covered.
  package mutating func cover(_ rect: Rect) {
    fill(rect)
    guard !ruleArms.isEmpty else { return }
    let columns = max(0, rect.x)..<max(0, min(size.width, rect.maxX))
    for x in columns where rect.y > 0 && bounds.contains(rect.origin) {
      let index = rect.y * size.width + x
      if ruleArms[index - size.width].contains(.down) { ruleArms[index] = .up }
    }
    let y = rect.maxY
    guard y < size.height else { return }
    for x in columns {
      let index = y * size.width + x
      guard ruleArms[index].remove(.up) != nil else { continue }
      cells[index] = Cell(ruleArms[index].glyph, role: cells[index].role, isSelected: false)
    }
  }

  /// Gives every cell of a rectangle the selection's background, whatever was drawn there.
  package mutating func select(_ rect: Rect) {
    let clip = bounds.intersection(rect)
    for y in clip.y..<clip.maxY {
      for x in clip.x..<clip.maxX {
        let old = cells[y * size.width + x]
        cells[y * size.width + x] = Cell(old.glyph, role: old.role, isSelected: true)
      }
    }
  }

  /// Gives every cell of a rectangle colours of its own, whatever was drawn there.
  package mutating func paint(_ rect: Rect, _ paint: Paint) {
    let clip = bounds.intersection(rect)
    for y in clip.y..<clip.maxY {
      for x in clip.x..<clip.maxX {
        let old = cells[y * size.width + x]
        cells[y * size.width + x] = Cell(
          old.glyph, role: old.role, isSelected: old.isSelected, paint: paint)
      }
    }
  }

  /// Shows a picture of pixels over a rectangle, whose cells become blank. One that would not be
  /// wholly on the canvas is left out: there is no cutting of what a terminal draws by itself.
  package mutating func show(_ image: TerminalImage, in rect: Rect) {
    guard !rect.isEmpty, bounds.intersection(rect) == rect else { return }
    fill(rect)
    picture = FramePicture(image: image, place: rect)
  }

  /// Draws a rule over the columns of `rect`'s first row, joined to the vertical rules it meets:
  /// where it crosses one, and where it begins or ends on one.
  package mutating func horizontalRule(_ rect: Rect, role: StyleRole = .rule) {
    for x in rect.x..<rect.maxX where rect.height > 0 {
      var arms: RuleArms = []
      if x > rect.x || rect.width == 1 { arms.insert(.left) }
      if x < rect.maxX - 1 || rect.width == 1 { arms.insert(.right) }
      addRule(arms, x: x, y: rect.y, role: role)
    }
  }

  /// Draws a rule over the rows of `rect`'s first column, joined to the horizontal rules it meets:
  /// where it crosses one, and where it begins or ends on one.
  package mutating func verticalRule(_ rect: Rect, role: StyleRole = .rule) {
    for y in rect.y..<rect.maxY where rect.width > 0 {
      var arms: RuleArms = []
      if y > rect.y || rect.height == 1 { arms.insert(.up) }
      if y < rect.maxY - 1 || rect.height == 1 { arms.insert(.down) }
      addRule(arms, x: rect.x, y: y, role: role)
    }
  }

  private mutating func addRule(_ arms: RuleArms, x: Int, y: Int, role: StyleRole) {
    guard bounds.contains(Point(x: x, y: y)) else { return }
    let index = y * size.width + x
    if ruleArms.isEmpty { ruleArms = Array(repeating: [], count: cells.count) }
    let joined = ruleArms[index].union(arms)
    detach(x: x, y: y)
    cells[index] = Cell(joined.glyph, role: role, isSelected: false)
    ruleArms[index] = joined
  }

  /// Draws one cluster, or blanks when it does not fit whole into `clip`.
  private mutating func place(
    _ cluster: Cluster, x: Int, y: Int, clip: Rect, role: StyleRole, selected: Bool
  ) {
    let isWhole = x >= clip.x && x + cluster.width <= clip.maxX
    for column in x..<(x + cluster.width) where column >= clip.x && column < clip.maxX {
      detach(x: column, y: y)
      if !ruleArms.isEmpty { ruleArms[y * size.width + column] = [] }
      let glyph = isWhole ? (column == x ? cluster.glyph : .none) : .space
      cells[y * size.width + column] = Cell(glyph, role: role, isSelected: selected)
    }
  }

  /// Turns the other half of a wide character at a cell that is about to change into a blank.
  private mutating func detach(x: Int, y: Int) {
    let index = y * size.width + x
    let old = cells[index]
    if old.isContinuation {
      let head = cells[index - 1]
      cells[index - 1] = Cell(.space, role: head.role, isSelected: head.isSelected)
      cells[index] = Cell(.space, role: old.role, isSelected: old.isSelected)
    }
    if x + 1 < size.width, cells[index + 1].isContinuation {
      let tail = cells[index + 1]
      cells[index + 1] = Cell(.space, role: tail.role, isSelected: tail.isSelected)
    }
  }
}
