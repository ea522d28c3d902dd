/// Decides whether a client takes too long over a request. Only time in which the server waits for
/// the client counts, never time in which the server is busy itself.
struct ReadingPace: Sendable {
  /// Times since the same instant as every `now`.
  typealias Instant = Duration

  struct Limits: Hashable, Sendable {
    /// For the head of a request.
    var head: Duration
    /// For a body, beside what its bytes may take at ``bytesPerSecondMin``.
    var body: Duration
    var bytesPerSecondMin: Int
  }

  private enum Phase {
    /// Between requests, where the idle time-out of the connection counts.
    case between
    case head
    /// With the bytes of the body so far.
    case body(Int)
  }

  private let limits: Limits
  private var phase = Phase.head
  private var waited = Duration.zero
  private var waitingSince: Instant?

  /// A connection that was just made, and owes the head of its first request.
  init(_ limits: Limits) {
    self.limits = limits
  }

  /// The server asks for more.
  mutating func beginWaiting(at now: Instant) {
    if waitingSince == nil { waitingSince = now }
  }

  /// What there was is read.
  mutating func endWaiting(at now: Instant) {
    if let since = waitingSince { waited += now - since }
    waitingSince = nil
  }

  mutating func received(_ bytes: Int) {
    switch phase {
    case .between: enter(.head)
    case .head: break
    case .body(let sum): phase = .body(sum + bytes)
    }
  }

  mutating func headIsComplete() { enter(.body(0)) }
  mutating func requestIsComplete() { enter(.between) }

  /// Something arrived that begins another phase, so what was waited for it counts no more.
  private mutating func enter(_ phase: Phase) {
    self.phase = phase
    waited = .zero
    waitingSince = nil
  }

  /// When the client is too late unless more arrives; nil while nothing is waited for.
  var deadline: Instant? {
    guard let waitingSince else { return nil }
    switch phase {
    case .between: return nil
    case .head: return waitingSince + limits.head - waited
    case .body(let bytes):
      let transfer = Duration.seconds(1) * bytes / max(1, limits.bytesPerSecondMin)
      return waitingSince + limits.body + transfer - waited
    }
  }
}
