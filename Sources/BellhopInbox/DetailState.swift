import BellhopModel
import BellhopScreen
import BellhopText

/// The item shown in the detail pane: its line at once, the rest when it is read.
struct DetailState: Sendable {
  /// The line as the list has it, changed by the person's acts at once.
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

  /// What the lines depend on; nothing is done again while it is the same.
  private struct LaidOut: Hashable, Sendable {
    var row: RowSummary?
    var value: ItemDetail?
    var ghost: Ghost?
    var account: SafeText?
    var actionsKey: SafeText
    var attachmentsKey: SafeText
    var backKey: SafeText?
    var words: String
    var width: Int
    var minute: Int64
  }

  /// The body in lines of one width: the only long part.
  private struct WrappedBody: Sendable {
    var text: SafeText
    var format: BodyFormat
    var width: Int
    var lines: [StyledLine]
  }

  /// Turns to another item, or takes in the newer line of the same.
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

  /// The item to read, if there is one to read; one read at a time.
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

  /// The read failed; it is to be done again.
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

  /// Makes the lines for a pane of `size`.
  mutating func lay(
    out size: Size, ghost: Ghost?, account: SafeText? = nil, actionsKey: SafeText,
    attachmentsKey: SafeText, backKey: SafeText?, words: String = "", time: TimeText
  ) {
    height = size.height
    defer { scroll = min(scroll, max(0, lines.count - height)) }
    let wanted = LaidOut(
      row: row, value: value, ghost: ghost, account: account, actionsKey: actionsKey,
      attachmentsKey: attachmentsKey, backKey: backKey, words: words, width: size.width,
      minute: time.now.milliseconds / 60_000)
    guard laidOut != wanted else { return }
    laidOut = wanted
    guard let row else {
      lines = []
      return
    }
    lines = DetailLines(
      row: row, detail: value, ghost: ghost, account: account, actionsKey: actionsKey,
      attachmentsKey: attachmentsKey, backKey: backKey, width: size.width, time: time
    ).make(body: wrappedBody(width: size.width))
    if let highlight = Highlight(words) { lines = highlight.highlighted(lines) }
  }

  private mutating func wrappedBody(width: Int) -> [StyledLine] {
    let text = value.map { $0.raw ?? $0.body } ?? row?.preview ?? .empty
    let format = value?.format ?? .plain
    if let body, body.width == width, body.text == text, body.format == format {
      return body.lines
    }
    let lines = format.lines(of: text, width: width)
    body = WrappedBody(text: text, format: format, width: width, lines: lines)
    return lines
  }
}

/// A line in pieces, each with its role.
struct StyledLine: Hashable, Sendable {
  struct Piece: Hashable, Sendable {
    var text: SafeText
    var role: StyleRole
  }

  var pieces: [Piece]
  /// Drawn at the right end of the line.
  var trailing: Piece?

  init(_ text: SafeText, _ role: StyleRole = .text, trailing: Piece? = nil) {
    pieces = [Piece(text: text, role: role)]
    self.trailing = trailing
  }

  static let empty = StyledLine(.empty)
}
