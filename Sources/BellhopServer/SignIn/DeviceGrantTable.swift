internal import BellhopModel
internal import BellhopStore
internal import BellhopWire

/// The limits and clients of device authorization.
package struct SignInLimits: Sendable, Hashable {
  /// The clients that may sign in devices, by `client_id`.
  package var clients = [OAuthClient.bellhop]
  /// The time that a device waits for approval.
  package var life = Duration.seconds(600)
  /// The initial time between two polls of a device.
  package var interval = Duration.seconds(5)
  /// The increase of the interval after a poll that came too early (RFC 8628 §3.5).
  package var intervalStep = Duration.seconds(5)
  /// The maximum number of remembered devices, waiting or just decided.
  package var grantsMax = 1000
  /// The maximum number of devices in one `ClientNetwork` that wait at the same time.
  package var grantsPerAddressMax = 20
  /// The same limit for an IPv6 /48 network. Some households have several of 64 bits in one.
  package var grantsPerSiteMax = 80
  /// The maximum number of requests from one `ClientNetwork` in a minute.
  package var asksPerMinuteMax = 10
  /// The same limit for an IPv6 /48 network.
  package var siteAsksPerMinuteMax = 40
  /// The maximum number of unknown codes that one user may try in ten minutes.
  package var wrongCodesMax = 10
  /// The maximum number of addresses and users whose requests are counted.
  package var countedMax = 4096

  package init() {}
}

/// The devices that wait to be signed in, with all decisions of RFC 8628.
///
/// A pure value without a clock or randomness of its own. Instants are durations on a monotonic
/// clock.
struct DeviceGrantTable: Sendable {
  /// A device's request to be signed in.
  struct Ask: Sendable {
    var client: String
    /// The registration of the device; nil for a client that sent none.
    var registration: DeviceRegistration?
    var address: String
    /// The store's wall-clock time of the request, for display.
    var requested: Timestamp
  }

  /// The user who approved a device.
  struct Approval: Hashable, Sendable {
    var user: UserID
  }

  enum State: Hashable, Sendable {
    case pending
    case approved(Approval)
    case denied(UserID)
    /// The store is creating its token.
    case redeeming(Approval)
    /// The device has received its token, and the code is no longer valid.
    case redeemed(UserID)

    var decider: UserID? {
      switch self {
      case .pending: nil
      case .approved(let approval), .redeeming(let approval): approval.user
      case .denied(let user), .redeemed(let user): user
      }
    }

    /// Whether the device may still receive its token after an approval.
    var isApproved: Bool {
      switch self {
      case .approved, .redeeming: true
      case .pending, .denied, .redeemed: false
      }
    }
  }

  struct Grant: Sendable {
    /// A number that rises with each grant.
    let number: Int
    let network: ClientNetwork
    let userCode: UserCode
    let ask: Ask
    let expires: Duration
    var interval: Duration
    var lastPoll: Duration?
    var state = State.pending
  }

  /// The error for too many requests of a device, or too many wrong codes of a user.
  struct RateLimitError: Error, Hashable {
    var wait: Duration
  }

  /// The result of a poll.
  enum Poll: Sendable {
    case pending
    case slowDown
    case denied
    case expired
    /// The code is unknown, belongs to another client, or was used.
    case invalid
    /// The device was approved. The caller creates the token and reports the result.
    case approved(Approval, Ask)
  }

  /// The SHA-256 hash of a device code.
  typealias DeviceHash = [UInt8]

  let limits: SignInLimits
  private(set) var grants: [DeviceHash: Grant] = [:]
  private var byUserCode: [UserCode: DeviceHash] = [:]
  private var lastNumber = 0
  private var asks: RateLimit<ClientNetwork>
  private var siteAsks: RateLimit<ClientNetwork>
  private var wrongCodes: RateLimit<UserID>

  init(_ limits: SignInLimits) {
    self.limits = limits
    asks = RateLimit(limits.asksPerMinuteMax, per: .seconds(60), keysMax: limits.countedMax)
    siteAsks = RateLimit(
      limits.siteAsksPerMinuteMax, per: .seconds(60), keysMax: limits.countedMax)
    wrongCodes = RateLimit(limits.wrongCodesMax, per: .seconds(600), keysMax: limits.countedMax)
  }

  // MARK: - Devices

