package import BellhopText

/// A screen being drawn.
///
/// Drawing never reaches outside the canvas or the rectangle that a call is clipped to, and never
/// leaves half a wide character behind.
package struct Canvas: Sendable {
  package let size: Size
  /// The position of the terminal's cursor; nil hides it.
  package var cursor: Point?
  /// The window title.
  package var title: SafeText = .empty
  private var picture: FramePicture?
  private var cells: [Cell]
  /// The arms of the rules drawn so far, one value per cell; empty before the first rule.
  private var ruleArms: [RuleArms] = []

  /// An empty screen.
  package init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank, count: size.width * size.height)
  }

  /// The whole canvas.
  package var bounds: Rect { Rect(size) }

  /// The frame drawn so far.
  package var frame: Frame {
    let visible = cursor.flatMap { bounds.contains($0) ? $0 : nil }
    return Frame(size: size, cursor: visible, title: title, picture: picture, cells: cells)
  }

  /// Draws one line of text from `point` to the right.
  ///
  /// Clips the text to `rect`. A wide character that is cut by an edge is replaced by blanks.
  /// - Parameters:
  ///   - rect: The clipping rectangle; nil means the whole canvas.
  /// - Returns: The number of cells between `point` and the end of the drawn text, where the next
  ///   piece goes.
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

  /// Draws one ASCII character into each cell of a range on the canvas.
  private mutating func putNarrow(
    _ bytes: Substring.UTF8View, from start: Int, to end: Int, y: Int, role: StyleRole,
    selected: Bool
  ) {
    guard start < end else { return }
    // The cells in between are overwritten completely.
    detach(x: start, y: y)
    detach(x: end - 1, y: y)
    let row = y * size.width
    for (index, byte) in zip((row + start)..<(row + end), bytes) {
      // A kept line break is drawn as a blank.
      let glyph = byte == 0x0A ? Glyph.space : Glyph(ascii: byte)
      cells[index] = Cell(glyph, role: role, isSelected: selected)
    }
    guard !ruleArms.isEmpty else { return }
    for index in (row + start)..<(row + end) { ruleArms[index] = [] }
  }

  /// Fills a rectangle with blanks of a role.
  package mutating func fill(_ rect: Rect, role: StyleRole = .text) {
    let clip = bounds.intersection(rect)
    for y in clip.y..<clip.maxY {
      for x in clip.x..<clip.maxX {
        place(.space, x: x, y: y, clip: clip, role: role, selected: false)
      }
    }
  }

  /// Fills a rectangle with blanks, for drawing something on top of the current contents.
  ///
  /// Vertical rules that enter from above end at the top edge, where a horizontal rule joins them.
  /// Rules below the rectangle lose their joints to the covered rules.
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
    change(rect) { Cell($0.glyph, role: $0.role, isSelected: true) }
  }

  /// Gives every cell of a rectangle its own colours, whatever was drawn there.
  package mutating func paint(_ rect: Rect, _ paint: Paint) {
    change(rect) { Cell($0.glyph, role: $0.role, isSelected: $0.isSelected, paint: paint) }
  }

  private mutating func change(_ rect: Rect, _ changed: (Cell) -> Cell) {
    let clip = bounds.intersection(rect)
    for y in clip.y..<clip.maxY {
      for index in (y * size.width + clip.x)..<(y * size.width + clip.maxX) {
        cells[index] = changed(cells[index])
      }
    }
  }

  /// Shows a pixel image over a rectangle, whose cells become blank.
  ///
  /// Ignores an image that is not completely on the canvas: a terminal draws images by itself and
  /// cannot clip them.
  package mutating func show(_ image: TerminalImage, in rect: Rect) {
    guard !rect.isEmpty, bounds.intersection(rect) == rect else { return }
    fill(rect)
    picture = FramePicture(image: image, place: rect)
  }

  /// Draws a rule across the columns of `rect`'s first row.
  ///
  /// Joins it to the vertical rules that it crosses or that it begins or ends on.
  package mutating func horizontalRule(_ rect: Rect, role: StyleRole = .rule) {
    for x in rect.x..<rect.maxX where rect.height > 0 {
      var arms: RuleArms = []
      if x > rect.x || rect.width == 1 { arms.insert(.left) }
      if x < rect.maxX - 1 || rect.width == 1 { arms.insert(.right) }
      addRule(arms, x: x, y: rect.y, role: role)
    }
  }

  /// Draws a rule down the rows of `rect`'s first column.
  ///
  /// Joins it to the horizontal rules that it crosses or that it begins or ends on.
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

  /// Draws one cluster, or blanks if it does not fit completely into `clip`.
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

  /// Blanks the other half of a wide character at a cell that is about to change.
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
