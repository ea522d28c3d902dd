internal import BellhopModel

/// A newly signed-in device.
package struct SignedIn: Sendable {
  package var minted: MintedToken
  /// The registered device; nil for a client that did not specify one.
  package var device: Device?
  /// The user whom the device belongs to.
  package var user: User
}

extension StoreLogic {
  /// Creates a token for a device and registers the device, or renews its registration. Older
  /// tokens of the same device are revoked: a device has one.
  ///
  /// - Parameters:
  ///   - registration: nil for a client that registers later, or never.
  ///   - name: the name of the token if there is no registration.
  /// - Throws: ``StoreError/invalid(field:expectation:)``, ``StoreError/notFound(what:)`` for an
  ///   unknown user.
  package func signIn(
    _ registration: DeviceRegistration?, named name: String, for user: UserID,
    in transaction: any StoreTransaction
  ) throws -> SignedIn {
    guard let owner = try transaction.user(user) else { throw StoreError.notFound(what: "user") }
    guard let registration else {
      let minted = try mintToken(
        named: name, scope: .device(nil), for: user, in: transaction)
      return SignedIn(minted: minted, device: nil, user: owner)
    }
    for token in try transaction.unrevokedTokens(of: user)
    where token.scope == .device(registration.id) {
      try revokeToken(token.id, of: user, by: registration.name, in: transaction)
    }
    let minted = try mintToken(
      named: registration.name, scope: .device(registration.id), for: user, in: transaction)
    let device = try register(
      registration, with: minted.token.id, for: user, in: transaction)
    return SignedIn(minted: minted, device: device, user: owner)
  }

  /// Signs a device in with an enrol token, which is thereby used up.
  ///
  /// - Throws: as ``authenticate(_:in:)``; ``StoreError/accessDenied(reason:)`` for a token that is
  ///   not an enrol token; as ``signIn(_:named:for:in:)``.
  package func enrol(
    _ secret: AccessTokenSecret, _ registration: DeviceRegistration?, named name: String,
    in transaction: any StoreTransaction
  ) throws -> SignedIn {
    let principal = try authenticate(secret, in: transaction)
    guard principal.token.scope == .enrol else {
      throw StoreError.accessDenied(reason: "only an enrol token can be exchanged")
    }
    try revokeToken(
      principal.token.id, of: principal.user.id, by: registration?.name ?? name,
      in: transaction)
    return try signIn(registration, named: name, for: principal.user.id, in: transaction)
  }
}

extension StoreService {
  /// See ``StoreLogic/signIn(_:named:for:in:)``. The device's open streams end; it opens them again
  /// with its new token.
  package func signIn(
    _ registration: DeviceRegistration?, named name: String, for user: UserID
  ) async throws(StoreError) -> SignedIn {
    try await write(
      in: .user(user), { try $0.signIn(registration, named: name, for: user, in: $1) },
      committed: { [self] in endOlderStreams(of: $0) })
  }

  /// See ``StoreLogic/enrol(_:_:named:in:)``.
  package func enrol(
    _ secret: AccessTokenSecret, _ registration: DeviceRegistration?, named name: String
  ) async throws(StoreError) -> SignedIn {
    // The write locks the token's user first, and then checks the token again.
    let user = try await read { try $0.authenticate(secret, in: $1) }.user.id
    return try await write(
      in: .user(user), { try $0.enrol(secret, registration, named: name, in: $1) },
      committed: { [self] in endOlderStreams(of: $0) })
  }

  /// Ends the streams that a device opened before it signed in.
  func endOlderStreams(of signedIn: SignedIn) {
    guard let device = signedIn.device else { return }
    // In another process, the device may have opened a stream with its new token by then.
    endStreams(.device(device.id, of: signedIn.user.id, keeping: signedIn.minted.token.id))
  }
}
