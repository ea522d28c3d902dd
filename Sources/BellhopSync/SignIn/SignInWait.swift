package import BellhopWire

/// A device's side of RFC 8628 §3.5, as a value: answers in, waits out.
///
/// `Token` is what signing in gives: the store and an identity provider answer with different ones.
package struct SignInWait<Token: Sendable>: Sendable {
  /// What was answered to a poll.
  package enum Answer: Sendable {
    case token(Token)
    case refused(OAuthErrorCode, String?)
    /// No usable answer, which says nothing about the code.
    case failed(TransportError)
  }

  package enum Step: Sendable {
    /// Poll again after this.
    case wait(Duration)
    case signedIn(Token)
    case ended(SignInFailure)
  }

  private var interval: Duration
  private var retry: Duration
  private let end: Duration

  /// - Parameter instant: now, on a clock that does not step.
  package init(_ authorization: DeviceAuthorizationPayload, at instant: Duration) {
    interval = max(
      SignInPace.intervalShortest,
      authorization.intervalSeconds.map { .seconds(min($0, 3600)) } ?? SignInPace.intervalDefault)
    retry = interval
    end = instant + min(.seconds(max(0, authorization.expiresInSeconds)), SignInPace.lifeLongest)
  }

  /// How long to wait before the first poll.
  package var first: Duration { interval }

  /// What to do after an answer.
  package mutating func take(_ answer: Answer, at instant: Duration) -> Step {
    switch answer {
    case .token(let token): return .signedIn(token)
    case .refused(.authorizationPending, _): retry = interval
    case .refused(.slowDown, _):
      interval += SignInPace.slowDownStep
      retry = interval
    case .refused(.accessDenied, _): return .ended(.denied)
    case .refused(.expiredToken, _): return .ended(.expired)
    case .refused(let error, let message): return .ended(.refused(message ?? error.rawValue))
    case .failed(.throttled(let retryAfter)):
      retry = max(interval, min(retryAfter ?? interval * 2, SignInPace.retryLongest))
    case .failed(let error) where error.isUnreachable:
      retry = min(max(retry, interval) * 2, max(interval, SignInPace.retryLongest))
    case .failed(let error): return .ended(.refused(error.description))
    }
    guard instant + retry < end else { return .ended(.expired) }
    return .wait(retry)
  }
}

/// Why nothing came of a sign-in.
package enum SignInFailure: Error, Hashable, Sendable {
  /// Somebody turned the device away.
  case denied
  /// Nobody decided in time.
  case expired
  /// It does not go on, in the words of whoever was asked, which are untrusted.
  case refused(String)
}

private enum SignInPace {
  /// What RFC 8628 §3.5 asks for.
  static let slowDownStep = Duration.seconds(5)
  /// What §3.2 says when none is named, and no shorter one is believed.
  static let intervalDefault = Duration.seconds(5)
  static let intervalShortest = Duration.seconds(1)
  /// Whoever cannot be reached is asked again after twice the time, up to this.
  static let retryLongest = Duration.seconds(60)
  /// A code is waited for no longer, whatever is said of it.
  static let lifeLongest = Duration.seconds(86_400)
}
