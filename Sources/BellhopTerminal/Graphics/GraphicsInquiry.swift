package import BellhopScreen

/// The user's choice of how pictures are drawn.
package enum GraphicsChoice: Hashable, Sendable {
  /// The best protocol that the terminal supports.
  case automatic
  case always(GraphicsProtocol)
  /// Characters only, in any terminal.
  case never
}

/// The single query for the terminal's picture protocols. Pure: the caller passes the time.
///
/// The last part of the query is one that every terminal answers (DA1), which marks the end of the
/// answers. ``patience`` limits the wait for a terminal that does not answer.
struct GraphicsInquiry {
  private enum Stage {
    case unasked
    case asked(Answers, at: Duration)
    case known(PictureRendering)
  }

  private struct Answers {
    var isKitty = false
    var colors: Int?
    var cell: PixelSize?
  }

  private let choice: GraphicsChoice
  private let mayAsk: Bool
  private var stage = Stage.unasked
  /// The end of the time in which a late answer is accepted.
  private var graceEnd: Duration?
  /// The size of a cell that the terminal reported, for use where the system does not know it.
  private var reportedCell: PixelSize?

  /// The longest wait for an answer. A terminal on a slower line gets characters.
  static let patience = Duration.seconds(1)
  /// The time after a query in which an answer is not taken for a key.
  static let grace = Duration.seconds(10)
  /// The number of colours for a terminal that does not report one; such terminals usually have
  /// 256.
  static let usualColors = 256

  init(options: TerminalOptions) {
    choice = options.graphics
    mayAsk = options.mayBeAskedForGraphics
  }

  /// Returns the query to write; nil if none is needed, because the result is then known.
  ///
  /// - Parameter cell: The size of a cell as the system reports it.
  mutating func begin(cell: PixelSize?, at now: Duration) -> String? {
    guard case .unasked = stage else { return nil }
    let attributes = "\u{1B}[c"
    let cellSize = cell == nil ? "\u{1B}[16t" : ""
    let colors = "\u{1B}[?1;1;0S"
    // A single pixel, which the terminal does not store.
    let kitty = "\u{1B}_Gi=\(TerminalAnswer.queryNumber),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
    let question: String
    switch choice {
    case .automatic where mayAsk: question = kitty + cellSize + colors + attributes
    case .always(.kitty) where cell == nil: question = cellSize + attributes
    case .always(.sixel): question = cellSize + colors + attributes
    case .automatic, .never:
      stage = .known(.cells)
      return nil
    case .always(.kitty):
      stage = .known(decide(Answers(), attributes: [], cell))
      return nil
    }
    stage = .asked(Answers(), at: now)
    graceEnd = now + Self.grace
    return question
  }

  /// The time at which ``expire(at:)`` must be called.
  var deadline: Duration? {
    if case .asked(_, let start) = stage { start + Self.patience } else { nil }
  }

  /// Whether incoming bytes may be an answer.
  func isAwaiting(at now: Duration) -> Bool { graceEnd.map { now < $0 } ?? false }

  /// The way to draw pictures; nil until it is known.
  var means: PictureRendering? { if case .known(let means) = stage { means } else { nil } }

  /// Accepts an answer.
  mutating func take(_ answer: TerminalAnswer, cell: PixelSize?) {
    if case .attributes = answer { graceEnd = nil }
    guard case .asked(var answers, let start) = stage else { return }
    switch answer {
    case .kittyGraphics(let isThere): answers.isKitty = isThere
    case .colorRegisters(let count): answers.colors = count
    case .cell(let size): answers.cell = size
    case .background, .colorScheme: break
    case .attributes(let attributes):
      reportedCell = answers.cell
      stage = .known(decide(answers, attributes: attributes, cell))
      return
    }
    stage = .asked(answers, at: start)
  }

  /// Gives up a query that has taken too long.
  ///
  /// - Returns: Whether the terminal did not answer. It may then have displayed the query as text.
  mutating func expire(at now: Duration) -> Bool {
    guard let deadline, deadline <= now else { return false }
    stage = .known(.cells)
    return true
  }

  /// Applies a new size of the cells, such as after a change of the font.
  mutating func cellChanged(_ cell: PixelSize?) {
    guard case .known(.pixels(let graphics, let old, let colors)) = stage else { return }
    guard let cell = Self.usable(cell ?? reportedCell), cell != old else { return }
    stage = .known(.pixels(graphics, cell: cell, colors: colors))
  }

  private func decide(
    _ answers: Answers, attributes: [Int], _ known: PixelSize?
  ) -> PictureRendering {
    guard let cell = Self.usable(known ?? answers.cell) else { return .cells }
    let colors = answers.colors ?? Self.usualColors
    switch choice {
    case .always(let graphics): return .pixels(graphics, cell: cell, colors: colors)
    case .automatic where answers.isKitty: return .pixels(.kitty, cell: cell, colors: colors)
    // The first number is the class of the terminal.
    case .automatic where attributes.dropFirst().contains(4) && colors >= 2:
      return .pixels(.sixel, cell: cell, colors: colors)
    case .automatic, .never: return .cells
    }
  }

  /// Returns the size if it is plausible for a cell.
  private static func usable(_ cell: PixelSize?) -> PixelSize? {
    guard let cell, (2...256).contains(cell.width), (4...512).contains(cell.height) else {
      return nil
    }
    return cell
  }
}

extension TerminalOptions {
  /// Whether the terminal answers or ignores a query for graphics instead of displaying it.
  ///
  /// The Linux console and Apple's Terminal display application program commands (APC) as text.
  /// tmux and screen answer for themselves and draw over pictures that they do not know.
  var mayBeAskedForGraphics: Bool {
    let term = environment["TERM"] ?? ""
    let hasNoColor = environment["NO_COLOR"]?.isEmpty == false
    let showsStrings =
      ["linux", "cons25", "ansi", "vt52", "sun"].contains { term.hasPrefix($0) }
      || environment["TERM_PROGRAM"] == "Apple_Terminal"
    return !isMultiplexed && !hasNoColor && !showsStrings
  }
}
