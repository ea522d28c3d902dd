package import BellhopStore
internal import Synchronization

/// A server's record of its activity: connections, readiness and each token's request rate.
package final class ServerActivity: Sendable {
  let connections: ConnectionRegister
  let proxies: TrustedProxies
  let metrics = ServerMetrics()
  /// The last storage check: its result, its time and the failed writes up to then.
  let readiness = Mutex<(at: Duration, failedWrites: Int, readiness: Readiness)?>(nil)
  /// The running check of the storage.
  let probe = Mutex<Task<Readiness, Never>?>(nil)
  /// The concerns about the storage that were logged.
  let concerns = Mutex<Set<String>>([])
  private let hasBegunDrain = Atomic<Bool>(false)
  /// The maximum number of tokens whose rates are counted. Idle ones are not kept.
  private static let tokensMax = 10_000
  private let rates: Mutex<RateLimit<AccessTokenID>>
  private let anonymous: Mutex<[AnonymousUse: AnonymousAllowance]>

  /// A use of open topics by clients without a token. Each has its own rate limits.
  package enum AnonymousUse: CaseIterable {
    /// A publication or a change.
    case publish
    /// A poll, or the start of a stream.
    case read
  }

  /// The rate limits of one anonymous use, for each network and for all together.
  private struct AnonymousAllowance {
    var each: RateLimit<ClientNetwork>
    var all: RateLimit<Bool>
  }

  /// - Parameter processes: The processes that share the rates of tokens and networks. The limits of
  ///   connections hold for each process.
  init(_ configuration: ServerConfiguration, among processes: LiveProcesses) {
    proxies = TrustedProxies(configuration.trustedProxies)
    connections = ConnectionRegister(
      perAddressMax: configuration.connectionsPerAddressMax, proxies: proxies)
    rates = Mutex(
      RateLimit(
        per: .seconds(configuration.tokenRequestBurst)
          / max(1, configuration.tokenRequestsPerSecond),
        keysMax: Self.tokensMax
      ) { _ in processes.share(of: configuration.tokenRequestBurst) })
    anonymous = Mutex(
      Dictionary(
        uniqueKeysWithValues: AnonymousUse.allCases.map { use in
          let rates = configuration.ntfy.anonymousRates(of: use)
          return (
            use,
            AnonymousAllowance(
              each: RateLimit(per: .seconds(60), keysMax: configuration.signIn.countedMax) { _ in
                processes.share(of: rates.each)
              },
              all: RateLimit(per: .seconds(60), keysMax: 1) { _ in
                processes.share(of: rates.all)
              })
          )
        }))
  }

  /// Whether the server is about to stop. Then it reports that it is not ready.
  package var isDraining: Bool { hasBegunDrain.load(ordering: .acquiring) }

  /// Lets the server report that it is not ready, because it is about to stop.
  ///
  /// - Returns: False if it does so already.
  @discardableResult
  func beginDrain() -> Bool {
    !hasBegunDrain.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Counts a use of an open topic without a token.
  ///
  /// - Throws: ``RequestError`` with 429 when this network, or all together, send too many requests.
  func admitAnonymous(
    _ use: AnonymousUse, from network: ClientNetwork, at now: Duration
  ) throws {
    let wait = anonymous.withLock { allowances -> Duration? in
      let wait =
        allowances[use]?.each.wait(for: network, at: now)
        ?? allowances[use]?.all.wait(for: true, at: now)
      if wait == nil {
        allowances[use]?.each.take(network, at: now)
        allowances[use]?.all.take(true, at: now)
      }
      return wait
    }
    guard let wait else { return }
    let what =
      switch use {
      case .publish: "Too many publications without a token"
      case .read: "Too many reads of topics without a token"
      }
    throw RequestError.throttled(what, wait: wait)
  }

  /// Counts a request of a token.
  ///
  /// - Parameter now: See ``ServerEnvironment/elapsed``.
  /// - Throws: ``RequestError`` with 429 when the token sends too many requests.
  func admit(_ token: AccessTokenID, at now: Duration) throws {
    let wait = rates.withLock { rates -> Duration? in
      if let wait = rates.wait(for: token, at: now) { return wait }
      rates.take(token, at: now)
      return nil
    }
    if let wait { throw RequestError.tooManyRequests(after: wait) }
  }
}

extension Exchange {
  /// Counts a publication, a change or a read that came without a token.
  ///
  /// - Throws: ``RequestError`` with 429 when there were too many.
  package func admitAnonymous(
    _ principal: Principal, to use: ServerActivity.AnonymousUse = .publish
  ) throws {
    guard principal.isAnonymous else { return }
    try server.activity.admitAnonymous(
      use, from: origin.network, at: server.environment.elapsed())
  }
}
