import BellhopScreen

/// Asks the terminal for its background, and again when the terminal reports a change. Pure: time is
/// handed in.
///
/// The question is OSC 11 (XTerm Control Sequences, "Operating System Commands"), followed by one that
/// every terminal answers (DA1). Mode 2031 reports a change as dark or light, without the colour.
struct BackgroundInquiry {
  private let mayAsk: Bool
  /// The time of the running question; nil when it is answered or given up.
  private var askedAt: Duration?
  /// The end of the time in which an escape byte is likely the beginning of an answer.
  private var awaitedUntil: Duration?
  /// The end of the time in which a late answer is taken.
  private var graceEnd: Duration?
  /// The last report of mode 2031, until an answer replaces it.
  private var reported: Color?
  /// Whether the terminal has to be asked once more.
  private var asksAgain = false
  /// The background that was not yet handed out.
  private var found: Color?
  /// Whether the last question was answered.
  private var isAnswered = false

  /// The longest wait before a report is taken instead of an answer.
  static let patience = Duration.milliseconds(200)
  /// How long the decoder waits for the rest behind an escape byte if the terminal does not answer.
  static let hold = Duration.seconds(2)
  /// The longest time after the question at which an answer is taken; connections may be slow.
  static let grace = Duration.seconds(10)

  init(options: TerminalOptions) { mayAsk = options.mayBeAskedForBackground }

  /// The question to write; nil if the terminal must not be asked, or was asked a moment ago.
  mutating func begin(at now: Duration) -> String? {
    guard mayAsk else { return nil }
    // The running answer may be of the time before a change.
    asksAgain = askedAt != nil
    guard askedAt == nil else { return nil }
    askedAt = now
    isAnswered = false
    awaitedUntil = now + Self.hold
    graceEnd = now + Self.grace
    // Ended by BEL: some terminals answer with the end of the question, and cannot write the other.
    return "\u{1B}]11;?\u{07}\u{1B}[c"
  }

  /// The next question to write, after a report or a call of ``begin(at:)`` that came too early.
  mutating func next(at now: Duration) -> String? {
    asksAgain && askedAt == nil ? begin(at: now) : nil
  }

  /// When ``expire(at:)`` has to be called.
  var deadline: Duration? { askedAt.map { $0 + Self.patience } }

  /// Whether what comes may be an answer.
  func isAwaiting(at now: Duration) -> Bool { awaitedUntil.map { now < $0 } ?? false }

  /// Takes the terminal's answer.
  mutating func take(_ color: Color, at now: Duration) {
    guard let graceEnd, now < graceEnd else { return }
    found = color
    isAnswered = true
    reported = nil
  }

  /// Takes the report of a change.
  mutating func take(isLight: Bool) {
    guard mayAsk else { return }
    reported = .rgb(isLight ? 0xFFFFFF : 0x000000)
    asksAgain = true
  }

  /// The terminal has answered everything.
  mutating func end() {
    awaitedUntil = nil
    finish()
  }

  /// Gives up waiting.
  ///
  /// - Returns: whether the terminal said nothing: it may have shown the question.
  mutating func expire(at now: Duration) -> Bool {
    guard let deadline, deadline <= now else { return false }
    finish()
    return !isAnswered
  }

  private mutating func finish() {
    askedAt = nil
    guard let reported, !asksAgain else { return }
    found = reported
    self.reported = nil
  }

  /// The background that was found since the last call.
  mutating func takeFound() -> Color? {
    defer { found = nil }
    return found
  }
}

extension TerminalOptions {
  /// Whether a question about the background is answered, or passed over, rather than shown: not by
  /// consoles and old terminals. tmux and screen answer what they know of it.
  var mayBeAskedForBackground: Bool {
    let term = environment["TERM"] ?? ""
    let hasNoColor = environment["NO_COLOR"]?.isEmpty == false || colorDepth == .monochrome
    let showsStrings = [
      "linux", "cons25", "ansi", "vt52", "vt1", "vt2", "sun", "eterm", "dumb",
    ].contains { term.hasPrefix($0) }
    return !hasNoColor && !showsStrings && !term.isEmpty
  }
}
