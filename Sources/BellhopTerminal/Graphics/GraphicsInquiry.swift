package import BellhopScreen

/// What the person wants of pictures.
package enum GraphicsChoice: Hashable, Sendable {
  /// The best that the terminal says it has.
  case automatic
  case always(GraphicsProtocol)
  /// Characters, in any terminal.
  case never
}

/// Finds out what pictures a terminal takes: by asking it, once. Pure: time is handed in.
///
/// The last question is one that every terminal answers (DA1), so that the end of the answers is
/// known at once; a terminal that says nothing has ``patience``.
struct GraphicsInquiry {
  private enum Stage {
    case unasked
    case asked(Answers, at: Duration)
    case known(PictureMeans)
  }

  private struct Answers {
    var isKitty = false
    var colors: Int?
    var cell: PixelSize?
  }

  private let choice: GraphicsChoice
  private let mayAsk: Bool
  private var stage = Stage.unasked
  /// Until when answers may come late.
  private var graceEnd: Duration?
  /// What the terminal said a cell is, where the system does not know.
  private var toldCell: PixelSize?

  /// How long a terminal may take; one over a slow line gets characters.
  static let patience = Duration.seconds(1)
  /// How long after the question an answer is still no key.
  static let grace = Duration.seconds(10)
  /// Where the terminal does not say: what those have that do not.
  static let usualColors = 256

  init(options: TerminalOptions) {
    choice = options.graphics
    mayAsk = options.mayBeAskedForGraphics
  }

  /// The question to write; nil where there is none, as the answer is known by then.
  ///
  /// - Parameter cell: The size of a cell as the system knows it.
  mutating func begin(cell: PixelSize?, at now: Duration) -> String? {
    guard case .unasked = stage else { return nil }
    let attributes = "\u{1B}[c"
    let cellSize = cell == nil ? "\u{1B}[16t" : ""
    let colors = "\u{1B}[?1;1;0S"
    // One pixel, which is not kept.
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

  /// When ``expire(at:cell:)`` has to be called.
  var deadline: Duration? {
    if case .asked(_, let start) = stage { start + Self.patience } else { nil }
  }

  /// Whether what comes may be an answer.
  func isAwaiting(at now: Duration) -> Bool { graceEnd.map { now < $0 } ?? false }

  /// What is known by now; nil before.
  var means: PictureMeans? { if case .known(let means) = stage { means } else { nil } }

  /// Takes an answer.
  mutating func take(_ answer: TerminalAnswer, cell: PixelSize?) {
    if case .attributes = answer { graceEnd = nil }
    guard case .asked(var answers, let start) = stage else { return }
    switch answer {
    case .kittyGraphics(let isThere): answers.isKitty = isThere
    case .colorRegisters(let count): answers.colors = count
    case .cell(let size): answers.cell = size
    case .background, .colorScheme: break
    case .attributes(let attributes):
      toldCell = answers.cell
      stage = .known(decide(answers, attributes: attributes, cell))
      return
    }
    stage = .asked(answers, at: start)
  }

  /// Gives up waiting.
  ///
  /// - Returns: whether the terminal said nothing to the end: it may have shown the question.
  mutating func expire(at now: Duration) -> Bool {
    guard let deadline, deadline <= now else { return false }
    stage = .known(.cells)
    return true
  }

  /// The cells have another size by now, such as after a change of the font.
  mutating func cellChanged(_ cell: PixelSize?) {
    guard case .known(.pixels(let graphics, let old, let colors)) = stage else { return }
    guard let cell = Self.usable(cell ?? toldCell), cell != old else { return }
    stage = .known(.pixels(graphics, cell: cell, colors: colors))
  }

  private func decide(
    _ answers: Answers, attributes: [Int], _ known: PixelSize?
  ) -> PictureMeans {
    guard let cell = Self.usable(known ?? answers.cell) else { return .cells }
    let colors = answers.colors ?? Self.usualColors
    switch choice {
    case .always(let graphics): return .pixels(graphics, cell: cell, colors: colors)
    case .automatic where answers.isKitty: return .pixels(.kitty, cell: cell, colors: colors)
    // The first number is the terminal's class.
    case .automatic where attributes.dropFirst().contains(4) && colors >= 2:
      return .pixels(.sixel, cell: cell, colors: colors)
    case .automatic, .never: return .cells
    }
  }

  /// A size that a cell can have.
  private static func usable(_ cell: PixelSize?) -> PixelSize? {
    guard let cell, (2...256).contains(cell.width), (4...512).contains(cell.height) else {
      return nil
    }
    return cell
  }
}

extension TerminalOptions {
  /// Whether a question about graphics is answered, or passed over, rather than shown: not by the
  /// Linux console and Apple's Terminal, which show strings of the application (APC) as text. tmux
  /// and screen answer for themselves, and draw over what they do not know.
  var mayBeAskedForGraphics: Bool {
    let term = environment["TERM"] ?? ""
    let hasNoColor = environment["NO_COLOR"]?.isEmpty == false
    let showsStrings =
      ["linux", "cons25", "ansi", "vt52", "sun"].contains { term.hasPrefix($0) }
      || environment["TERM_PROGRAM"] == "Apple_Terminal"
    return !isMultiplexed && !hasNoColor && !showsStrings
  }
}
