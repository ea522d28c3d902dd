internal import BellhopModel
internal import Crypto
internal import FoundationEssentials

/// A grant that was just opened, with the codes that the store does not keep.
package struct OpenedDeviceGrant: Sendable {
  package var grant: DeviceGrant
  package var deviceCode: String
  package var userCode: UserCode
}

/// The result of a request for a device grant.
package enum DeviceGrantOpening: Sendable {
  case opened(OpenedDeviceGrant)
  /// There were too many requests. Nothing was opened.
  case refused(wait: Duration)
}

/// The result of looking up or deciding on the grant with a user code.
package enum DeviceGrantLookup: Sendable {
  case found(DeviceGrant, UserCode)
  /// No device waits with this code, or another user has decided on it.
  case unknown
  /// The user tried too many unknown codes. The code was not looked up.
  case refused(wait: Duration)
}

/// Device authorization (RFC 8628), with all of its decisions but the times between polls.
extension StoreLogic {
  // MARK: - Devices

  /// Returns how long a device must wait until it may request codes; nil if it may do so now.
  func askWait(
    _ request: DeviceGrantRequest, within limits: SignInLimits, in state: any StoreReading
  ) throws -> Duration? {
    let now = now
    return try limits.asks(of: request).compactMap { limit, key in
      try attemptWait(limit, by: key, at: now, in: state)
    }.max()
  }

  /// Opens a grant for a device.
  ///
  /// A refusal is a result, not an error, because the transaction also counts the request.
  package func openDeviceGrant(
    _ request: DeviceGrantRequest, within limits: SignInLimits,
    in transaction: any StoreTransaction
  ) throws -> DeviceGrantOpening {
    let now = now
    if let wait = try askWait(request, within: limits, in: transaction) {
      return .refused(wait: wait)
    }
    for (limit, key) in limits.asks(of: request) {
      try countAttempt(limit, by: key, keysMax: limits.countedMax, at: now, in: transaction)
    }
    _ = try transaction.removeDeviceGrants(forgottenBy: now, limit: self.limits.sweepItemsMax)
    if let wait = try pendingWait(request, within: limits, at: now, in: transaction) {
      return .refused(wait: wait)
    }
    // No network can lock out others: a crowded one loses its oldest grant.
    if try transaction.deviceGrantCount() >= limits.grantsMax,
      let other = try transaction.replaceableDeviceGrant()
    {
      try transaction.removeDeviceGrant(other)
    }
    let deviceCode = Base64URL.encode(environment.randomBytes(32))
    let userCode = try unusedUserCode(in: transaction)
    let expires = now.advanced(by: limits.life)
    let grant = DeviceGrant(
      id: newID(), deviceCodeHash: hash(ofDeviceCode: deviceCode),
      userCodeHash: try hash(of: userCode, in: transaction), request: request, requested: now,
      expires: expires, forgotten: expires.advanced(by: limits.life), interval: limits.interval)
    try transaction.insert(grant)
    return .opened(
      OpenedDeviceGrant(grant: grant, deviceCode: deviceCode, userCode: userCode))
  }

  /// Returns how long a request must wait because too many devices wait in its network or site.
  private func pendingWait(
    _ request: DeviceGrantRequest, within limits: SignInLimits, at now: Timestamp,
    in state: any StoreReading
  ) throws -> Duration? {
    let near = try state.pendingDeviceGrants(ofSite: request.site, at: now)
    for (waiting, countMax) in [
      (near.filter { $0.request.network == request.network }, limits.grantsPerAddressMax),
      (near, limits.grantsPerSiteMax),
    ] where waiting.count >= countMax {
      let first = waiting.map(\.expires).min() ?? now
      return max(.seconds(1), first.duration(since: now))
    }
    return nil
  }

  private func unusedUserCode(in state: any StoreReading) throws -> UserCode {
    var code = UserCode { environment.randomBytes(16) }
    while try state.deviceGrant(userCodeHash: hash(of: code, in: state)) != nil {
      code = UserCode { environment.randomBytes(16) }
    }
    return code
  }

  /// Returns the grant of a device that polls; nil if its code is unknown.
  package func deviceGrant(
    deviceCode: String, in state: any StoreReading
  ) throws -> DeviceGrant? {
    try state.deviceGrant(deviceCodeHash: hash(ofDeviceCode: deviceCode))
  }

