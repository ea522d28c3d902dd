internal import BellhopStore
internal import Synchronization

/// What a server knows of its own work: connections, and how often each token asks.
final class ServerActivity: Sendable {
  let connections: ConnectionRegister
  let metrics = ServerMetrics()
  /// What was found when the storage was last looked at, and when.
  let readiness = Mutex<(at: Duration, readiness: Readiness)?>(nil)
  private let rates: Mutex<TokenBuckets<AccessTokenID>>

  init(_ configuration: ServerConfiguration) {
    connections = ConnectionRegister(
      perAddressMax: configuration.connectionsPerAddressMax, uncounted: configuration.proxies)
    rates = Mutex(
      TokenBuckets(
        perSecond: configuration.tokenRequestsPerSecond, burst: configuration.tokenRequestBurst))
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
