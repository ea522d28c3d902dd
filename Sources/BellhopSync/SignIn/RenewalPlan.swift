import BellhopModel

/// When a provider's token is renewed, as a value: a sign-in and the time in, a step out.
struct RenewalPlan: Sendable {
  enum Step: Hashable, Sendable {
    /// The token is good.
    case use
    /// The token is good for a little longer; a new one is to be had meanwhile.
    case renewEarly
    /// Without a new token there is none.
    case renew
    /// Only the person can go on.
    case signInAgain
  }

  /// A token is renewed this long before it ends, or after three quarters of a shorter life: a
  /// request that is on its way, and the clocks of others, have that much time.
  private static let margin = Duration.seconds(60)
  /// While a token still holds, a provider that did not answer is left alone this long, and twice
  /// as long after each further failure.
  private static let pauseFirst = Duration.seconds(5)
  private static let pauseLongest = Duration.seconds(60)

  private var pause = Duration.zero
  private var failed: Timestamp?

  /// What to do about the sign-in's token at this time of this machine.
  func step(for signIn: ProviderSignIn, at now: Timestamp) -> Step {
    guard let expires = signIn.expires else { return .use }
    let isOver = now >= expires
    if isOver { return signIn.refreshToken == nil ? .signInAgain : .renew }
    guard signIn.refreshToken != nil, isDue(signIn, expires, at: now), !isPausing(at: now) else {
      return .use
    }
    return .renewEarly
  }

  private func isDue(_ signIn: ProviderSignIn, _ expires: Timestamp, at now: Timestamp) -> Bool {
    // Made in the future: this machine's clock was set back, and says nothing of the token.
    guard now >= signIn.issued else { return true }
    let margin = min(Self.margin, expires.duration(since: signIn.issued) / 4)
    return now.advanced(by: margin) >= expires
  }

  private func isPausing(at now: Timestamp) -> Bool {
    guard let failed, now >= failed else { return false }
    return now < failed.advanced(by: pause)
  }

  mutating func noteRenewed() {
    failed = nil
    pause = .zero
  }

  mutating func noteFailed(at now: Timestamp) {
    failed = now
    pause = pause == .zero ? Self.pauseFirst : min(pause * 2, Self.pauseLongest)
  }
}
