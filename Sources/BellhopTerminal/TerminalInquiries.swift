import BellhopScreen

/// The pending queries to the terminal, which assign each answer to its query. Pure: the caller
/// passes the time.
///
/// Each query ends with one for the device attributes (DA1). Terminals answer in order, so the
/// attributes end the oldest pending query.
struct TerminalInquiries {
  private enum Subject { case graphics, background }

  private(set) var graphics: GraphicsInquiry
  private var background: BackgroundInquiry
  /// The pending queries, oldest first, with the time after which no answer is expected.
  private var open: [(subject: Subject, until: Duration)] = []

  init(options: TerminalOptions) {
    graphics = GraphicsInquiry(options: options)
    background = BackgroundInquiry(options: options)
  }

  /// Returns the graphics query to write, if any.
  ///
  /// - Parameter cell: The size of a cell as the system reports it.
  mutating func askGraphics(cell: PixelSize?, at now: Duration) -> String? {
    noted(graphics.begin(cell: cell, at: now), of: .graphics, until: now + GraphicsInquiry.grace)
  }

  /// Returns the background query to write, if any.
  mutating func askBackground(at now: Duration) -> String? {
    noted(background.begin(at: now), of: .background, until: now + BackgroundInquiry.grace)
  }

  /// Returns the background query that an answer or a report made necessary.
  mutating func next(at now: Duration) -> String? {
    noted(background.next(at: now), of: .background, until: now + BackgroundInquiry.grace)
  }

  private mutating func noted(
    _ question: String?, of subject: Subject, until end: Duration
  ) -> String? {
    if question != nil { open.append((subject, end)) }
    return question
  }

  /// The time at which ``expire(at:)`` must be called.
  var deadline: Duration? {
    [graphics.deadline, background.deadline].compactMap { $0 }.min()
  }

  /// The end of the wait for the background answer.
  var backgroundDeadline: Duration? { background.deadline }

  /// Whether incoming bytes may be an answer.
  func isAwaiting(at now: Duration) -> Bool {
    graphics.isAwaiting(at: now) || background.isAwaiting(at: now)
  }

  /// Accepts an answer or a report.
  mutating func take(_ answer: TerminalAnswer, cell: PixelSize?, at now: Duration) {
    open.removeAll { $0.until <= now }
    switch answer {
    case .background(let color): background.take(color, at: now)
    case .colorScheme(let isLight): background.take(isLight: isLight)
    case .kittyGraphics, .cell, .colorRegisters:
      // An answer to a later query ends the earlier ones.
      let first = open.firstIndex { $0.subject == .graphics }
      if let first, first > 0 {
        open.removeFirst(first)
        background.end()
      }
      graphics.take(answer, cell: cell)
    case .attributes:
      guard let ended = open.first else { return }
      open.removeFirst()
      switch ended.subject {
      case .graphics: graphics.take(answer, cell: cell)
      case .background: background.end()
      }
    }
  }

  /// Gives up queries that have taken too long.
  ///
  /// - Returns: Whether the terminal did not answer. It may then have displayed a query as text.
  mutating func expire(at now: Duration) -> Bool {
    let areSilent = [graphics.expire(at: now), background.expire(at: now)]
    return areSilent.contains(true)
  }

  /// Returns the background that was found since the last call.
  mutating func takeBackground() -> Color? { background.takeFound() }

  /// Applies a new size of the cells, such as after a change of the font.
  mutating func cellChanged(_ cell: PixelSize?) { graphics.cellChanged(cell) }
}
