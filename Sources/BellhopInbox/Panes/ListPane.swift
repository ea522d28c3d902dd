import BellhopModel
import BellhopScreen
import BellhopText

/// Draws one list: the caption, and one line per item.
struct ListPane {
  private let pane: Layout.ListPane
  private let list: ListState
  private let layout: ListLines
  private let captionText: (name: SafeText, numbers: SafeText)?
  private let emptyText: SafeText
  /// The description of an empty list's purpose; empty if its name is enough.
  private let promise: SafeText
  /// The headings by line.
  private let headings: [Int: StyledLine]
  private let marks: Marks
  private let mutedApps: Set<AppKey>
  /// The accounts, if rows have to name them.
  private let accounts: AccountSet?
  private let time: TimeText
  /// The words of the list's search.
  private let highlight: Highlight?
  private let isActive: Bool
  private let isFocused: Bool
  private let isASCII: Bool

  init(_ pane: Layout.ListPane, in state: InboxState) {
    self.pane = pane
    list = state[pane.id]
    layout = state.lines(of: pane.id, height: pane.rows.height)
    captionText = state.caption(of: pane.id)
    emptyText = state.emptyText(of: pane.id)
    promise = state.promise(of: pane.id)
    headings = state.headings(of: pane, layout)
    marks = state.marks
    let apps = state.apps
    let shown = Set(list.rows.dropFirst(list.top).prefix(pane.rows.height).map(\.appKey))
    mutedApps = shown.filter { apps.isMuted($0, at: state.now) }
    accounts = state.accounts.marksItems ? state.accounts.all : nil
    time = state.timeText
    highlight = Highlight(list.query.words)
    isActive = pane.id == state.activeList
    isFocused = isActive && state.focus != .detail
    isASCII = state.isASCII
  }

  /// The minimum list width for showing the body after the title.
  private static let bodyWidth = 60
  /// The minimum list width for showing the search match in the body.
  private static let excerptWidth = 40
  /// The minimum width of a body; less is meaningless.
  private static let bodyCellsMin = 8
  /// The minimum list width for naming the account, if there are several.
  private static let accountsWidth = 36
  private static let accountCellsMax = 9
  /// The minimum width of a title beside the mark of attachments.
  private static let markedCellsMin = 8
  /// The minimum width of a title beside the number of its repeats.
  private static let repeatedCellsMin = 4
  /// The minimum list width for showing how an item was handled, when and where.
  private static let annotationWidth = 72
  /// The minimum width at which a list by day begins with the time; the heading names the day.
  private static let clockWidth = 26
  /// Returns the columns in which a click on a group's mark is recognised.
  static func foldMark(isASCII: Bool) -> Range<Int> { isASCII ? 5..<8 : 4..<6 }
  /// The first column of the app; in ASCII, the mark of urgency takes two cells and a blank.
  private var appStart: Int { isASCII ? 5 : 4 }

  func draw(on canvas: inout Canvas) {
    caption(on: &canvas)
    guard !list.rows.isEmpty else { return empty(on: &canvas) }
    let lines = layout.lines(from: list.top)
    var columns = Columns()
    columns.isByDay = layout.isByDay
    if layout.isByDay {
      columns.clock = pane.rows.width >= Self.clockWidth ? 6 : 0
    } else {
      columns.time = lines.compactMap { rowLine($0, columns)?.timeLabel.width }.max() ?? 0
    }
    for (offset, line) in lines.enumerated() {
      let rect = pane.rows.row(offset)
      switch line {
      case .heading:
        guard let heading = headings[offset] else { continue }
        canvas.put(heading, in: rect.inset(left: 1, right: 1))
      case .row(let index):
        guard let drawn = rowLine(line, columns) else { continue }
        let isCursor = isActive && list.cursor?.rowID == drawn.row.rowID
        self.line(drawn, at: index, columns, rect: rect, isCursor: isCursor, on: &canvas)
      }
    }
  }

