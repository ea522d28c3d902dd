package import BellhopModel

/// The storage of a sign-in at an identity provider, for all processes of the account.
package protocol SignInStorage: Sendable {
  /// Loads the sign-in. Returns nil if there is none.
  func load() throws -> ProviderSignIn?
  /// Saves the sign-in completely or not at all.
  func save(_ signIn: ProviderSignIn) throws
  /// Makes the lock to hold while tokens are renewed. A refresh token can be used only once.
  func makeLock() -> EngineLock
}

/// A client that renews tokens.
package protocol TokenRenewing: Sendable {
  /// - Throws: An error that means to try again later.
  func renew(_ signIn: ProviderSignIn) async throws(TransportError) -> TokenRenewal
}

/// The provider's answer to the renewal of a token.
package enum TokenRenewal: Sendable {
  case renewed(ProviderTokenAnswer)
  case refused(ProviderSignIn.Refusal)
}

/// The tokens of an identity provider, renewed before they expire.
///
/// Among all requests in all processes of the account, one renews the token. The others wait for
/// it, or use the token that it saved. While the provider does not answer, a token is used until it
/// expires.
package actor ProviderTokens: TokenSource {
  private typealias Renewed = Result<String, TransportError>

  private let storage: any SignInStorage
  private let provider: any TokenRenewing
  private let localTime: @Sendable () -> Timestamp
  private let clock: any Clock<Duration>
  private var plan = RenewalPlan()
  /// The renewal in progress in this process.
  private var flight: Task<Renewed, Never>?
  /// The sign-in that could not be saved, for example on a full disk.
  ///
  /// `old` is the access token in the file, which it is to replace.
  private var unwritten: (signIn: ProviderSignIn, old: String)?

  /// - Parameters:
  ///   - localTime: This machine's clock.
  ///   - clock: The clock for waiting only.
  package init(
    storage: any SignInStorage, provider: any TokenRenewing,
    localTime: @escaping @Sendable () -> Timestamp,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.storage = storage
    self.provider = provider
    self.localTime = localTime
    self.clock = clock
  }

  package func token() async throws(TransportError) -> String {
    let signIn = try load()
    switch plan.step(for: signIn, at: localTime()) {
    case .use: return signIn.accessToken
    case .signInAgain: throw .signInEnded
    case .renew: return try await renewal(of: signIn.accessToken, holds: false)
    case .renewEarly:
      do throws(TransportError) {
        return try await renewal(of: signIn.accessToken, holds: true)
      } catch {
        if error == .cancelled { throw error }
        return signIn.accessToken
      }
    }
  }

  package func invalidated(_ token: String) async throws(TransportError) -> Bool {
    guard try load().accessToken == token else { return true }
    return try await renewal(of: token, holds: false) != token
  }

  /// The maximum time that the end of a process is delayed.
  ///
  /// An answer that is not saved is lost, and with it a refresh token that can be used only once.
  private static let settleLimit = Duration.seconds(5)

  package func settle() async {
    guard let flight else { return }
    // Not a child of the caller, which may already be cancelled.
    let wait = Task { [clock] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = try? await Self.result(of: flight) }
        group.addTask { try? await clock.sleep(for: Self.settleLimit) }
        await group.next()
        group.cancelAll()
      }
    }
    await wait.value
  }

  private func load() throws(TransportError) -> ProviderSignIn {
    let known: ProviderSignIn?
    do {
      known = try storage.load()
    } catch {
      throw .cache("The sign-in cannot be read: " + error.explanation.clause)
    }
    guard let known else { throw .unauthorized }
    guard let (signIn, old) = unwritten, known.accessToken == old else {
      unwritten = nil
      return known
    }
    keep(signIn, insteadOf: old)
    return signIn
  }

  /// Saves a sign-in. If that fails, keeps it in memory and saves it later.
  private func keep(_ signIn: ProviderSignIn, insteadOf old: String) {
    do {
      try storage.save(signIn)
      unwritten = nil
    } catch {
      unwritten = (signIn, old)
    }
  }

  /// Returns the token that replaces `old`, renewed once for all callers.
  ///
  /// - Parameter holds: Whether the store still accepts the old token.
  private func renewal(of old: String, holds: Bool) async throws(TransportError) -> String {
    if let flight { return try await Self.result(of: flight) }
    // Not a child of the first request: others wait for it too, and the provider's answer must be
    // saved even if no request waits any more.
    let task = Task {
      let result: Renewed
      do throws(TransportError) {
        result = .success(try await self.renew(old, holds: holds))
        self.plan.noteRenewed()
      } catch {
        result = .failure(error)
        self.plan.noteFailed(at: self.localTime())
      }
      self.flight = nil
      return result
    }
    flight = task
    return try await Self.result(of: task)
  }

  /// Waits for a renewal, which continues if the waiting task is cancelled.
  private static func result(of flight: Task<Renewed, Never>) async throws(TransportError) -> String
  {
    let (results, source) = AsyncStream<Renewed>.makeStream()
    Task {
      source.yield(await flight.value)
      source.finish()
    }
    for await result in results { return try result.get() }
    throw .cancelled
  }

  private func renew(_ old: String, holds: Bool) async throws(TransportError) -> String {
    let lock = storage.makeLock()
    do {
      try await lock.waitForLock()
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .cache(error.explanation)
    }
    defer { lock.unlock() }
    // Another process may have been first, or the user has signed in again.
    let signIn = try load()
    guard signIn.accessToken == old else { return signIn.accessToken }
    guard signIn.refreshToken != nil else { throw .signInEnded }
    switch try await provider.renew(signIn) {
    case .renewed(let answer):
      let renewed = signIn.renewed(answer, at: localTime())
      keep(renewed, insteadOf: old)
      return renewed.accessToken
    case .refused(let refusal):
      keep(signIn.refused(refusal, endedAt: holds ? nil : localTime()), insteadOf: old)
      throw .signInEnded
    }
  }
}