  /// Signs in the device of an approved grant, which is thereby used up.
  ///
  /// If the transaction fails, the grant stays approved.
  ///
  /// - Parameter user: the user who approved it.
  /// - Returns: nil if the grant expired, or was used up meanwhile.
  /// - Throws: as ``signIn(_:named:for:in:)``.
  package func redeemDeviceGrant(
    deviceCode: String, for user: UserID, in transaction: any StoreTransaction
  ) throws -> SignedIn? {
    guard let grant = try deviceGrant(deviceCode: deviceCode, in: transaction), now < grant.expires,
      try transaction.changeDeviceGrant(grant.id, from: .approved, to: .redeemed, by: user)
    else { return nil }
    return try signIn(
      grant.request.registration, named: grant.request.client, for: user, in: transaction)
  }

  // MARK: - Users

  /// Returns the grant with a user code, if `user` may see it, and counts an unknown code.
  ///
  /// A user may see devices that wait and those that the user has decided on. The result is not an
  /// error, because the transaction also counts the attempt.
  ///
  /// - Parameter code: nil for a text that is not a code, which counts too.
  package func findDeviceGrant(
    _ code: UserCode?, for user: UserID, within limits: SignInLimits,
    in transaction: any StoreTransaction
  ) throws -> DeviceGrantLookup {
    let now = now
    let limit = limits.wrongCodes
    let key = String(user.rawValue)
    if let wait = try attemptWait(limit, by: key, at: now, in: transaction) {
      return .refused(wait: wait)
    }
    guard let code,
      let grant = try transaction.deviceGrant(userCodeHash: hash(of: code, in: transaction)),
      now < grant.expires, grant.decider == nil || grant.decider == user
    else {
      try countAttempt(limit, by: key, keysMax: limits.countedMax, at: now, in: transaction)
      return .unknown
    }
    return .found(grant, code)
  }

  /// Records a user's decision. The first decision counts; repeating it changes nothing.
  ///
  /// - Returns: the grant after the decision.
  /// - Throws: ``StoreError/notFound(what:)`` for an unknown user.
  package func decideDeviceGrant(
    _ code: UserCode?, isApproved: Bool, by user: UserID, within limits: SignInLimits,
    in transaction: any StoreTransaction
  ) throws -> DeviceGrantLookup {
    guard try transaction.user(user) != nil else { throw StoreError.notFound(what: "user") }
    let lookup = try findDeviceGrant(code, for: user, within: limits, in: transaction)
    guard case .found(var grant, let code) = lookup, grant.state == .pending else { return lookup }
    let state: DeviceGrant.State = isApproved ? .approved : .denied
    // Another user may have decided since the grant was read.
    guard try transaction.changeDeviceGrant(grant.id, from: .pending, to: state, by: user) else {
      return .unknown
    }
    grant.state = state
    grant.decider = user
    return .found(grant, code)
  }

  // MARK: - Upkeep

  /// Removes all grants, so that no code from a backup can sign in a device.
  func removeAllDeviceGrants(in transaction: any StoreTransaction) throws {
    while try transaction.removeDeviceGrants(
      forgottenBy: .distantFuture, limit: limits.sweepItemsMax) >= limits.sweepItemsMax
    {}
  }

  /// Removes forgotten grants and attempts.
  ///
  /// - Returns: the largest number of rows of one kind, at most ``StoreLimits/sweepItemsMax``.
  func forgetDeviceGrants(by now: Timestamp, in transaction: any StoreTransaction) throws -> Int {
    var count = try transaction.removeDeviceGrants(forgottenBy: now, limit: limits.sweepItemsMax)
    for kind in AttemptKind.allCases {
      count = max(
        count, try transaction.removeAttempts(kind, forgottenBy: now, limit: limits.sweepItemsMax))
    }
    return count
  }

  // MARK: - Hashes

  private func hash(ofDeviceCode code: String) -> [UInt8] {
    Array(SHA256.hash(data: Array(code.utf8)))
  }

  /// Returns a MAC of a code with the store's key. All processes have the same key.
  private func hash(of code: UserCode, in state: any StoreReading) throws -> [UInt8] {
    // No delta token has this MAC: its first byte is a version.
    let text = Array("user code ".utf8) + code.letters
    let key = SymmetricKey(data: try state.metadata(.tokenKey) ?? [])
    return Array(HMAC<SHA256>.authenticationCode(for: text, using: key))
  }
}

extension SignInLimits {
  /// The limits of requests for codes, each with the key by which a request counts.
  fileprivate func asks(of request: DeviceGrantRequest) -> [(limit: AttemptLimit, key: String)] {
    let minute = Duration.seconds(60)
    return [
      (AttemptLimit(kind: .ask, count: asksPerMinuteMax, period: minute), request.network),
      (AttemptLimit(kind: .siteAsk, count: siteAsksPerMinuteMax, period: minute), request.site),
    ]
  }

  fileprivate var wrongCodes: AttemptLimit {
    AttemptLimit(kind: .wrongCode, count: wrongCodesMax, period: .seconds(600))
  }
}
