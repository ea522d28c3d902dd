import BellhopModel
import BellhopScreen
import BellhopText

/// The item in the detail pane: its row immediately, the rest once it has been read.
struct DetailState: Sendable {
  /// The row as the list has it, including the user's latest changes.
  private(set) var row: RowSummary?
  private(set) var value: ItemDetail?
  private(set) var lines: [StyledLine] = []
  /// The first visible line.
  var scroll = 0
  var isStale = true
  private var outstanding: Int?
  private var body: WrappedBody?
  private var laidOut: LaidOut?
  private var height = 0

  /// The inputs of the layout; the lines are reused while they are equal.
  private struct LaidOut: Hashable, Sendable {
    var row: RowSummary?
    var value: ItemDetail?
    var hidden: HiddenTexts?
    var ghost: DepartedItem?
    var account: SafeText?
    var actionsKey: SafeText
    var attachmentsKey: SafeText
    var backKey: SafeText?
    var words: String
    var width: Int
    var minute: Int64
  }

  /// The body, wrapped to one width: the only long part.
  private struct WrappedBody: Sendable {
    var text: SafeText
    var format: BodyFormat
    var width: Int
    var lines: [StyledLine]
  }

  /// Shows another item, or a newer row of the same item.
  mutating func show(_ row: RowSummary?) {
    if self.row?.key != row?.key {
      scroll = 0
      isStale = true
      if value?.row.key != row?.key { value = nil }
    } else if self.row?.contentSequence != row?.contentSequence {
      isStale = true
    }
    self.row = row
  }

  /// Returns the item to read, if there is one; one read at a time.
  mutating func request(serial: Int) -> ItemKey? {
    guard outstanding == nil, isStale, let key = row?.key else { return nil }
    outstanding = serial
    isStale = false
    return key
  }

  mutating func accept(_ value: ItemDetail?, for key: ItemKey, serial: Int) {
    guard outstanding == serial else { return }
    outstanding = nil
    guard key == row?.key else {
      isStale = true
      return
    }
    if let value { self.value = value }
  }

  /// Records that the read failed, so that it is repeated.
  mutating func readFailed(serial: Int) {
    guard outstanding == serial else { return }
    outstanding = nil
    isStale = true
  }

  /// Scrolls by lines; stops at the ends.
  mutating func move(by offset: Int) {
    scroll = min(max(0, scroll + offset), max(0, lines.count - height))
  }

  mutating func moveToEnd(first: Bool) { scroll = first ? 0 : max(0, lines.count - height) }

  /// Lays out the lines for a pane of `size`, without the texts that are hidden.
  mutating func lay(
    hiding hidden: HiddenTexts? = nil, out size: Size, ghost: DepartedItem?,
    account: SafeText? = nil, actionsKey: SafeText,
    attachmentsKey: SafeText, backKey: SafeText?, words: String = "", time: TimeText
  ) {
    height = size.height
    defer { scroll = min(scroll, max(0, lines.count - height)) }
    let wanted = LaidOut(
      row: row, value: value, hidden: hidden, ghost: ghost, account: account,
      actionsKey: actionsKey, attachmentsKey: attachmentsKey, backKey: backKey, words: words,
      width: size.width, minute: time.now.milliseconds / 60_000)
    guard laidOut != wanted else { return }
    laidOut = wanted
    guard let row = row.map({ hidden?.row($0) ?? $0 }) else {
      lines = []
      return
    }
    let value = value.map { hidden?.detail($0) ?? $0 }
    lines = DetailLines(
      row: row, detail: value, ghost: ghost, account: account, actionsKey: actionsKey,
      attachmentsKey: attachmentsKey, backKey: backKey, width: size.width, time: time
    ).make(body: wrappedBody(of: row, value, width: size.width))
    if let highlight = Highlight(words) { lines = highlight.highlighted(lines) }
  }

  private mutating func wrappedBody(
    of row: RowSummary, _ value: ItemDetail?, width: Int
  ) -> [StyledLine] {
    let text = value.map { $0.raw ?? $0.body } ?? row.preview
    let format = value?.format ?? .plain
    if let body, body.width == width, body.text == text, body.format == format {
      return body.lines
    }
    let lines = format.lines(of: text, width: width)
    body = WrappedBody(text: text, format: format, width: width, lines: lines)
    return lines
  }
}

/// A line of pieces, each with its own role.
struct StyledLine: Hashable, Sendable {
  typealias Piece = StyledText.Piece

  var pieces: [Piece]
  /// A piece at the right end of the line.
  var trailing: Piece?

  init(_ text: SafeText, _ role: StyleRole = .text, trailing: Piece? = nil) {
    pieces = [Piece(text: text, role: role)]
    self.trailing = trailing
  }

  mutating func add(_ text: SafeText, _ role: StyleRole) {
    pieces.append(Piece(text: text, role: role))
  }

  static let empty = StyledLine(.empty)
}
