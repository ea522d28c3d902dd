internal import BellhopStore
internal import Synchronization

/// What a server knows of its own work: connections, and how often each token asks.
final class ServerActivity: Sendable {
  let connections: ConnectionRegister
  let proxies: ReverseProxies
  let metrics = ServerMetrics()
  /// The result of the last check of the storage, its time, and how many writes had failed by then.
  let readiness = Mutex<(at: Duration, failedWrites: Int, readiness: Readiness)?>(nil)
  private let rates: Mutex<TokenBuckets<AccessTokenID>>
  private let anonymous: Mutex<AnonymousAllowance>

  /// Publications without a token: by network, and together.
  private struct AnonymousAllowance {
    var each: Allowance<ClientNetwork>
    var all: Allowance<Bool>
  }

  init(_ configuration: ServerConfiguration) {
    proxies = ReverseProxies(configuration.proxies)
    connections = ConnectionRegister(
      perAddressMax: configuration.connectionsPerAddressMax, proxies: proxies)
    rates = Mutex(
      TokenBuckets(
        perSecond: configuration.tokenRequestsPerSecond, burst: configuration.tokenRequestBurst))
    anonymous = Mutex(
      AnonymousAllowance(
        each: Allowance(
          configuration.ntfy.anonymousPublishesPerMinute, per: .seconds(60),
          keysMax: configuration.signIn.countedMax),
        all: Allowance(
          configuration.ntfy.allAnonymousPublishesPerMinute, per: .seconds(60), keysMax: 1)))
  }

  /// Notes a publication without a token.
  ///
  /// - Throws: ``Failure`` with 429 when this network, or all together, publish too often.
  func admitAnonymous(from network: ClientNetwork, at now: Duration) throws {
    let wait = anonymous.withLock { allowance -> Duration? in
      let wait = allowance.each.wait(network, at: now) ?? allowance.all.wait(true, at: now)
      if wait == nil {
        allowance.each.take(network, at: now)
        allowance.all.take(true, at: now)
      }
      return wait
    }
    if let wait { throw Failure.throttled("Too much was published without a token", wait: wait) }
  }

  /// Notes a request of a token.
  ///
  /// - Parameter now: see ``ServerEnvironment/elapsed``.
  /// - Throws: ``Failure`` with 429 when it asks too often.
  func admit(_ token: AccessTokenID, at now: Duration) throws {
    guard let wait = rates.withLock({ $0.take(token, at: now) }) else { return }
    throw Failure.tooManyRequests(after: wait)
  }
}