  /// The columns that all lines of the pane share.
  private struct Columns {
    /// Whether headings name the days.
    var isByDay = false
    /// The width of the time at the left, including the blank after it.
    var clock = 0
    /// The width of the time at the right.
    var time = 0
  }

  private func rowLine(_ line: ListLines.Line, _ columns: Columns) -> RowLine? {
    guard case .row(let index) = line else { return nil }
    let row = list.rows[index]
    let ghost = list.ghost.flatMap { $0.id == row.rowID ? $0 : nil }
    return RowLine(
      row: row, ghost: ghost, list: pane.id, isByDay: columns.isByDay,
      hasRoomForAnnotation: pane.rows.width - columns.clock >= Self.annotationWidth, time: time)
  }

  // MARK: - Caption

  private func caption(on canvas: inout Canvas) {
    guard !pane.caption.isEmpty, let captionText else { return }
    var line = StyledLine(" " + captionText.name, isFocused ? .accent : .dim)
    line.trailing = StyledLine.Piece(text: captionText.numbers + " ", role: .dim)
    canvas.put(line, in: pane.caption)
  }

  private func empty(on canvas: inout Canvas) {
    let rect = pane.rows.inset(left: min(4, pane.rows.width / 8))
    let top = min(1, rect.height - 1)
    let width = max(1, rect.width - 1)
    let more = list.isLoaded ? promise.wrapped(to: width) : []
    for (offset, line) in (emptyText.wrapped(to: width) + more).prefix(rect.height - top)
      .enumerated()
    {
      canvas.put(StyledLine(line, .dim), in: rect.row(top + offset))
    }
  }

  // MARK: - Rows

  /// Returns the width of the app in a line of `width` cells.
  static func appWidth(_ width: Int) -> Int {
    switch width {
    case ..<24: 0
    case ..<50: 8
    case ..<70: 11
    case ..<120: 12
    default: 16  // open: Int
    }
  }

  private func line(
    _ line: RowLine, at index: Int, _ columns: Columns, rect whole: Rect, isCursor: Bool,
    on canvas: inout Canvas
  ) {
    let y = whole.y
    // After the time, the layout is the same as without it.
    let rect = whole.inset(left: columns.clock)
    func put(_ text: SafeText, _ x: Int, _ role: StyleRole) -> Int {
      canvas.put(text, at: Point(x: rect.x + x, y: y), in: whole, role: role)
    }
    let timeRole: StyleRole = line.ghost == nil ? .dim : .ghost
    if columns.clock > 0 { _ = put(line.clock, 1 - columns.clock, timeRole) }
    if isCursor { _ = put(.cursorMark, -columns.clock, isFocused ? .accent : .rule) }
    _ = put(line.stateMark, 1, line.stateRole)
    _ = put(line.levelMark, 2, line.levelRole)
    let isMarked = marks.contains(line.row, in: pane.id, list.query)
    if isMarked { _ = put("+", appStart - 1, .accent) }
    var x = appStart + appColumn(line, at: index, rect: rect, on: &canvas)
    if let accounts, rect.width >= Self.accountsWidth {
      let width = min(Self.accountCellsMax, accounts.entries.map(\.label.width).max() ?? 0)
      let label = accounts.label(of: line.row.key.account)
      _ = put(label.truncated(to: width), x, line.ghost == nil ? .dim : .ghost)
      x += width + 1
    }
    var right = rect.width
    if whole.width >= 16 {
      right -= 1
      if line.row.isWaiting, line.ghost == nil { _ = put("↑", rect.width - 1, .accent) }
      if columns.time > 0 {
        let label = line.timeLabel
        // Due times are left-aligned, because they begin with the same words.
        let isDue = pane.id == .later && line.hasRoomForAnnotation
        _ = put(label, right - (isDue ? columns.time : label.width), timeRole)
        right -= columns.time + 1
      }
      let repeats = line.repeatMark
      if !repeats.isEmpty, right - x - repeats.width - 1 >= Self.repeatedCellsMin {
        _ = put(repeats, right - repeats.width, line.titleRole)
        right -= repeats.width + 1
      }
      if line.hasFiles, right - x >= Self.markedCellsMin {
        _ = put(.attachmentMark, right - 1, timeRole)
        right -= 2
      }
    }
    text(line, from: x, to: right, rect: rect, on: &canvas)
    if isCursor, isFocused { canvas.select(whole) }
  }

