internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Synchronization

/// The desk where devices request to be signed in and users decide.
///
/// The grants are in the storage, so every process of the store knows them, and they survive a
/// restart. They expire by wall-clock time. Only the times between polls are measured here, on a
/// monotonic clock.
final class DeviceAuthorizationService: Sendable {
  private let store: StoreService
  private let limits: SignInLimits
  private let elapsed: @Sendable () -> Duration
  private let polls: Mutex<PollTimes>

  init(
    _ store: StoreService, _ limits: SignInLimits, elapsed: @escaping @Sendable () -> Duration
  ) {
    self.store = store
    self.limits = limits
    self.elapsed = elapsed
    polls = Mutex(PollTimes(countMax: limits.grantsMax))
  }

  /// The response to a device that just requested to be signed in.
  struct Opened {
    var deviceCode: String
    var userCode: UserCode
    var lifeSeconds: Int
    var intervalSeconds: Int
  }

  /// Adds a device that requests to be signed in.
  ///
  /// - Throws: ``RequestError`` with 429 when there are too many requests; `StoreError`.
  func open(_ request: DeviceGrantRequest) async throws -> Opened {
    switch try await store.openDeviceGrant(request, within: limits) {
    case .refused(let wait): throw RequestError.throttled("Too many sign-in requests", wait: wait)
    case .opened(let opened):
      return Opened(
        deviceCode: opened.deviceCode, userCode: opened.userCode,
        lifeSeconds: Int(limits.life.components.seconds),
        intervalSeconds: Int(opened.grant.interval.components.seconds))
    }
  }

  /// Polls for a device, and creates its token once a user has approved it.
  ///
  /// - Throws: ``RequestError`` in OAuth's terms; `StoreError`.
  func redeem(_ deviceCode: String, client: String) async throws -> SignedIn {
    guard let grant = try await store.deviceGrant(deviceCode: deviceCode),
      grant.request.client == client, grant.state != .redeemed
    else { throw Self.invalidGrant }
    guard store.now < grant.expires else {
      throw RequestError.oauth(.expiredToken, "This device was not approved in time. Start again.")
    }
    let instant = elapsed()
    if polls.withLock({ $0.note(grant, at: instant) }) {
      // A store that cannot write, as on a full disk, still answers polls.
      try? await store.slowDown(grant, within: limits)
      throw RequestError.oauth(
        .slowDown,
        "Wait \(limits.intervalStep.components.seconds) seconds longer between polls.")
    }
    switch grant.state {
    case .pending:
      throw RequestError.oauth(.authorizationPending, "This device has not been approved yet.")
    case .denied: throw RequestError.oauth(.accessDenied, "The request of this device was denied.")
    case .redeemed: throw Self.invalidGrant
    case .approved:
      guard let user = grant.decider,
        let signedIn = try await store.redeemDeviceGrant(deviceCode: deviceCode, for: user)
      else { throw Self.invalidGrant }
      return signedIn
    }
  }

  private static var invalidGrant: RequestError {
    RequestError.oauth(
      .invalidGrant, "The device_code is unknown or was already used. Start again.")
  }

  /// Returns the device with a code, if `user` may see it.
  ///
  /// - Throws: ``RequestError``: 404 when no device waits, 429 after too many wrong codes;
  ///   `StoreError`.
  func grant(
    _ code: String, for user: UserID
  ) async throws -> (grant: DeviceGrant, code: UserCode) {
    try Self.found(try await store.findDeviceGrant(UserCode(code), for: user, within: limits))
  }

  /// Records the user's decision; repeating it changes nothing.
  ///
  /// - Throws: ``RequestError``: 404 when no device waits, 429 after too many wrong codes;
  ///   `StoreError`.
  func decide(
    _ code: String, isApproved: Bool, by user: UserID
  ) async throws -> (grant: DeviceGrant, code: UserCode) {
    try Self.found(
      try await store.decideDeviceGrant(
        UserCode(code), isApproved: isApproved, by: user, within: limits))
  }

  private static func found(
    _ lookup: DeviceGrantLookup
  ) throws -> (grant: DeviceGrant, code: UserCode) {
    switch lookup {
    case .found(let grant, let code): return (grant, code)
    case .refused(let wait): throw RequestError.throttled("Too many wrong codes", wait: wait)
    case .unknown:
      throw RequestError.notFound(
        "No device is waiting with this code. It may have expired, or is already decided.")
    }
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
