/// The time limits for a client that sends a request.
///
/// Only the time in which the server waits for the client counts, not the time in which the server
/// itself is busy.
struct ReadingPace: Sendable {
  /// A time since the same instant as every `now`.
  typealias Instant = Duration

  struct Limits: Hashable, Sendable {
    /// The time limit for the head of a request.
    var head: Duration
    /// The time limit for a body, in addition to its transfer time at ``bytesPerSecondMin``.
    var body: Duration
    var bytesPerSecondMin: Int
  }

  private enum Phase {
    /// Between requests, where the connection's idle timeout applies.
    case between
    case head
    /// In the body, with the number of its bytes so far.
    case body(Int)
  }

  private let limits: Limits
  private var phase = Phase.head
  private var waited = Duration.zero
  private var waitingSince: Instant?

  /// Creates the pace of a new connection, which waits for the head of its first request.
  init(_ limits: Limits) {
    self.limits = limits
  }

  /// Notes that the server requests more bytes.
  mutating func beginWaiting(at now: Instant) {
    if waitingSince == nil { waitingSince = now }
  }

  /// Notes that the available bytes were read.
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

  /// Begins another phase, for which earlier waiting no longer counts.
  private mutating func enter(_ phase: Phase) {
    self.phase = phase
    waited = .zero
    waitingSince = nil
  }

  /// The time at which the client is too late if nothing arrives; nil while not waiting.
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
