import BellhopScreen

/// The questions that the terminal was asked, and the question that an answer belongs to. Pure: time
/// is handed in.
///
/// Each question ends with one for the device attributes (DA1). Terminals answer in order, so the
/// attributes end the oldest open question.
struct TerminalInquiries {
  private enum Subject { case graphics, background }

  private(set) var graphics: GraphicsInquiry
  private var background: BackgroundInquiry
  /// The open questions, oldest first, with the time after which no answer is expected.
  private var open: [(subject: Subject, until: Duration)] = []

  init(options: TerminalOptions) {
    graphics = GraphicsInquiry(options: options)
    background = BackgroundInquiry(options: options)
  }

  /// The question about graphics to write, if there is one.
  ///
  /// - Parameter cell: The size of a cell as the system knows it.
  mutating func askGraphics(cell: PixelSize?, at now: Duration) -> String? {
    noted(graphics.begin(cell: cell, at: now), of: .graphics, until: now + GraphicsInquiry.grace)
  }

  /// The question about the background to write, if there is one.
  mutating func askBackground(at now: Duration) -> String? {
    noted(background.begin(at: now), of: .background, until: now + BackgroundInquiry.grace)
  }

  /// The question about the background that an answer or a report called for.
  mutating func next(at now: Duration) -> String? {
    noted(background.next(at: now), of: .background, until: now + BackgroundInquiry.grace)
  }

  private mutating func noted(
    _ question: String?, of subject: Subject, until end: Duration
  ) -> String? {
    if question != nil { open.append((subject, end)) }
    return question
  }

  /// When ``expire(at:)`` has to be called.
  var deadline: Duration? {
    [graphics.deadline, background.deadline].compactMap { $0 }.min()
  }

  /// The end of the wait for the answer about the background.
  var backgroundDeadline: Duration? { background.deadline }

  /// Whether what comes may be an answer.
  func isAwaiting(at now: Duration) -> Bool {
    graphics.isAwaiting(at: now) || background.isAwaiting(at: now)
  }

  /// Takes an answer, or a report.
  mutating func take(_ answer: TerminalAnswer, cell: PixelSize?, at now: Duration) {
    open.removeAll { $0.until <= now }
    switch answer {
    case .background(let color): background.take(color, at: now)
    case .colorScheme(let isLight): background.take(isLight: isLight)
    case .kittyGraphics, .cell, .colorRegisters:
      // An answer to a later question ends the earlier ones.
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

  /// Gives up waiting for what has taken too long.
  ///
  /// - Returns: whether the terminal said nothing: it may have shown a question.
  mutating func expire(at now: Duration) -> Bool {
    let areSilent = [graphics.expire(at: now), background.expire(at: now)]
    return areSilent.contains(true)
  }

  /// The background that was found since the last call.
  mutating func takeBackground() -> Color? { background.takeFound() }

  /// The cells have another size by now, such as after a change of the font.
  mutating func cellChanged(_ cell: PixelSize?) { graphics.cellChanged(cell) }
}
