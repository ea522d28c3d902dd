import BellhopNetwork
import BellhopSync
import BellhopWire
import Testing

/// A device's side of RFC 8628 §3.5.
@Suite struct SignInWaitTests {
  private typealias Wait = SignInWait<AccessTokenPayload>

  private static func authorization(_ seconds: Int, interval: Int?) -> DeviceAuthorizationPayload {
    DeviceAuthorizationPayload(
      deviceCode: "d", userCode: "BCDF-GHJK", verificationURI: "https://s/",
      verificationURIComplete: nil, expiresInSeconds: seconds, intervalSeconds: interval)
  }

  /// The next wait; nil when it is over.
  private static func pause(_ step: Wait.Step) -> Duration? {
    if case .wait(let pause) = step { pause } else { nil }
  }

  @Test("it waits the interval, or five seconds without one, and never less than one")
  func intervals() {
    for (interval, expected) in [(nil, 5), (7, 7), (0, 1), (-3, 1)] as [(Int?, Int64)] {
      var wait = Wait(Self.authorization(600, interval: interval), at: .zero)
      #expect(wait.first == .seconds(expected))
      let step = wait.take(.refused(.authorizationPending, nil), at: .seconds(5))
      #expect(Self.pause(step) == .seconds(expected))
    }
  }

  @Test("slow_down adds five seconds permanently")
  func slowDown() {
    var wait = Wait(Self.authorization(600, interval: 5), at: .zero)
    #expect(Self.pause(wait.take(.refused(.slowDown, nil), at: .seconds(5))) == .seconds(10))
    let pending = wait.take(.refused(.authorizationPending, nil), at: .seconds(15))
    #expect(Self.pause(pending) == .seconds(10))
    #expect(Self.pause(wait.take(.refused(.slowDown, nil), at: .seconds(25))) == .seconds(15))
  }

  @Test("an unreachable store is polled less often, but still every 15 s, and then as before")
  func offline() {
    var wait = Wait(Self.authorization(6000, interval: 5), at: .zero)
    var pauses: [Duration] = []
    for second in 1...5 {
      let step = wait.take(
        .failed(.offline(.noRoute(.socket(path: "/store.sock")))), at: .seconds(second))
      pauses.append(Self.pause(step) ?? .zero)
    }
    #expect(pauses == [.seconds(10), .seconds(15), .seconds(15), .seconds(15), .seconds(15)])
    let pending = wait.take(.refused(.authorizationPending, nil), at: .seconds(200))
    #expect(Self.pause(pending) == .seconds(5))
    let busy = wait.take(.failed(.throttled(retryAfter: .seconds(30))), at: .seconds(205))
    #expect(Self.pause(busy) == .seconds(30))
  }

  @Test(
    "it ends with the token, a refusal, or the time limit",
    arguments: [
      (OAuthErrorCode.accessDenied, SignInError.denied), (.expiredToken, .expired),
      (.invalidGrant, .refused("used")),
    ])
  func ends(code: OAuthErrorCode, failure: SignInError) {
    var wait = Wait(Self.authorization(600, interval: 5), at: .zero)
    guard case .ended(failure) = wait.take(.refused(code, "used"), at: .seconds(5)) else {
      Issue.record("\(code)")
      return
    }
  }

  @Test("no wait goes past the code's expiry")
  func expiry() {
    var wait = Wait(Self.authorization(20, interval: 5), at: .seconds(100))
    let early = wait.take(.refused(.authorizationPending, nil), at: .seconds(114))
    #expect(Self.pause(early) == .seconds(5))
    guard
      case .ended(.expired) = wait.take(.refused(.authorizationPending, nil), at: .seconds(115))
    else {
      Issue.record("it would wait longer")
      return
    }
  }
}
