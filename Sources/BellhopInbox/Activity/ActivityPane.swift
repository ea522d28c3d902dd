import BellhopModel
import BellhopScreen
import BellhopText

/// The recent activity, shown over the body.
struct ActivityState: Sendable {
  /// The report; nil until it has been counted.
  var report: ActivityReport?
  var isWeek = false
  var serial: Int
  var scroll = 0

  static let dayHours = 24
  static let weekHours = 168

  var hours: Int { isWeek ? Self.weekHours : Self.dayHours }

  var hints: [MenuHint] {
    [
      MenuHint("Tab", isWeek ? "24 hours" : "7 days"), MenuHint("R", "refresh"),
      MenuHint("↓ ↑", "scroll"), MenuHint("Esc", "close"),
    ]
  }
}

extension Command {
  static let activityCommands: [Command] = [activity]

  static let activity = Command(
    id: "activity", title: "activity",
    help: "items by hour and app, unsent changes, synchronisation", keys: ["g a"],
    places: .everywhere, chapter: .program,
    perform: { state, effects in state.load(ActivityState(serial: state.serial), &effects) })
}

extension InboxState {
  /// Requests the current report; the old one stays visible until then.
  fileprivate mutating func load(_ activity: ActivityState, _ effects: inout [Effect]) {
    var activity = activity
    serial += 1
    activity.serial = serial
    overlay = .activity(activity)
    effects.append(
      .activity(.loadActivity(serial: serial, hours: activity.hours, of: accounts.shown)))
  }

  mutating func accept(_ report: ActivityReport, serial: Int) {
    guard case .activity(var activity) = overlay, activity.serial == serial else { return }
    activity.report = report
    overlay = .activity(activity)
  }

  mutating func take(_ key: Key, in activity: ActivityState, _ effects: inout [Effect]) {
    var activity = activity
    let page = max(1, layout.body.height - 1)
    switch key {
    case .escape, .enter, .left, .character("h"), .character("q"), .control("c"), .control("g"):
      return closeOverlay()
    case .tab, .backTab, .character(" "), .character("w"):
      activity.isWeek.toggle()
      return load(activity, &effects)
    case .character("R"): return load(activity, &effects)
    case .down, .character("j"), .control("n"): activity.scroll += 1
    case .up, .character("k"), .control("p"): activity.scroll -= 1
    case .pageDown, .control("d"): activity.scroll += page
    case .pageUp, .control("u"): activity.scroll -= page
    case .home: activity.scroll = 0
    case .end: activity.scroll = Int.max / 2
    default: return  // open: Key
    }
    overlay = .activity(clamped(activity))
  }

  mutating func wheel(_ activity: ActivityState, _ rows: Int) {
    var activity = activity
    activity.scroll += rows
    overlay = .activity(clamped(activity))
  }

  private func clamped(_ activity: ActivityState) -> ActivityState {
    var activity = activity
    let rows = ActivityPane(activity: activity, time: timeText).rows(width: layout.body.width)
    activity.scroll = min(max(0, activity.scroll), max(0, rows - layout.body.height))
    return activity
  }
}

/// Draws arrivals by hour and by app as bars, the synchronisation log, and waiting changes.
struct ActivityPane {
  let activity: ActivityState
  let time: TimeText
  /// Whether the waiting changes have no words of items.
  var hidesTexts = false

  /// The minimum width at which the bars are drawn beside the lines.
  private static let wideWidth = 100
  private static let barRows = 4
  private static let nameCells = 16
  private static let eighths = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Draws the report.
  ///
  /// - Parameter isRuled: Whether there are rules above and below.
  func draw(in body: Rect, isRuled: Bool, on canvas: inout Canvas) {
    canvas.fill(body)
    guard let report = activity.report else {
      return canvas.put(StyledLine("   Counting …", .dim), in: body.row(0))
    }
    if body.width >= Self.wideWidth {
      let (left, rest) = body.splitLeft(body.width / 2)
      let (rule, right) = rest.splitLeft(1)
      canvas.verticalRule(
        isRuled ? Rect(x: rule.x, y: rule.y - 1, width: 1, height: rule.height + 2) : rule)
      put(bars(report, width: left.width), in: left, on: &canvas)
      put(lines(report), in: right, on: &canvas)
    } else {
      put(bars(report, width: body.width) + [.empty] + lines(report), in: body, on: &canvas)
    }
  }

  /// Returns the number of rows to scroll through.
  func rows(width: Int) -> Int {
    guard let report = activity.report else { return 0 }
    let (left, right) = (bars(report, width: width).count, lines(report).count)
    return width >= Self.wideWidth ? max(left, right) : left + 1 + right
  }

