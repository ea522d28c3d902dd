import BellhopModel
import BellhopScreen
import BellhopText

/// The last line: the keys that matter here, or the answer to the last one; where the cursor is.
struct FooterLine {
  /// What stands at the left.
  enum Content {
    /// A question with the keys that answer it, which are never cut off; `short` without details.
    case question(SafeText, short: SafeText, answers: [Span])
    /// A line for the person, the fullest text first. A click on it is the command.
    case line([SafeText], StyleRole, Command?)
    /// The same, with nothing beside it.
    case tour([SafeText])
    case hints([[Span]])
  }

  private let content: Content
  private let right: [Span]

  init(_ state: InboxState) {
    content = state.footerContent
    right = state.footerRight
  }

  /// The spans that fit into `width`.
  func place(width: Int) -> [PlacedSpan] {
    let right = right.width + 2 > width ? [] : right
    let placedRight = right.placed(at: width - right.width - 1)
    switch content {
    case .question(let full, let short, let answers):
      return ask(full, short: short, answers, width: width)
    case .line(let texts, let role, let command):
      return say(texts, role, command, width: width, placedRight)
    case .tour(let texts):
      let room = width - 2
      let text =
        texts.first { $0.width <= room } ?? texts.last?.truncated(to: max(0, room)) ?? .empty
      return [Span(" "), Span(text, .accent)].placed(at: 0)
    case .hints(let hints):
      // Hints are parted from what stands at the right as from one another, unless a key would have
      // to go for that where there are few.
      let gap = right.isEmpty ? 1 : width < Self.gapWidth ? 2 : 3
      let room = width - right.width - gap
      return fitting(hints.filter { !$0.isEmpty }, in: room).placed(at: 0) + placedRight
    }
  }

  /// Below it a hint is worth more than a blank.
  private static let gapWidth = 60

  /// The hints that have room, the first first: of the others only the way out of here has its
  /// place beside it kept free.
  private func fitting(_ hints: [[Span]], in room: Int) -> [Span] {
    let wayOut = hints.first(where: Self.isWayOut)
    var line = [Span(" ")]
    var reserved = wayOut.map { $0.width + 2 } ?? 0
    // What Enter does, such as sending something to a host, is never what goes.
    if let first = hints.first, first.width + 1 + reserved > room { reserved = 0 }
    var isFull = false
    for hint in hints {
      let isWayOut = Self.isWayOut(hint)
      if isWayOut { reserved = 0 }
      let spans = line.count == 1 ? hint : [Span("  ")] + hint
      let fits = line.width + spans.width + reserved <= room
      if fits, isWayOut || !isFull { line += spans }
      isFull = isFull || !fits
    }
    return line
  }

  private static func isWayOut(_ hint: [Span]) -> Bool { hint.first?.text == "Esc" }

  /// The fullest text that fits: it is read once, and more than the place beside it.
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

  /// With fewer cells for what happened, that is no longer understood.
  private static let happenedCellsMin = 12

  /// A text cut to fit. Its last sentence says what is safe or what to do, so that what happened is
  /// cut first.
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

  private func ask(
    _ question: SafeText, short: SafeText, _ answers: [Span], width: Int
  ) -> [PlacedSpan] {
    let room = max(0, width - answers.width - 4)
    let text = question.width > room ? short : question
    return ([Span(" "), Span(text.truncated(to: room), .accent), Span("  ")] + answers)
      .placed(at: 0)
  }
}
