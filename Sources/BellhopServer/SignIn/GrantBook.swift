internal import BellhopModel
internal import BellhopStore
internal import BellhopWire

/// How devices ask to be signed in, and what limits them.
package struct SignInLimits: Sendable, Hashable {
  /// Clients that may sign devices in, by their `client_id`.
  package var clients = [OAuthClient.bellhop]
  /// A device waits so long for somebody to approve it.
  package var life = Duration.seconds(600)
  /// Between two polls of a device, at first.
  package var interval = Duration.seconds(5)
  /// A device that polls too early waits so much longer from then on (RFC 8628 §3.5).
  package var intervalStep = Duration.seconds(5)
  /// Devices that are remembered at a time, waiting or just decided.
  package var grantsMax = 1000
  /// Devices in one ``ClientNetwork`` that wait at a time.
  package var grantsPerAddressMax = 20
  /// The same for an IPv6 network of 48 bits, in which some households have several of 64.
  package var grantsPerSiteMax = 80
  /// Times that one ``ClientNetwork`` may ask within a minute.
  package var asksPerMinuteMax = 10
  /// The same for an IPv6 network of 48 bits.
  package var siteAsksPerMinuteMax = 40
  /// Codes that nobody waits with, which one user may try within ten minutes.
  package var wrongCodesMax = 10
  /// Addresses and users whose times are counted.
  package var countedMax = 4096

  package init() {}
}

/// The devices that wait to be signed in: every decision of RFC 8628, without a clock or chance of
/// its own. Instants are durations on a clock that does not step.
struct GrantBook: Sendable {
  /// A device's wish.
  struct Ask: Sendable {
    var client: String
    /// What it is to be registered as; nil for a client that does not say.
    var registration: DeviceRegistration?
    var address: String
    /// The store's time, for people.
    var requested: Timestamp
  }

  /// Who let a device in.
  struct Approval: Hashable, Sendable {
    var user: UserID
  }

  enum State: Hashable, Sendable {
    case pending
    case approved(Approval)
    case denied(UserID)
    /// Its token is being made.
    case redeeming(Approval)
    /// It has got its token; the code is worth nothing any more.
    case redeemed(UserID)

    var decider: UserID? {
      switch self {
      case .pending: nil
      case .approved(let approval), .redeeming(let approval): approval.user
      case .denied(let user), .redeemed(let user): user
      }
    }

    /// Whether the device may still get its token for an approval.
    var isLetIn: Bool {
      switch self {
      case .approved, .redeeming: true
      case .pending, .denied, .redeemed: false
      }
    }
  }

  struct Grant: Sendable {
    /// Rises with each grant.
    let number: Int
    let network: ClientNetwork
    let userCode: UserCode
    let ask: Ask
    let expires: Duration
    var interval: Duration
    var lastPoll: Duration?
    var state = State.pending
  }

  /// Why a device can't ask now, or a person can't try a code.
  struct Throttled: Error, Hashable {
    var wait: Duration
  }

  /// What a poll is answered.
  enum Poll: Sendable {
    case pending
    case slowDown
    case denied
    case expired
    /// No such code, one of another client, or one that was used.
    case invalid
    /// The caller makes the token now, and says what came of it.
    case approved(Approval, Ask)
  }

  /// SHA-256 of a device code.
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

  // MARK: - The device

  /// A device asks; it is found again by the hash of its code.
  ///
  /// - Parameters:
  ///   - network: what its times are counted by.
  ///   - makeCode: a new random code, called until one is free.
  mutating func open(
    _ ask: Ask, from network: ClientNetwork, hash: DeviceHash, at instant: Duration,
    makeCode: () -> UserCode
  ) throws(Throttled) -> Grant {
    let waits = [
      asks.wait(for: network, at: instant), siteAsks.wait(for: network.site, at: instant),
    ]
    if let wait = waits.compactMap({ $0 }).max() { throw Throttled(wait: wait) }
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
      throw Throttled(wait: max(.seconds(1), first - instant))
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

  /// Forgets the oldest device of the network of 48 bits, or IPv4 address, that has the most: no
  /// network keeps the others out. Devices that were let in go last.
  private mutating func makeRoom() {
    let counts = grants.values.reduce(into: [ClientNetwork: Int]()) {
      $0[$1.network.site, default: 0] += 1
    }
    let most = counts.values.max()
    let victim = grants.filter { counts[$0.value.network.site] == most }.min {
      ($0.value.state.isLetIn ? 1 : 0, $0.value.number)
        < ($1.value.state.isLetIn ? 1 : 0, $1.value.number)
    }
    guard let victim else { return }
    grants[victim.key] = nil
    byUserCode[victim.value.userCode] = nil
  }

  /// The device asks whether somebody decided.
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

  /// What came of making the token: the code is used up, or, when the storage failed, as before.
  mutating func finish(_ hash: DeviceHash, isRedeemed: Bool) {
    guard case .redeeming(let approval)? = grants[hash]?.state else { return }
    grants[hash]?.state = isRedeemed ? .redeemed(approval.user) : .approved(approval)
  }

  // MARK: - The person

  /// The device that shows this code, as far as `user` may know of it: while it waits, and after
  /// that user has decided. Wrong codes are counted.
  mutating func grant(
    _ code: UserCode?, for user: UserID, at instant: Duration
  ) throws(Throttled) -> Grant? {
    if let wait = wrongCodes.wait(for: user, at: instant) { throw Throttled(wait: wait) }
    guard let code, let grant = byUserCode[code].flatMap({ grants[$0] }),
      instant < grant.expires, grant.state.decider == nil || grant.state.decider == user
    else {
      wrongCodes.take(user, at: instant)
      return nil
    }
    return grant
  }

  /// The user decides. The first decision counts; the same one again changes nothing.
  ///
  /// - Returns: the device as it is then; nil when none waits with this code.
  mutating func decide(
    _ code: UserCode?, isApproved: Bool, by user: UserID, at instant: Duration
  ) throws(Throttled) -> Grant? {
    guard let grant = try grant(code, for: user, at: instant),
      let hash = byUserCode[grant.userCode]
    else { return nil }
    if grant.state == .pending {
      grants[hash]?.state = isApproved ? .approved(Approval(user: user)) : .denied(user)
    }
    return grants[hash]
  }

  /// What has been over for as long as it lasted is forgotten; until then its device is told that
  /// it came too late.
  private mutating func forget(at instant: Duration) {
    for (hash, grant) in grants where grant.expires + limits.life <= instant {
      grants[hash] = nil
      byUserCode[grant.userCode] = nil
    }
  }
}
