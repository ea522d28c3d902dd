import BellhopModel

/// The lines of a list's pane: its rows and, in a divided list, a heading above each section.
///
/// Headings are lines of the pane, not rows of the list: cursor, marks and windows ignore them. The
/// first line is always the heading of the section at the scroll position.
struct ListLines: Sendable {
  enum Line: Hashable, Sendable {
    case heading(Heading)
    /// A row, by its index in the list's rows.
    case row(Int)
  }

  /// A section of a list.
  enum Heading: Hashable, Sendable {
    case day(CivilDate)
    case level(Priority)
    /// An app, by its host.
    case app(String)
  }

  /// A way to divide a list into sections.
  enum Division: Sendable {
    case days(ZoneRules)
    case level
    case app
  }

  /// The minimum height for headings.
  static let headedHeight = 4

  private let rows: [RowSummary]
  private let height: Int
  /// The division; nil for a pane without headings.
  let division: Division?

  init(rows: [RowSummary], height: Int, division: Division?) {
    self.rows = rows
    self.height = height
    self.division = height >= Self.headedHeight ? division : nil
  }

  /// The number of rows kept visible above and below the cursor.
  var margin: Int { min(2, height / 6) }

  /// Whether the pane has headings.
  var hasHeadings: Bool { division != nil }

  /// Whether its headings are days.
  var isByDay: Bool { if case .days = division { true } else { false } }

  /// Returns the lines of the pane while the row at `top` is the first one.
  func lines(from top: Int) -> [Line] {
    guard rows.indices.contains(top) else { return [] }
    var lines: [Line] = []
    var last: Heading?
    for index in top..<rows.count where lines.count < height {
      let heading = heading(of: index)
      if let heading, heading != last { lines.append(.heading(heading)) }
      last = heading
      if lines.count < height { lines.append(.row(index)) }
    }
    return lines
  }

  /// Returns the number of visible rows while the row at `top` is the first one.
  func rowCount(from top: Int) -> Int {
    lines(from: top).count { if case .row = $0 { true } else { false } }
  }

  /// Returns the first row while the one at `index` is the last visible one.
  func top(showing index: Int) -> Int {
    guard hasHeadings, rows.indices.contains(index) else { return max(0, index - height + 1) }
    var top = index
    var last = heading(of: top)
    // The row and the heading above it.
    var used = 2
    while top > 0 {
      let above = heading(of: top - 1)
      used += above == last ? 1 : 2
      guard used <= height else { break }
      top -= 1
      last = above
    }
    return top
  }

  /// Returns the number of rows in the section of the row at `index`.
  ///
  /// Nil if the rows do not contain the whole section.
  func count(ofSectionAt index: Int, reachesStart: Bool, reachesEnd: Bool) -> Int? {
    var (first, last) = (index, index)
    while first > 0, isOneSection(first - 1, index) { first -= 1 }
    while last + 1 < rows.count, isOneSection(last + 1, index) { last += 1 }
    let isWhole = (first > 0 || reachesStart) && (last + 1 < rows.count || reachesEnd)
    return isWhole ? last - first + 1 : nil
  }

  /// Whether two rows belong to the same section.
  func isOneSection(_ first: Int, _ second: Int) -> Bool {
    heading(of: first) == heading(of: second)
  }

  private func heading(of index: Int) -> Heading? {
    let row = rows[index]
    return switch division {
    case .days(let zone): .day(zone.local(row.arrival).date)
    case .level: .level(row.priority)
    case .app: .app(row.appHost)
    case nil: nil
    }
  }
}

extension InboxState {
  /// Returns the lines of a list's pane.
  func lines(of id: ListID, height: Int) -> ListLines {
    ListLines(rows: self[id].rows, height: height, division: division(of: id))
  }

  /// Returns the division of a list; history and search are divided by day while the newest is
  /// first.
  func division(of id: ListID) -> ListLines.Division? {
    switch (self[id].order, id) {
    case (.level, _): .level
    case (.app, _): .app
    case (.newest, .history), (.newest, .search): .days(zone)
    case (.newest, .tray), (.newest, .handled), (.newest, .later): nil
    }
  }

  /// Scrolls by a page.
  ///
  /// The last visible row, or the first, stays visible. So does the cursor, although pages with
  /// many sections have fewer rows.
  mutating func turnPage(of id: ListID, height: Int, isDown: Bool) {
    let list = self[id]
    let lines = lines(of: id, height: height)
    let plain = max(1, height - 1)
    let inSight = lines.rowCount(from: list.top)
    guard lines.hasHeadings, let cursor = list.cursorIndex, list.pendingMove == nil, inSight > 1,
      isDown ? list.top + inSight < list.rows.count : list.top > 0
    else { return self[id].move(by: isDown ? plain : -plain, scrolling: true) }
    let top = isDown ? list.top + inSight - 1 : lines.top(showing: list.top)
    let last = isDown ? top + max(1, lines.rowCount(from: top)) - 1 : list.top
    let target = min(max(top, cursor + top - list.top), last)
    self[id].move(by: target - cursor)
    self[id].top = top
  }
}
