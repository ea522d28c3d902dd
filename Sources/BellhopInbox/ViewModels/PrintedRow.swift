package import BellhopModel
package import BellhopScreen
package import BellhopText

/// An item as one line of text, as `bellhop list` prints it.
///
/// The line contains mark, level, time, app, title, excerpt and number.
package struct PrintedRow: Sendable {
  /// The widths that the lines of one list share, in cells.
  package struct Columns: Hashable, Sendable {
    var width: Int
    var time = 0
    var app = 0
    /// The number with its `#`.
    var number = 0
    /// The account's name; 0 if all items belong to one account.
    var account = 0
  }

  /// The minimum width of a line with a column for the app, in cells.
  private static let appWidthMin = 40
  private static let accountCellsMax = 12
  /// The marks of state and level, followed by a blank.
  private static let markCells = 3
  /// The minimum width of an excerpt; less is meaningless.
  private static let excerptCellsMin = 8
  /// The minimum width of a line with an annotation: how the item was handled, when and where.
  private static let annotationWidth = 100
  /// The minimum width of a title beside an annotation.
  private static let titleCellsMin = 24

  private let line: RowLine
  private let time: SafeText
  private let account: SafeText

  /// Creates the line of an item.
  ///
  /// - Parameters:
  ///   - account: The account's name, if the line has to show it.
  ///   - isOfTray: Whether all items of the list are in the tray, so that no line shows that.
  ///   - zone: The time zone of the times.
  ///   - now: The store's time.
  package init(
    _ row: RowSummary, account: SafeText, isOfTray: Bool, zone: ZoneRules, now: Timestamp
  ) {
    let text = TimeText(zone: zone, now: now)
    let isLater = row.placement == .snoozed || row.placement == .scheduled
    // The list for later omits what the time already shows.
    let list: ListID = isLater ? .later : isOfTray ? .tray : .handled
    line = RowLine(row: row, list: list, hasRoomForAnnotation: true, time: text)
    time = isLater ? row.due.map(text.due) ?? .empty : text.timeOrDay(row.arrival)
    self.account = account
  }

  /// Returns the columns that fit `rows` into `width` cells.
  package static func columns(of rows: [PrintedRow], width: Int) -> Columns {
    var columns = Columns(width: width)
    for row in rows {
      columns.time = max(columns.time, row.time.width)
      columns.app = max(columns.app, row.line.row.app.width)
      columns.number = max(columns.number, row.number.width)
      columns.account = max(columns.account, row.account.width)
    }
    columns.account = min(columns.account, accountCellsMax)
    columns.app = width < appWidthMin ? 0 : min(columns.app, ListPane.appWidth(width))
    return columns
  }

  /// Returns the line as a frame of one row, `columns.width` cells wide.
  package func frame(_ columns: Columns) -> Frame {
    var canvas = Canvas(size: Size(width: columns.width, height: 1))
    let rect = canvas.bounds
    var x = 0
    func put(_ text: SafeText, _ role: StyleRole, until end: Int) {
      guard end > x else { return }
      x += canvas.put(
        text.truncated(to: end - x), at: Point(x: x, y: 0), in: rect, role: role)
    }
    let end = columns.width - columns.number
    _ = canvas.put(number, at: Point(x: max(0, end), y: 0), in: rect, role: .dim)
    put(line.stateMark, line.settledRole, until: end)
    put(line.levelMark, line.levelRole, until: end)
    x = Self.markCells
    put(time.leftPadded(to: columns.time) + " ", .dim, until: end)
    if columns.account > 0 {
      put(account.padded(to: columns.account) + " ", .dim, until: end)
    }
    if columns.app > 0 {
      put(line.row.app.padded(to: columns.app) + " ", line.appRole, until: end)
    }
    let annotation =
      columns.width >= Self.annotationWidth ? line.longAnnotation : line.shortAnnotation
    let tail: SafeText = annotation.isEmpty ? .empty : " · " + annotation
    let isAnnotated = end - 1 - x - tail.width >= Self.titleCellsMin
    let textEnd = end - 1 - (isAnnotated ? tail.width : 0)
    // The count stays where the title is cut.
    let repeats: SafeText = line.repeatMark.isEmpty ? .empty : " " + line.repeatMark
    put(line.title, line.titleRole, until: textEnd - repeats.width)
    put(repeats, line.titleRole, until: textEnd)
    if !line.row.preview.isEmpty, textEnd - x >= Self.excerptCellsMin {
      put(" · " + line.row.preview, .dim, until: textEnd)
    }
    if isAnnotated { put(tail, .dim, until: end - 1) }
    return canvas.frame
  }

  private var number: SafeText { SafeText(ItemNumber.text(line.row.shortNumber)) }
}
