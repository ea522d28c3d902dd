import BellhopModel
import BellhopTime

/// What stands in each line of a list's pane: its rows and, in a list by day, a heading above those
/// of each day.
///
/// Headings are lines of the pane, not rows of the list: cursor, marks and windows know nothing of
/// them. The first line is always the heading of the day that is scrolled to.
struct ListLines: Sendable {
  enum Line: Hashable, Sendable {
    case day(CivilDate)
    /// By its index in the list's rows.
    case row(Int)
  }

  /// Lower panes have no line to spare for headings.
  static let headedHeight = 4

  private let rows: [RowSummary]
  private let height: Int
  private let zone: ZoneRules?

  /// - Parameter zone: Whose days have headings; nil for a list without.
  init(rows: [RowSummary], height: Int, zone: ZoneRules?) {
    self.rows = rows
    self.height = height
    self.zone = height >= Self.headedHeight ? zone : nil
  }

  /// How many rows stay in sight above and below the cursor.
  var margin: Int { min(2, height / 6) }

  /// Whether the pane has headings.
  var isByDay: Bool { zone != nil }

  /// The lines of the pane while the row at `top` is its first one.
  func lines(from top: Int) -> [Line] {
    guard rows.indices.contains(top) else { return [] }
    var lines: [Line] = []
    var day: CivilDate?
    for index in top..<rows.count where lines.count < height {
      let date = date(of: index)
      if let date, date != day { lines.append(.day(date)) }
      day = date
      if lines.count < height { lines.append(.row(index)) }
    }
    return lines
  }

  /// How many rows are in sight while the row at `top` is the first one.
  func rowCount(from top: Int) -> Int {
    lines(from: top).count { if case .row = $0 { true } else { false } }
  }

  /// The first row while the one at `index` is the last that is in sight.
  func top(showing index: Int) -> Int {
    guard isByDay, rows.indices.contains(index) else { return max(0, index - height + 1) }
    var top = index
    var day = date(of: top)
    // The row and the heading above it.
    var used = 2
    while top > 0 {
      let above = date(of: top - 1)
      used += above == day ? 1 : 2
      guard used <= height else { break }
      top -= 1
      day = above
    }
    return top
  }

  /// How many rows there are of the day of the row at `index`, if all of them are among the rows.
  func count(ofDayAt index: Int, reachesStart: Bool, reachesEnd: Bool) -> Int? {
    let day = date(of: index)
    var (first, last) = (index, index)
    while first > 0, date(of: first - 1) == day { first -= 1 }
    while last + 1 < rows.count, date(of: last + 1) == day { last += 1 }
    let isWhole = (first > 0 || reachesStart) && (last + 1 < rows.count || reachesEnd)
    return isWhole ? last - first + 1 : nil
  }

  private func date(of index: Int) -> CivilDate? { zone?.local(rows[index].arrival).date }
}

extension InboxState {
  /// The lines of a list's pane. History and the results of a search are told by day.
  func lines(of id: ListID, height: Int) -> ListLines {
    ListLines(rows: self[id].rows, height: height, zone: isByDay(id) ? zone : nil)
  }

  func isByDay(_ id: ListID) -> Bool {
    switch id {
    case .history, .search: true
    case .tray, .handled, .later: false
    }
  }

  /// Turns a page. What was the last row in sight, or the first, stays in sight; so does the cursor,
  /// although pages of many days have fewer rows than others.
  mutating func turnPage(of id: ListID, height: Int, isDown: Bool) {
    let list = self[id]
    let lines = lines(of: id, height: height)
    let plain = max(1, height - 1)
    let inSight = lines.rowCount(from: list.top)
    guard lines.isByDay, let cursor = list.cursorIndex, list.pendingMove == nil, inSight > 1,
      isDown ? list.top + inSight < list.rows.count : list.top > 0
    else { return self[id].move(by: isDown ? plain : -plain, scrolling: true) }
    let top = isDown ? list.top + inSight - 1 : lines.top(showing: list.top)
    let last = isDown ? top + max(1, lines.rowCount(from: top)) - 1 : list.top
    let target = min(max(top, cursor + top - list.top), last)
    self[id].move(by: target - cursor)
    self[id].top = top
  }
}
