package import BellhopWire

/// A device's part of RFC 8628 §3.5, as a value: answers in, waits out.
///
/// `Token` is the result of signing in, which differs between the store and an identity provider.
package struct SignInWait<Token: Sendable>: Sendable {
  /// The answer to a poll.
  package enum Answer: Sendable {
    case token(Token)
    case refused(OAuthErrorCode, String?)
    /// No usable answer, which says nothing about the code.
    case failed(TransportError)
  }

  package enum Step: Sendable {
    /// Poll again after this time.
    case wait(Duration)
    case signedIn(Token)
    case ended(SignInError)
  }

  private var interval: Duration
  private var retry: Duration
  private let end: Duration

  /// - Parameter instant: The present time, on a clock that does not step.
  package init(_ authorization: DeviceAuthorizationPayload, at instant: Duration) {
    interval = max(
      SignInPace.intervalShortest,
      authorization.intervalSeconds.map { .seconds(min($0, 3600)) } ?? SignInPace.intervalDefault)
    retry = interval
    end = instant + min(.seconds(max(0, authorization.expiresInSeconds)), SignInPace.lifeLongest)
  }

  /// The wait before the first poll.
  package var first: Duration { interval }

  /// Returns the step that follows an answer.
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
      retry = min(max(retry, interval) * 2, max(interval, SignInPace.unreachableLongest))
    case .failed(let error): return .ended(.refused(error.description))
    }
    guard instant + retry < end else { return .ended(.expired) }
    return .wait(retry)
  }
}

/// The reason why a sign-in failed.
package enum SignInError: Error, Hashable, Sendable {
  /// The device was denied.
  case denied
  /// The code expired before a decision.
  case expired
  /// The sign-in can't continue. The message of the store or the provider is untrusted.
  case refused(String)
}

private enum SignInPace {
  /// The increase of the interval that RFC 8628 §3.5 requires.
  static let slowDownStep = Duration.seconds(5)
  /// The interval of §3.2 if none is given, and the shortest interval that is accepted.
  static let intervalDefault = Duration.seconds(5)
  static let intervalShortest = Duration.seconds(1)
  /// The longest wait that an address may require before the next poll.
  static let retryLongest = Duration.seconds(60)
  /// The longest wait while an address can't be reached. The wait doubles up to this.
  ///
  /// A person waits in front of the device, perhaps for a store that only restarts.
  static let unreachableLongest = Duration.seconds(15)
  /// The longest time that a code is waited for, whatever its reported lifetime.
  static let lifeLongest = Duration.seconds(86_400)
}