  private func put(_ lines: [StyledLine], in rect: Rect, on canvas: inout Canvas) {
    let start = min(max(0, activity.scroll), max(0, lines.count - rect.height))
    for (offset, line) in lines.dropFirst(start).prefix(rect.height).enumerated() {
      canvas.put(line, in: rect.row(offset).inset(right: 1))
    }
  }

  // MARK: - Bars

  private func bars(_ report: ActivityReport, width: Int) -> [StyledLine] {
    let total = report.hours.reduce(0, +)
    var head = StyledLine(activity.isWeek ? " The last 7 days" : " The last 24 hours", .accent)
    head.trailing = StyledLine.Piece(
      text: SafeText(total.counted("notification")),
      role: .dim)
    var lines = [head]
    lines += hourBars(report.hours, width: width - 3)
    lines += [.empty, StyledLine(" By app", .accent)]
    let most = report.apps.map(\.count).max() ?? 0
    let room = max(4, width - Self.nameCells - 12)
    if report.apps.isEmpty { lines.append(StyledLine("   No notifications.", .dim)) }
    for app in report.apps {
      var line = StyledLine(
        "   " + app.name.truncated(to: Self.nameCells).padded(to: Self.nameCells + 1))
      let cells = most == 0 ? 0 : max(1, app.count * room / most)
      line.add(SafeText(String(repeating: "█", count: cells)), .accent)
      line.add(SafeText(" " + app.count.grouped), .dim)
      lines.append(line)
    }
    return lines
  }

  /// Draws arrivals as columns, with as many hours in each as fit, and the times below.
  private func hourBars(_ hours: [Int], width: Int) -> [StyledLine] {
    guard !hours.isEmpty, width > 0 else { return [] }
    let perColumn = (hours.count + width - 1) / width
    let columns = stride(from: 0, to: hours.count, by: perColumn).map { start in
      hours[start..<min(start + perColumn, hours.count)].reduce(0, +)
    }
    let cells = max(1, min(3, width / columns.count))
    let most = columns.max() ?? 0
    let steps = Self.barRows * Self.eighths.count
    var lines: [StyledLine] = []
    for row in (0..<Self.barRows).reversed() {
      var text = "   "
      for count in columns {
        // Draw at least one step for any arrival.
        let height = most == 0 ? 0 : count == 0 ? 0 : max(1, count * steps / most)
        let here = height - row * Self.eighths.count
        let glyph = here <= 0 ? " " : Self.eighths[min(here, Self.eighths.count) - 1]
        text += String(repeating: glyph, count: max(1, cells - 1)) + (cells > 1 ? " " : "")
      }
      lines.append(StyledLine(SafeText(text), .accent))
    }
    return lines + [axis(columns.count, perColumn: perColumn, cells: cells)]
  }

  /// Labels every sixth hour, or every day, below its column.
  private func axis(_ columns: Int, perColumn: Int, cells: Int) -> StyledLine {
    let hour: Int64 = 3_600_000
    let present = time.now.milliseconds / hour
    var text = SafeText("   ")
    for column in 0..<columns {
      let width = 3 + column * cells
      guard text.width <= width else { continue }
      let first = present - Int64(activity.hours - 1 - column * perColumn)
      let local = time.zone.local(Timestamp(milliseconds: first * hour))
      let label: SafeText?
      if activity.isWeek {
        label = local.hour < perColumn ? time.weekday(local) : nil
      } else {
        label = local.hour % 6 == 0 ? SafeText((local.hour < 10 ? "0" : "") + "\(local.hour)") : nil
      }
      if let label { text = text.padded(to: width) + label + " " }
    }
    return StyledLine(text, .dim)
  }

  // MARK: - Lines

  private func lines(_ report: ActivityReport) -> [StyledLine] {
    var lines: [StyledLine] = []
    var head = StyledLine(" Waiting to be sent", .accent)
    head.trailing = StyledLine.Piece(text: SafeText(report.waitingCount.grouped), role: .dim)
    lines.append(head)
    if report.waiting.isEmpty {
      lines.append(StyledLine("   Nothing: all changes are sent.", .dim))
    }
    lines += report.waiting.map {
      StyledLine("   " + (hidesTexts ? $0.hidden : $0.text))
    }
    let rest = report.waitingCount - report.waiting.count
    if rest > 0 { lines.append(StyledLine(SafeText("   and \(rest.grouped) more"), .dim)) }
    lines += [.empty, StyledLine(" Synchronisation", .accent)]
    if report.notes.isEmpty { lines.append(StyledLine("   Nothing yet.", .dim)) }
    for note in report.notes {
      var line = StyledLine("   " + time.moment(note.at) + "  ", .dim)
      line.add(note.text, note.isProblem ? .error : .text)
      lines.append(line)
    }
    return lines
  }
}
