internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import Crypto
internal import HTTPTypes
internal import Synchronization

/// The desk where devices request to be signed in and users decide.
///
/// Waiting devices are only in this process's memory, and a restart forgets them. Such a device
/// then receives `invalid_grant`, not `expired_token`, and sends a new request. No code from a
/// backup can sign in a device. Waits are measured on a monotonic clock.
final class DeviceAuthorizationService: Sendable {
  private let book: Mutex<DeviceGrantTable>
  private let elapsed: @Sendable () -> Duration
  private let limits: SignInLimits

  init(_ limits: SignInLimits, elapsed: @escaping @Sendable () -> Duration) {
    self.limits = limits
    self.elapsed = elapsed
    book = Mutex(DeviceGrantTable(limits))
  }

  /// The number of remembered devices, waiting or decided.
  var count: Int { book.withLock(\.grants.count) }

  /// The response to a device that just requested to be signed in.
  struct Opened {
    var deviceCode: String
    var userCode: UserCode
    var lifeSeconds: Int
    var intervalSeconds: Int
  }

  /// Adds a device that requests to be signed in.
  ///
  /// - Throws: ``RequestError`` with 429 when there are too many requests.
  func open(
    _ ask: DeviceGrantTable.Ask, from network: ClientNetwork, random: (Int) -> [UInt8]
  ) throws -> Opened {
    let deviceCode = Base64URL.encode(random(32))
    let instant = elapsed()
    let grant: DeviceGrantTable.Grant
    do throws(DeviceGrantTable.RateLimitError) {
      grant = try book.withLock { book throws(DeviceGrantTable.RateLimitError) in
        try book.open(ask, from: network, hash: Self.hash(deviceCode), at: instant) {
          UserCode { random(16) }
        }
      }
    } catch {
      throw RequestError.throttled("Too many sign-in requests", wait: error.wait)
    }
    return Opened(
      deviceCode: deviceCode, userCode: grant.userCode,
      lifeSeconds: Int(limits.life.components.seconds),
      intervalSeconds: Int(grant.interval.components.seconds))
  }

  /// Polls for a device, and creates its token once a user has approved it.
  ///
  /// - Throws: ``RequestError`` in OAuth's terms.
  func redeem(
    _ deviceCode: String, client: String, in store: StoreService
  ) async throws -> SignedIn {
    let hash = Self.hash(deviceCode)
    let instant = elapsed()
    switch book.withLock({ $0.poll(hash, client: client, at: instant) }) {
    case .pending:
      throw RequestError.oauth(.authorizationPending, "This device has not been approved yet.")
    case .slowDown:
      throw RequestError.oauth(
        .slowDown,
        "Wait \(limits.intervalStep.components.seconds) seconds longer between polls.")
    case .denied: throw RequestError.oauth(.accessDenied, "The request of this device was denied.")
    case .expired:
      throw RequestError.oauth(.expiredToken, "This device was not approved in time. Start again.")
    case .invalid:
      throw RequestError.oauth(
        .invalidGrant, "The device_code is unknown or was already used. Start again.")
    case .approved(let approval, let ask):
      do {
        let signedIn = try await store.signIn(
          ask.registration, named: ask.client, for: approval.user)
        book.withLock { $0.finish(hash, isRedeemed: true) }
        return signedIn
      } catch {
        book.withLock { $0.finish(hash, isRedeemed: false) }
        throw error
      }
    }
  }

  /// Returns the device with a code, if `user` may see it.
  ///
  /// - Throws: ``RequestError``: 404 when no device waits, 429 after too many wrong codes.
  func grant(_ code: String, for user: UserID) throws -> DeviceGrantTable.Grant {
    let instant = elapsed()
    return try Self.found(code) { code throws(DeviceGrantTable.RateLimitError) in
      try book.withLock { book throws(DeviceGrantTable.RateLimitError) in
        try book.grant(code, for: user, at: instant)
      }
    }
  }

  /// Notes the user's decision; repeating it changes nothing.
  ///
  /// - Throws: ``RequestError``: 404 when no device waits, 429 after too many wrong codes.
  func decide(_ code: String, isApproved: Bool, by user: UserID) throws -> DeviceGrantTable.Grant {
    let instant = elapsed()
    return try Self.found(code) { code throws(DeviceGrantTable.RateLimitError) in
      try book.withLock { book throws(DeviceGrantTable.RateLimitError) in
        try book.decide(code, isApproved: isApproved, by: user, at: instant)
      }
    }
  }

  /// Returns the remaining lifetime of a grant.
  func remaining(_ grant: DeviceGrantTable.Grant) -> Duration {
    max(.zero, grant.expires - elapsed())
  }

  private static func found(
    _ text: String,
    _ find: (UserCode?) throws(DeviceGrantTable.RateLimitError) -> DeviceGrantTable.Grant?
  ) throws -> DeviceGrantTable.Grant {
    let grant: DeviceGrantTable.Grant?
    do throws(DeviceGrantTable.RateLimitError) {
      grant = try find(UserCode(text))
    } catch {
      throw RequestError.throttled("Too many wrong codes", wait: error.wait)
    }
    guard let grant else {
      throw RequestError.notFound(
        "No device is waiting with this code. It may have expired, or is already decided.")
    }
    return grant
  }

  private static func hash(_ deviceCode: String) -> DeviceGrantTable.DeviceHash {
    Array(SHA256.hash(data: Array(deviceCode.utf8)))
  }
}

extension RequestError {
  /// Creates a failure in OAuth's terms, with the status that RFC 6749 §5.2 requires.
  static func oauth(_ code: OAuthErrorCode, _ message: String) -> RequestError {
    var failure = RequestError(
      code == .invalidClient ? .unauthorized : .badRequest, .invalidRequest, message)
    failure.oauthCode = code
    return failure
  }

  static func throttled(_ what: String, wait: Duration) -> RequestError {
    let seconds = max(1, wait.components.seconds + 1)
    return RequestError(
      .tooManyRequests, .tooManyRequests, "\(what). Try again in \(seconds) s.",
      headers: [.retryAfter: String(seconds)])
  }
}
