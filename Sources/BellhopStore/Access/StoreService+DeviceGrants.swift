extension StoreService {
  /// Opens a grant for a device that requests to be signed in.
  package func openDeviceGrant(
    _ request: DeviceGrantRequest, within limits: SignInLimits
  ) async throws(StoreError) -> DeviceGrantOpening {
    // A refused request costs a read only, because strangers may send many.
    if let wait = try await read({ try $0.askWait(request, within: limits, in: $1) }) {
      return .refused(wait: wait)
    }
    return try await write(in: .store) { try $0.openDeviceGrant(request, within: limits, in: $1) }
  }

  /// Returns the grant of a device that polls; nil if its code is unknown.
  package func deviceGrant(deviceCode: String) async throws(StoreError) -> DeviceGrant? {
    try await read { try $0.deviceGrant(deviceCode: deviceCode, in: $1) }
  }

  /// Raises the interval of a device that polled too early, so that it holds at every process.
  ///
  /// A device that ignores the interval causes a bounded number of writes: an interval as long as the
  /// grant is not raised.
  package func slowDown(
    _ grant: DeviceGrant, within limits: SignInLimits
  ) async throws(StoreError) {
    guard grant.interval < limits.life else { return }
    try await write(in: .users) {
      try $1.raiseInterval(
        ofDeviceGrant: grant.id, to: grant.interval + limits.intervalStep)
    }
  }

  /// See ``StoreLogic/redeemDeviceGrant(deviceCode:for:in:)``. The device's open streams end; it
  /// opens them again with its new token.
  package func redeemDeviceGrant(
    deviceCode: String, for user: UserID
  ) async throws(StoreError) -> SignedIn? {
    try await write(
      in: .user(user), { try $0.redeemDeviceGrant(deviceCode: deviceCode, for: user, in: $1) },
      committed: { [self] in if let signedIn = $0 { endOlderStreams(of: signedIn) } })
  }

  /// See ``StoreLogic/findDeviceGrant(_:for:within:in:)``. It is a write, so that guesses that are
  /// made at the same time are counted one after another.
  package func findDeviceGrant(
    _ code: UserCode?, for user: UserID, within limits: SignInLimits
  ) async throws(StoreError) -> DeviceGrantLookup {
    try await write(in: .user(user)) {
      try $0.findDeviceGrant(code, for: user, within: limits, in: $1)
    }
  }

  /// See ``StoreLogic/decideDeviceGrant(_:isApproved:by:within:in:)``.
  package func decideDeviceGrant(
    _ code: UserCode?, isApproved: Bool, by user: UserID, within limits: SignInLimits
  ) async throws(StoreError) -> DeviceGrantLookup {
    try await write(in: .user(user)) {
      try $0.decideDeviceGrant(code, isApproved: isApproved, by: user, within: limits, in: $1)
    }
  }
}
