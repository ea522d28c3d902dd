import BellhopScreen

/// Turns the bytes a terminal sends into events. Pure: time is handed in.
///
/// An escape byte may be the key or the beginning of one, so it waits `escapeDelay` for more. When a
/// slow line splits a key, its rest must not act as keys of their own: what follows a lone escape
/// within `continuationDelay` and continues a sequence is still taken as one.
struct InputDecoder {
  /// How long the rest of a sequence may take once it is certain, or likely, that it is one.
  static let continuationDelay = Duration.milliseconds(300)
  /// A paste whose end is lost is over after this long without a byte.
  static let pasteDelay = Duration.seconds(1)
  /// Two presses within this time at one cell are a double press.
  static let doublePressDelay = Duration.milliseconds(400)

  /// How long the rest of an answer may take: none of it may become keys.
  static let answerDelay = Duration.seconds(2)

  /// Whether the terminal was asked something, so that an escape byte is likely the beginning of an
  /// answer.
  var awaitsAnswer = false
  /// What the terminal answered, as far as nobody has taken it.
  var answers: [TerminalAnswer] = []
  private let escapeDelay: Duration
  private var pending: [UInt8] = []
  /// The escape of `pending[0]` was already given out as a key.
  private var isContinuation = false
  private var escapeGivenAt: Duration?
  private var paste: [UInt8]?
  private var lastPress: (position: Point, at: Duration)?
  private var lastByteAt = Duration.zero
  private var events: [TerminalEvent] = []

  init(escapeDelay: Duration) {
    self.escapeDelay = escapeDelay
  }

  /// When `expire` has to be called if no byte comes before; nil for never.
  var deadline: Duration? {
    if paste != nil { return lastByteAt + Self.pasteDelay }
    if pending.isEmpty { return nil }
    if pending == [Byte.escape], !isContinuation {
      return lastByteAt + (awaitsAnswer ? Self.continuationDelay : escapeDelay)
    }
    return lastByteAt + (awaitsAnswer || isAnswer ? Self.answerDelay : Self.continuationDelay)
  }

  /// Whether the pending bytes are so much of an answer that a person hardly typed them.
  private var isAnswer: Bool {
    pending.count > (isContinuation ? 4 : 2) && TerminalAnswer.mayBecomeBackground(pending)
  }

  /// Takes bytes that arrived at `now`.
  mutating func feed(_ bytes: some Sequence<UInt8>, at now: Duration) -> [TerminalEvent] {
    if let deadline, deadline <= now { flush(at: deadline) }
    var pause = now - lastByteAt
    lastByteAt = now
    for byte in bytes {
      if paste != nil {
        takePasted(byte)
        continue
      }
      if pending.isEmpty, let given = escapeGivenAt, continues(byte, after: now - given) {
        pending = [Byte.escape]
        isContinuation = true
      }
      // Held back for an answer only.
      let isHeld = pending == [Byte.escape] && pause > escapeDelay
      pause = .zero
      if isHeld, !isContinuation, !continues(byte, after: .zero) {
        pending = []
        emit(.escape)
      }
      escapeGivenAt = nil
      pending.append(byte)
      parse()
    }
    return take()
  }

  /// Gives out what waited in vain for more bytes.
  mutating func expire(at now: Duration) -> [TerminalEvent] {
    if let deadline, deadline <= now { flush(at: now) }
    return take()
  }

  /// Whether a byte is the second of a sequence rather than a key.
  private func continues(_ byte: UInt8, after pause: Duration) -> Bool {
    switch byte {
    case Byte.bracket, Byte.letterO: pause <= Self.continuationDelay
    case Byte.closingBracket: pause <= (awaitsAnswer ? Self.answerDelay : Self.continuationDelay)
    case UInt8(ascii: "_"): awaitsAnswer && pause <= Self.continuationDelay
    default: false  // open: UInt8
    }
  }

  private mutating func take() -> [TerminalEvent] {
    defer { events = [] }
    return events
  }

  private mutating func flush(at now: Duration) {
    if paste != nil { finishPaste() }
    guard !pending.isEmpty else { return }
    // Typed after Escape, as far as nothing but a beginning is there.
    if isContinuation, pending[1...].first == Byte.closingBracket, !isAnswer { return retype() }
    switch (pending.count, isContinuation) {
    case (1, false) where pending[0] == Byte.escape:
      emit(.escape)
      escapeGivenAt = now
    case (2, false) where pending[0] == Byte.escape:
      emit(.alt(Character(Unicode.Scalar(pending[1]))))
    case (2, true):
      emit(.character(Character(Unicode.Scalar(pending[1]))))
    default:  // open: (Int, Bool)
      break  // Half a sequence, or half a character: it means nothing.
    }
    pending = []
    isContinuation = false
  }