  /// Adds a device, which is then identified by the hash of its code.
  ///
  /// - Parameters:
  ///   - network: The network by which its requests are counted.
  ///   - makeCode: Returns a new random code; called until one is unused.
  mutating func open(
    _ ask: Ask, from network: ClientNetwork, hash: DeviceHash, at instant: Duration,
    makeCode: () -> UserCode
  ) throws(RateLimitError) -> Grant {
    let waits = [
      asks.wait(for: network, at: instant), siteAsks.wait(for: network.site, at: instant),
    ]
    if let wait = waits.compactMap({ $0 }).max() { throw RateLimitError(wait: wait) }
    asks.take(network, at: instant)
    siteAsks.take(network.site, at: instant)
    forget(at: instant)
    let near = grants.values.filter {
      $0.state == .pending && $0.expires > instant && $0.network.site == network.site
    }
    for (waiting, countMax) in [
      (near.filter { $0.network == network }, limits.grantsPerAddressMax),
      (near, limits.grantsPerSiteMax),
    ] where waiting.count >= countMax {
      let first = waiting.map(\.expires).min() ?? instant
      throw RateLimitError(wait: max(.seconds(1), first - instant))
    }
    if grants.count >= limits.grantsMax { makeRoom() }
    var code = makeCode()
    while byUserCode[code] != nil { code = makeCode() }
    lastNumber += 1
    let grant = Grant(
      number: lastNumber, network: network, userCode: code, ask: ask,
      expires: instant + limits.life, interval: limits.interval)
    grants[hash] = grant
    byUserCode[code] = hash
    return grant
  }

  /// Forgets the oldest device of the IPv6 /48 network or IPv4 address that has the most.
  ///
  /// No network can therefore lock out others. Approved devices are forgotten last.
  private mutating func makeRoom() {
    let counts = grants.values.reduce(into: [ClientNetwork: Int]()) {
      $0[$1.network.site, default: 0] += 1
    }
    let most = counts.values.max()
    let victim = grants.filter { counts[$0.value.network.site] == most }.min {
      ($0.value.state.isApproved ? 1 : 0, $0.value.number)
        < ($1.value.state.isApproved ? 1 : 0, $1.value.number)
    }
    guard let victim else { return }
    grants[victim.key] = nil
    byUserCode[victim.value.userCode] = nil
  }

  /// Returns the state of a device that polls.
  mutating func poll(_ hash: DeviceHash, client: String, at instant: Duration) -> Poll {
    guard var grant = grants[hash], grant.ask.client == client else { return .invalid }
    defer { grants[hash] = grant }
    switch grant.state {
    case .redeeming, .redeemed: return .invalid
    case .pending, .approved, .denied: break
    }
    guard instant < grant.expires else { return .expired }
    if let last = grant.lastPoll, instant - last < grant.interval {
      grant.lastPoll = instant
      grant.interval += limits.intervalStep
      return .slowDown
    }
    grant.lastPoll = instant
    switch grant.state {
    case .approved(let approval):
      grant.state = .redeeming(approval)
      return .approved(approval, grant.ask)
    case .denied: return .denied
    case .pending, .redeeming, .redeemed: return .pending
    }
  }

  /// Notes the result of creating the token. If the storage failed, the code stays valid.
  mutating func finish(_ hash: DeviceHash, isRedeemed: Bool) {
    guard case .redeeming(let approval)? = grants[hash]?.state else { return }
    grants[hash]?.state = isRedeemed ? .redeemed(approval.user) : .approved(approval)
  }

  // MARK: - Users

  /// Returns the device with a user code, if `user` may see it.
  ///
  /// A user may see devices that wait and those that the user has decided on. Wrong codes are
  /// counted.
  mutating func grant(
    _ code: UserCode?, for user: UserID, at instant: Duration
  ) throws(RateLimitError) -> Grant? {
    if let wait = wrongCodes.wait(for: user, at: instant) { throw RateLimitError(wait: wait) }
    guard let code, let grant = byUserCode[code].flatMap({ grants[$0] }),
      instant < grant.expires, grant.state.decider == nil || grant.state.decider == user
    else {
      wrongCodes.take(user, at: instant)
      return nil
    }
    return grant
  }

  /// Notes the user's decision. The first decision counts; repeating it changes nothing.
  ///
  /// - Returns: The device after the decision; nil when no device waits with this code.
  mutating func decide(
    _ code: UserCode?, isApproved: Bool, by user: UserID, at instant: Duration
  ) throws(RateLimitError) -> Grant? {
    guard let grant = try grant(code, for: user, at: instant),
      let hash = byUserCode[grant.userCode]
    else { return nil }
    if grant.state == .pending {
      grants[hash]?.state = isApproved ? .approved(Approval(user: user)) : .denied(user)
    }
    return grants[hash]
  }

  /// Forgets the devices that have been expired for as long as they lived.
  ///
  /// Until then, such a device learns that it came too late.
  private mutating func forget(at instant: Duration) {
    for (hash, grant) in grants where grant.expires + limits.life <= instant {
      grants[hash] = nil
      byUserCode[grant.userCode] = nil
    }
  }
}
