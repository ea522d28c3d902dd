public import BellhopWire

/// A device's side of RFC 8628 §3.5, as a value: answers in, waits out.
public struct SignInWait: Sendable {
  /// What the store answered to a poll.
  public enum Answer: Sendable {
    case token(AccessTokenPayload)
    case refused(OAuthErrorCode, String?)
    /// No usable answer, which says nothing about the code.
    case failed(TransportError)
  }

  public enum Step: Sendable {
    /// Poll again after this.
    case wait(Duration)
    case signedIn(AccessTokenPayload)
    case ended(Failure)
  }

  /// Why nothing came of it.
  public enum Failure: Error, Hashable, Sendable {
    /// Somebody turned the device away.
    case denied
    /// Nobody decided in time.
    case expired
    /// The store does not go on, in its words, which are untrusted.
    case refused(String)
  }

  /// What RFC 8628 §3.5 asks for.
  private static let slowDownStep = Duration.seconds(5)
  /// What §3.2 says when the store names none, and no shorter one is believed.
  private static let intervalDefault = Duration.seconds(5)
  private static let intervalShortest = Duration.seconds(1)
  /// A store that cannot be reached is asked again after twice the time, up to this.
  private static let retryLongest = Duration.seconds(60)
  /// A code is waited for no longer, whatever the store says.
  private static let lifeLongest = Duration.seconds(86_400)

  private var interval: Duration
  private var retry: Duration
  private let end: Duration

  /// - Parameter instant: now, on a clock that does not step.
  public init(_ authorization: DeviceAuthorizationPayload, at instant: Duration) {
    interval = max(
      Self.intervalShortest,
      authorization.intervalSeconds.map { .seconds(min($0, 3600)) } ?? Self.intervalDefault)
    retry = interval
    end = instant + min(.seconds(max(0, authorization.expiresInSeconds)), Self.lifeLongest)
  }

  /// How long to wait before the first poll.
  public var first: Duration { interval }

  /// What to do after an answer.
  public mutating func take(_ answer: Answer, at instant: Duration) -> Step {
    switch answer {
    case .token(let token): return .signedIn(token)
    case .refused(.authorizationPending, _): retry = interval
    case .refused(.slowDown, _):
      interval += Self.slowDownStep
      retry = interval
    case .refused(.accessDenied, _): return .ended(.denied)
    case .refused(.expiredToken, _): return .ended(.expired)
    case .refused(let error, let message): return .ended(.refused(message ?? error.rawValue))
    case .failed(.throttled(let retryAfter)):
      retry = max(interval, min(retryAfter ?? interval * 2, Self.retryLongest))
    case .failed(let error) where error.isUnreachable:
      retry = min(max(retry, interval) * 2, max(interval, Self.retryLongest))
    case .failed(let error): return .ended(.refused(error.description))
    }
    guard instant + retry < end else { return .ended(.expired) }
    return .wait(retry)
  }
}
