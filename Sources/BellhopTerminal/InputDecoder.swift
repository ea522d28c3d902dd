import BellhopScreen

/// A decoder of terminal input into events. Pure: the caller passes the time.
///
/// An escape byte may be a key or the start of one, so it waits `escapeDelay` for more bytes. On a
/// slow line, a sequence may arrive in pieces, and its rest must not act as keys. Bytes that follow
/// a lone escape within `continuationDelay` and continue a sequence therefore still belong to it.
struct InputDecoder {
  /// The longest wait for the rest of a sequence once the bytes are certain or likely to be one.
  static let continuationDelay = Duration.milliseconds(300)
  /// The time without a byte after which a paste without an end mark is over.
  static let pasteDelay = Duration.seconds(1)
  /// The longest time between two presses on one cell that count as a double press.
  static let doublePressDelay = Duration.milliseconds(400)

  /// The longest wait for the rest of an answer. No part of it may become a key.
  static let answerDelay = Duration.seconds(2)

  /// Whether a query is pending, so that an escape byte is probably the start of an answer.
  var awaitsAnswer = false
  /// Answers of the terminal that the caller has not taken yet.
  var answers: [TerminalAnswer] = []
  private let escapeDelay: Duration
  private var pending: [UInt8] = []
  /// Whether the escape of `pending[0]` was already emitted as a key.
  private var isContinuation = false
  private var escapeGivenAt: Duration?
  private var paste: [UInt8]?
  private var lastPress: (position: Point, at: Duration)?
  private var lastByteAt = Duration.zero
  private var events: [TerminalEvent] = []

  init(escapeDelay: Duration) {
    self.escapeDelay = escapeDelay
  }

  /// The time at which `expire` must be called unless a byte arrives before; nil for never.
  var deadline: Duration? {
    if paste != nil { return lastByteAt + Self.pasteDelay }
    if pending.isEmpty { return nil }
    if pending == [Byte.escape], !isContinuation {
      return lastByteAt + (awaitsAnswer ? Self.continuationDelay : escapeDelay)
    }
    return lastByteAt + (awaitsAnswer || isAnswer ? Self.answerDelay : Self.continuationDelay)
  }

  /// Whether the pending bytes are so much of an answer that the user can hardly have typed them.
  private var isAnswer: Bool {
    pending.count > (isContinuation ? 4 : 2) && TerminalAnswer.mayBecomeBackground(pending)
  }

  /// Decodes bytes that arrived at `now`.
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
      // The escape was held back only for an answer.
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

  /// Emits pending bytes whose continuation did not arrive in time.
  mutating func expire(at now: Duration) -> [TerminalEvent] {
    if let deadline, deadline <= now { flush(at: now) }
    return take()
  }

  /// Whether a byte is the second of a sequence, not a key.
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
    // The user typed it after Escape, unless it is more than the start of an answer.
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
      break  // Half a sequence or half a character has no meaning.
    }
    pending = []
    isContinuation = false
  }

  private mutating func emit(_ key: Key) { events.append(.key(key)) }

  // MARK: - Sequences

  /// Parses `pending` after each new byte.
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
      // The escape of the continued sequence was emitted before.
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
      if awaitsAnswer || answer.isAcceptedLate { answers.append(answer) }
    case .ignored:
      reset()
    }
  }

  /// Emits the bytes after an escape as keys.
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
    // Leaves space for the end mark after a full paste, so that it is always found.
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
      // A character may be a CR with its LF.
      lines.append(character == "\r" || character == "\r\n" ? "\n" : character)
    }
    events.append(.paste(lines))
  }
}

/// Bytes with a special meaning.
enum Byte {
  static let escape: UInt8 = 0x1B
  static let bell: UInt8 = 0x07
  static let bracket: UInt8 = 0x5B
  static let closingBracket: UInt8 = 0x5D
  static let letterO: UInt8 = 0x4F
}

/// A mouse report in the terminal's coordinates, which start at 1.
struct MouseReport: Hashable {
  var code: Int
  var column: Int
  var row: Int
  var isRelease: Bool

  /// The event of the left button or the wheel; nil for all other reports.
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