  /// Draws the app, with the mark and size of a group, or the line that joins its items.
  ///
  /// - Returns: The number of columns used.
  private func appColumn(
    _ line: RowLine, at index: Int, rect: Rect, on canvas: inout Canvas
  ) -> Int {
    let width = Self.appWidth(rect.width)
    var x = appStart
    func put(_ text: SafeText, _ role: StyleRole) {
      x += canvas.put(text, at: Point(x: rect.x + x, y: rect.y), in: rect, role: role)
    }
    let ruleRole: StyleRole = line.ghost == nil ? .dim : .ghost
    if let extent = line.row.extent {
      let count = SafeText(extent.count.grouped)
      let mark = isASCII ? line.foldMarkInASCII : line.foldMark + " "
      let room = width - count.width - 1 - mark.width
      put(mark, ruleRole)
      if room > 0 { put(line.row.app.truncated(to: room) + " ", line.appRole) }
      put(count, line.appRole)
    } else if line.row.isMember {
      if width > 0 { x += 2 }
      put(list.isLastMember(at: index) ? "└" : "│", ruleRole)
    } else if width > 0 {
      let isMuted = mutedApps.contains(line.row.appKey)
      put(line.row.app.truncated(to: isMuted ? width - 2 : width), line.appRole)
      if isMuted { put(" ×", line.appRole) }
    } else {
      return 0
    }
    return max(width, x - appStart) + 1
  }

  /// Draws the title, the beginning of the body and the outcome between two columns.
  private func text(
    _ line: RowLine, from start: Int, to end: Int, rect: Rect, on canvas: inout Canvas
  ) {
    let hasRoomForAnnotation = line.hasRoomForAnnotation
    let annotation = hasRoomForAnnotation ? line.longAnnotation : line.shortAnnotation
    let annotationRole: StyleRole = line.ghost == nil ? .dim : .ghost
    var x = start
    var end = end
    func put(_ text: SafeText, _ role: StyleRole, isSearched: Bool = false) {
      guard end > x else { return }
      let cut = text.truncated(to: end - x)
      let pieces =
        (isSearched ? highlight?.pieces(of: cut, role) : nil)
        ?? [StyledLine.Piece(text: cut, role: role)]
      for piece in pieces {
        x += canvas.put(
          piece.text, at: Point(x: rect.x + x, y: rect.y), in: rect, role: piece.role)
      }
    }
    let tailWidth = annotation.isEmpty ? 0 : annotation.width + (hasRoomForAnnotation ? 2 : 3)
    let fits = tailWidth > 0 && end - start - tailWidth >= (hasRoomForAnnotation ? 20 : 12)
    if fits { end -= tailWidth }
    put(line.title, line.isHead && line.ghost == nil ? .dim : line.titleRole, isSearched: true)
    guard !line.isHead || line.ghost != nil else { return }
    let gap: SafeText = " · "
    let preview =
      line.row.excerpt.map { highlight?.excerpt($0, cells: end - x - gap.width) ?? $0 }
      ?? line.row.preview
    let widthMin = line.row.excerpt == nil ? Self.bodyWidth : Self.excerptWidth
    if rect.width >= widthMin, !preview.isEmpty, end - x >= Self.bodyCellsMin {
      put(gap + preview, .dim, isSearched: true)
    }
    guard fits else { return }
    if hasRoomForAnnotation {
      x = end + 2
      end += tailWidth
      put(annotation, annotationRole)
    } else {
      end += tailWidth
      put(gap + annotation, annotationRole)
    }
  }
}
