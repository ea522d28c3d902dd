internal import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire
internal import Dispatch
internal import Glibc

/// A dialogue that shows a code and waits until the user approves it on another device (RFC 8628).
struct SignInDialogue: Sendable {
  let account: Account
  let context: ClientContext

  /// Returns the device's token.
  ///
  /// - Throws: `ClientError`. Nothing is saved then.
  func run(_ transport: HTTPTransport, channel: ChannelType) throws -> AccessTokenPayload {
    let authorization = try runBlocking {
      do throws(TransportError) {
        return try await transport.authorizeDevice(channel: channel)
      } catch {
        throw Commands.notSignedIn(error)
      }
    }
    return try Self.wait(
      for: authorization, showing: { show(authorization) },
      poll: { await transport.pollToken($0) })
  }

  private func show(_ authorization: DeviceAuthorizationPayload) {
    let minutes = max(1, authorization.expiresInSeconds / 60)
    let page = authorization.verificationURIComplete ?? authorization.verificationURI
    let isPage = page.hasPrefix("http://") || page.hasPrefix("https://")
    // The code comes last, so that it stays visible on a small terminal.
    let hasPicture =
      isPage
      && QRCode(of: page, environment: context.environment)?
        .show(environment: context.environment) == true
    if isPage, !hasPicture {
      StandardError.say("Instructions are also on \(authorization.verificationURI)")
    }
    StandardError.say(
      """
      To sign in \(account.deviceName) to \(account.url), run this on a device that is signed in:
          bellhop devices approve \(authorization.userCode)
      Waiting for up to \(minutes) minute\(minutes == 1 ? "" : "s"). Ctrl-C gives up.
      """)
  }

  /// Shows the instructions, and polls until there is an answer. Ctrl-C cancels.
  static func wait<Token: Sendable>(
    for authorization: DeviceAuthorizationPayload, showing show: () -> Void,
    poll: @escaping @Sendable (_ deviceCode: String) async -> SignInWait<Token>.Answer
  ) throws -> Token {
    let interruption = Interruption(
      saying: "\nNot signed in: you stopped waiting. Nothing was changed.")
    defer { interruption.end() }
    // The user may press Ctrl-C as soon as the text offers it.
    show()
    return try runBlocking {
      let clock = ContinuousClock()
      let start = clock.now
      var state = SignInWait<Token>(authorization, at: .zero)
      var pause = state.first
      while true {
        try await clock.sleep(for: pause)
        let answer = await poll(authorization.deviceCode)
        switch state.take(answer, at: start.duration(to: clock.now)) {
        case .wait(let next): pause = next
        case .signedIn(let token): return token
        case .ended(let failure): throw error(failure)
        }
      }
    }
  }

  static func error(_ failure: SignInError) -> ClientError {
    switch failure {
    case .denied:
      ClientError(
        .notAllowed, "Not signed in: another device refused this one.",
        next: "Nothing was changed.")
    case .expired:
      ClientError(
        .tryLater, "Not signed in: no other device approved this one in time.",
        next: "Nothing was changed. Run bellhop login again for a new code.")
    case .refused(let reason):
      ClientError(
        .storeUnavailable, "Not signed in: \(reason.clause).",
        next: "Nothing was changed. Run bellhop login again for a new code.")
    }
  }
}

/// A handler that lets Ctrl-C end a wait with a message.
///
/// The program then ends by the signal, as its caller expects.
final class Interruption {
  private let source: any DispatchSourceSignal

  init(saying words: String) {
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler { @Sendable in
      StandardError.say(words)
      signal(SIGINT, SIG_DFL)
      kill(getpid(), SIGINT)
    }
    // Until the registration, Ctrl-C ends the program without the message.
    let registered = DispatchGroup()
    registered.enter()
    source.setRegistrationHandler { @Sendable in registered.leave() }
    source.resume()
    registered.wait()
  }

  /// Restores the previous effect of Ctrl-C.
  func end() {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }
}
