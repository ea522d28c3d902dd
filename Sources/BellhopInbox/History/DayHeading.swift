import BellhopModel
import BellhopScreen
import BellhopText

/// The heading of a day: its name, a spark line of arrivals by hour, and their number.
struct DayHeading {
  var span: DaySpan
  /// The count; nil until it is known.
  var count: DayCount?
  /// The number of the day's items in a list that is not the whole history; nil for the history.
  var shown: Shown?
  var time: TimeText

  /// The minimum number of hours per cell of the spark line.
  private var stepMin = 1

  init(span: DaySpan, count: DayCount?, shown: Shown?, time: TimeText) {
    self.span = span
    self.count = count
    self.shown = shown
    self.time = time
  }

  enum Shown: Hashable {
    case exactly(Int)
    /// The day's items are not all among the rows that have been read.
    case unknown
  }

  /// Returns the fullest line that fits.
  ///
  /// Shrinks in steps: the spark line becomes coarser, then the name shorter, then the spark line
  /// goes.
  func line(width: Int) -> StyledLine {
    let numbers = numbers
    let chosen = fitting(width)
    var line = StyledLine(chosen.name, .accent)
    var rest = numbers
    if line.pieces[0].text.width + rest.width + 2 > width { rest = .empty }
    line.add(.blanks(width - chosen.name.width - chosen.spark.width - 2 - rest.width), .dim)
    if !chosen.spark.isEmpty {
      line.add(chosen.spark, .accent)
    }
    line.add("  " + rest, .dim)
    return line
  }

  private func fitting(_ width: Int) -> (name: SafeText, spark: SafeText, step: Int) {
    let (long, short) = (time.dayName(span.date), time.dayName(span.date, isShort: true))
    let candidates: [(name: SafeText, step: Int?)] = [
      (long, 1), (long, 2), (short, 2), (long, nil), (short, nil),
    ]
    for (name, step) in candidates where (step ?? stepMin) >= stepMin {
      let spark = step.map { self.spark(step: $0) } ?? SafeText.empty
      let gap = spark.isEmpty ? 0 : spark.width + 2
      guard name.width + gap + (numbers.isEmpty ? 0 : numbers.width + 2) <= width else { continue }
      return (name, spark, step ?? stepMin)
    }
    return (short.truncated(to: width), .empty, stepMin)
  }

  /// Returns the number of hours per cell in the finest spark line that fits.
  func finestStep(width: Int) -> Int { fitting(width).step }

  /// Returns the heading with at least `step` hours per cell, so that headings can be compared.
  func drawn(inSteps step: Int) -> DayHeading {
    var heading = self
    heading.stepMin = step
    return heading
  }

  private func spark(step: Int) -> SafeText {
    guard let count else { return .empty }
    let begun = (time.now.milliseconds - span.start.milliseconds) / DaySpan.hourMilliseconds + 1
    return SparkLine.text(
      count.hours, begun: Int(max(0, min(begun, Int64(count.hours.count)))), step: step)
  }

  /// The numbers: `341`, or `3 of 341`.
  private var numbers: SafeText {
    let total = count.map { SafeText($0.total.grouped) }
    switch (shown, total) {
    case (nil, let total): return total ?? .empty
    case (.exactly(let count)?, let total?): return SafeText(count.grouped) + " of " + total
    case (.unknown?, let total?): return "… of " + total
    case (_, nil): return .empty
    }
  }
}

extension TimeText {
  private static let fullMonths = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// Returns the name of a day: `Today, Sat 21 November`, `Thu 19 November`, `Fri 17 October 2025`.
  ///
  /// Short: `Today, 21 Nov`.
  func dayName(_ date: CivilDate, isShort: Bool = false) -> SafeText {
    let today = zone.local(now).date
    let near: SafeText? =
      switch date.daysSince1970 - today.daysSince1970 {
      case 0: "Today"
      case -1: "Yesterday"
      case 1: "Tomorrow"
      default: nil  // open: Int
      }
    let month = isShort ? Self.months[date.month - 1] : Self.fullMonths[date.month - 1]
    let year = date.year == today.year ? "" : " \(date.year)"
    let weekday = Self.weekdays[date.weekday]
    let day = SafeText("\(date.day) \(month)\(year)")
    guard let near else { return SafeText(weekday) + " " + day }
    return near + ", " + (isShort ? day : SafeText(weekday) + " " + day)
  }
}

extension InboxState {
  /// Returns the heading above the row at `index`, the first visible row of its day.
  func heading(of date: CivilDate, in id: ListID, _ lines: ListLines, at index: Int) -> DayHeading {
    let list = self[id]
    let count = days[date]
    var shown: DayHeading.Shown?
    if list.query != .history {
      // A ghost is drawn, but is no longer a result.
      let ghost = list.ghost.flatMap { list.index(of: $0.id) }.map { list.rows[$0].arrival }
      let ghosts = ghost.map { zone.local($0).date == date ? 1 : 0 } ?? 0
      let found = lines.count(
        ofSectionAt: index, reachesStart: list.reachesStart, reachesEnd: list.reachesEnd
      ).map { $0 - ghosts }
      shown = found.map { .exactly($0) } ?? .unknown
      if found == nil, let listed = count?.listed { shown = .exactly(listed) }
    }
    return DayHeading(span: DaySpan(date, in: zone), count: count, shown: shown, time: timeText)
  }

  /// Requests the counts of the days whose headings are visible.
  mutating func countDays(_ layout: Layout, _ effects: inout [Effect]) {
    let panes = layout.lists.filter { pane in
      if case .days = division(of: pane.id) { true } else { false }
    }
    let visible = panes.flatMap { pane in
      lines(of: pane.id, height: pane.rows.height).lines(from: self[pane.id].top)
    }.compactMap { line -> CivilDate? in
      if case .heading(.day(let date)) = line { date } else { nil }
    }
    guard !visible.isEmpty else { return }
    let list = panes.map { self[$0.id].query }.first { $0.isForReader }
    let dates = days.request(visible, in: list, serial: serial + 1)
    guard !dates.isEmpty else { return }
    serial += 1
    effects.append(
      .slow(
        .countDays(
          dates.map { DaySpan($0, in: zone) }, in: list, serial: serial, of: accounts.shown)))
  }
}
