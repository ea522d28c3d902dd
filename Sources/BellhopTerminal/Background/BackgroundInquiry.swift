import BellhopScreen

/// The query for the terminal's background colour, repeated after each change. Pure: the caller
/// passes the time.
///
/// The query is OSC 11 (XTerm Control Sequences, "Operating System Commands"), followed by one that
/// every terminal answers (DA1). Mode 2031 reports a change to dark or light, without the colour.
struct BackgroundInquiry {
  private let mayAsk: Bool
  /// The time of the pending query; nil once it is answered or given up.
  private var askedAt: Duration?
  /// The end of the time in which an escape byte is probably the start of an answer.
  private var awaitedUntil: Duration?
  /// The end of the time in which a late answer is accepted.
  private var graceEnd: Duration?
  /// The last report of mode 2031, until an answer replaces it.
  private var reported: Color?
  /// Whether another query is due.
  private var asksAgain = false
  /// A background colour that has not been reported yet.
  private var found: Color?
  /// Whether the terminal answered the last query.
  private var isAnswered = false

  /// The longest wait for an answer before a report of mode 2031 is used instead.
  static let patience = Duration.milliseconds(200)
  /// The decoder's wait for more bytes after an escape byte if the terminal does not answer.
  static let hold = Duration.seconds(2)
  /// The longest time after a query in which an answer is accepted. Connections may be slow.
  static let grace = Duration.seconds(10)

  init(options: TerminalOptions) { mayAsk = options.mayBeAskedForBackground }

  /// Returns the query to write; nil if the terminal must not be queried or a query is pending.
  mutating func begin(at now: Duration) -> String? {
    guard mayAsk else { return nil }
    // The pending answer may predate the change.
    asksAgain = askedAt != nil
    guard askedAt == nil else { return nil }
    askedAt = now
    isAnswered = false
    awaitedUntil = now + Self.hold
    graceEnd = now + Self.grace
    // Ends with BEL: some terminals repeat the terminator in their answer and cannot write the
    // other one.
    return "\u{1B}]11;?\u{07}\u{1B}[c"
  }

  /// Returns the next query to write, after a report or after a call of ``begin(at:)`` that was too
  /// early.
  mutating func next(at now: Duration) -> String? {
    asksAgain && askedAt == nil ? begin(at: now) : nil
  }

  /// The time at which ``expire(at:)`` must be called.
  var deadline: Duration? { askedAt.map { $0 + Self.patience } }

  /// Whether incoming bytes may be an answer.
  func isAwaiting(at now: Duration) -> Bool { awaitedUntil.map { now < $0 } ?? false }

  /// Accepts the terminal's answer.
  mutating func take(_ color: Color, at now: Duration) {
    guard let graceEnd, now < graceEnd else { return }
    found = color
    isAnswered = true
    reported = nil
  }

  /// Accepts a report of mode 2031.
  mutating func take(isLight: Bool) {
    guard mayAsk else { return }
    reported = .rgb(isLight ? 0xFFFFFF : 0x000000)
    asksAgain = true
  }

  /// Ends the query: the terminal has answered everything.
  mutating func end() {
    awaitedUntil = nil
    finish()
  }

  /// Gives up a query that has taken too long.
  ///
  /// - Returns: Whether the terminal did not answer. It may then have displayed the query as text.
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

  /// Returns the background that was found since the last call.
  mutating func takeFound() -> Color? {
    defer { found = nil }
    return found
  }
}

extension TerminalOptions {
  /// Whether the terminal answers or ignores a query for the background instead of displaying it.
  ///
  /// Consoles and old terminals display it. tmux and screen answer with the background they know.
  var mayBeAskedForBackground: Bool {
    let term = environment["TERM"] ?? ""
    let hasNoColor = environment["NO_COLOR"]?.isEmpty == false || colorDepth == .monochrome
    let showsStrings = [
      "linux", "cons25", "ansi", "vt52", "vt1", "vt2", "sun", "eterm", "dumb",
    ].contains { term.hasPrefix($0) }
    return !hasNoColor && !showsStrings && !term.isEmpty
  }
}
