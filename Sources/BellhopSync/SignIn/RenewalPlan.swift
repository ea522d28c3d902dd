import BellhopModel

/// The schedule for renewing a provider's token, as a value: a sign-in and the time in, a step out.
struct RenewalPlan: Sendable {
  enum Step: Hashable, Sendable {
    /// The token is valid.
    case use
    /// The token is valid for a little longer, and is to be renewed meanwhile.
    case renewEarly
    /// The token has expired and must be renewed.
    case renew
    /// The token can't be renewed, and the user must sign in again.
    case signInAgain
  }

  /// The time before a token's expiry at which it is renewed.
  ///
  /// A token with a shorter life is renewed after three quarters of it. Requests on their way, and
  /// clocks of other machines, have that much time.
  private static let margin = Duration.seconds(60)
  /// The pause after a provider did not answer, while a token is still valid.
  ///
  /// It doubles with each further failure.
  private static let pauseFirst = Duration.seconds(5)
  private static let pauseLongest = Duration.seconds(60)

  private var pause = Duration.zero
  private var failed: Timestamp?

  /// Returns the step for the sign-in's token at the time `now` of this machine.
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
    // Issued in the future: this machine's clock was set back, and does not show the token's age.
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
