import BellhopModel
import BellhopScreen
import BellhopText

/// The last line: the key hints or a notice, and the cursor's position.
struct FooterLine {
  /// The content at the left.
  enum Content {
    /// A question with the keys that answer it, which are never cut; `short` has no details.
    case question(SafeText, short: SafeText, answers: [Span])
    /// A question that may wait, fullest text first, with the keys that answer it.
    case offer([SafeText], answers: [Span])
    /// A line for the user, fullest text first; a click on it performs the command.
    case line([SafeText], StyleRole, Command?)
    /// The line of the tour, with nothing beside it.
    case tour([SafeText])
    case hints([[Span]])
  }

  private let content: Content
  private let right: [Span]

  init(_ state: InboxState) {
    content = state.footerContent
    right = state.footerRight
  }

  /// Returns the spans that fit into `width`.
  func place(width: Int) -> [PlacedSpan] {
    let right = right.width + 2 > width ? [] : right
    let placedRight = right.placed(at: width - right.width - 1)
    switch content {
    case .question(let full, let short, let answers):
      return ask(full, short: short, answers, width: width)
    case .offer(let texts, let answers):
      return offer(texts, answers, width: width, placedRight)
    case .line(let texts, let role, let command):
      return say(texts, role, command, width: width, placedRight)
    case .tour(let texts):
      let room = width - 2
      let text =
        texts.first { $0.width <= room } ?? texts.last?.truncated(to: max(0, room)) ?? .empty
      return [Span(" "), Span(text, .accent)].placed(at: 0)
    case .hints(let hints):
      // Separate hints from the right side as from each other, unless a key would be lost on a
      // narrow line.
      let gap = right.isEmpty ? 1 : width < Self.gapWidth ? 2 : 3
      let room = width - right.width - gap
      return fitting(hints.filter { !$0.isEmpty }, in: room).placed(at: 0) + placedRight
    }
  }

  /// The width below which a hint is more important than a blank.
  private static let gapWidth = 60

  /// Returns the hints that fit, in order; space is reserved for the one of Esc.
  private func fitting(_ hints: [[Span]], in room: Int) -> [Span] {
    let escapeHint = hints.first(where: Self.isEscapeHint)
    var line = [Span(" ")]
    var reserved = escapeHint.map { $0.width + 2 } ?? 0
    // The effect of Enter, such as sending something to a host, is never omitted.
    if let first = hints.first, first.width + 1 + reserved > room { reserved = 0 }
    var isFull = false
    for hint in hints {
      let isEscapeHint = Self.isEscapeHint(hint)
      if isEscapeHint { reserved = 0 }
      let spans = line.count == 1 ? hint : [Span("  ")] + hint
      let fits = line.width + spans.width + reserved <= room
      if fits, isEscapeHint || !isFull { line += spans }
      isFull = isFull || !fits
    }
    return line
  }

  private static func isEscapeHint(_ hint: [Span]) -> Bool { hint.first?.text == "Esc" }

  /// Returns the fullest text that fits, which is more important than the cursor's position.
  private func say(
    _ texts: [SafeText], _ role: StyleRole, _ command: Command?, width: Int, _ right: [PlacedSpan]
  ) -> [PlacedSpan] {
    let rightWidth = right.map(\.span).width
    let room = width - (right.isEmpty ? 0 : rightWidth + 2) - 1
    let space = [Span(" ")]
    if let text = texts.first, text.width <= room {
      return (space + [Span(text, role, command)]).placed(at: 0) + right
    }
    let text = texts.first { $0.width <= width - 2 } ?? texts.last ?? .empty
    return (space + [Span(Self.cut(text, to: max(0, width - 2)), role, command)]).placed(at: 0)
  }

  /// The minimum width of the first sentences; with fewer cells, they are no longer understandable.
  private static let happenedCellsMin = 12

  /// Cuts a text to fit.
  ///
  /// The last sentence contains what is safe or what to do, so the sentences before it are cut
  /// first.
  private static func cut(_ text: SafeText, to cells: Int) -> SafeText {
    let string = text.string
    let stop = string.indices.dropLast().last {
      string[$0] == "." && string[string.index(after: $0)] == " "
    }
    guard text.width > cells, let stop else { return text.truncated(to: cells) }
    let last = SafeText(String(string[string.index(stop, offsetBy: 2)...]))
    let room = cells - last.width - 1
    guard room >= happenedCellsMin else { return text.truncated(to: cells) }
    return SafeText(String(string[...stop])).truncated(to: room) + " " + last
  }

  /// Returns the fullest text that leaves room for the cursor's position, or else one without it.
  private func offer(
    _ texts: [SafeText], _ answers: [Span], width: Int, _ right: [PlacedSpan]
  ) -> [PlacedSpan] {
    let rightWidth = right.isEmpty ? 0 : right.map(\.span).width + 2
    let room = width - rightWidth - answers.width - 4
    guard let text = texts.first(where: { $0.width <= room }) else {
      return ask(texts.first ?? .empty, short: texts.last ?? .empty, answers, width: width)
    }
    return ask(text, short: text, answers, width: width) + right
  }

  private func ask(
    _ question: SafeText, short: SafeText, _ answers: [Span], width: Int
  ) -> [PlacedSpan] {
    let room = max(0, width - answers.width - 4)
    let text = question.width > room ? short : question
    return ([Span(" "), Span(text.truncated(to: room), .accent), Span("  ")] + answers)
      .placed(at: 0)
  }
}