  private mutating func emit(_ key: Key) { events.append(.key(key)) }

  // MARK: - Sequences

  /// Reads `pending`, one more byte long than the last time.
  private mutating func parse() {
    if isContinuation, pending[1...].first == Byte.closingBracket,
      !TerminalAnswer.mayBecomeBackground(pending)
    {
      return retype()
    }
    switch EscapeSequence.parse(pending) {
    case .incomplete:
      if pending.count > TerminalLimits.sequenceBytesMax { reset() }
    case .key(let key):
      reset()
      emit(key)
    case .keys(let first, let rest):
      // The escape of a sequence that goes on was given out before.
      let key = isContinuation ? Key.character(Character(Unicode.Scalar(pending[1]))) : first
      reset()
      emit(key)
      pending = rest
      parse()
    case .cutOff(let rest):
      reset()
      pending = rest
      parse()
    case .mouse(let report):
      reset()
      take(report)
    case .focus(let isFocused):
      reset()
      events.append(.focus(isFocused))
    case .pasteBegin:
      reset()
      paste = []
    case .answer(let answer):
      reset()
      if awaitsAnswer || answer.isTakenLate { answers.append(answer) }
    case .ignored:
      reset()
    }
  }

  /// Gives out the bytes behind an escape as keys.
  private mutating func retype() {
    let typed = pending.dropFirst()
    reset()
    for byte in typed {
      pending.append(byte)
      parse()
    }
  }

  private mutating func reset() {
    pending = []
    isContinuation = false
  }

  private mutating func take(_ report: MouseReport) {
    guard var event = report.event else { return }
    if event.action == .press {
      if let last = lastPress, last.position == event.position,
        lastByteAt - last.at <= Self.doublePressDelay
      {
        event.action = .doublePress
        lastPress = nil
      } else {
        lastPress = (event.position, lastByteAt)
      }
    }
    events.append(.mouse(event))
  }

  // MARK: - Paste

  private mutating func takePasted(_ byte: UInt8) {
    let end: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]  // ESC [ 201 ~
    guard var text = paste else { return }
    // The end mark fits beside a full paste, so that it is always found.
    if text.count >= TerminalLimits.pasteBytesMax + end.count {
      text.removeSubrange(TerminalLimits.pasteBytesMax..<(TerminalLimits.pasteBytesMax + 1))
    }
    text.append(byte)
    paste = text
    guard text.suffix(end.count).elementsEqual(end) else { return }
    paste = Array(text.dropLast(end.count))
    finishPaste()
  }

  private mutating func finishPaste() {
    guard let bytes = paste else { return }
    paste = nil
    let text = String(decoding: bytes.prefix(TerminalLimits.pasteBytesMax), as: UTF8.self)
    var lines = ""
    for character in text {
      // A character can be a CR with its LF.
      lines.append(character == "\r" || character == "\r\n" ? "\n" : character)
    }
    events.append(.paste(lines))
  }
}

/// Bytes with a meaning of their own.
enum Byte {
  static let escape: UInt8 = 0x1B
  static let bell: UInt8 = 0x07
  static let bracket: UInt8 = 0x5B
  static let closingBracket: UInt8 = 0x5D
  static let letterO: UInt8 = 0x4F
}

/// A mouse report as the terminal sends it, counted from 1.
struct MouseReport: Hashable {
  var code: Int
  var column: Int
  var row: Int
  var isRelease: Bool

  /// What we take from it: the left button and the wheel; nil for the rest.
  var event: MouseEvent? {
    guard column >= 1, row >= 1 else { return nil }
    let position = Point(x: column - 1, y: row - 1)
    let modifiers = 4 | 8 | 16
    switch code & ~modifiers {
    case 0: return MouseEvent(isRelease ? .release : .press, at: position)
    case 32: return MouseEvent(.drag, at: position)
    case 64: return MouseEvent(.wheelUp, at: position)
    case 65: return MouseEvent(.wheelDown, at: position)
    default: return nil  // open: Int
    }
  }
}
