package import BellhopModel
internal import Crypto
internal import FoundationEssentials

extension StoreLogic {
  // MARK: - Users

  /// Adds a user.
  ///
  /// - Parameter newApps: the authorization that apps of the user have at first.
  /// - Throws: ``StoreError/alreadyExists(what:)``, ``StoreError/invalid(field:expectation:)``.
  package func addUser(
    named name: String, newApps: AppAuthorization = .authorized,
    in transaction: any StoreTransaction
  ) throws -> User {
    guard ContentRules.isIdentifier(name) else {
      throw StoreError.invalid(
        field: "user", expectation: "1 to 128 letters, digits and '-_.:~'")
    }
    guard try transaction.user(named: name) == nil else {
      throw StoreError.alreadyExists(what: "the user")
    }
    let user = try transaction.insertUser(named: name, created: now)
    if newApps != .authorized {
      var change = AppSettingsChange()
      change.authorization = newApps
      _ = try configure(AppSettings.everyApp, change, for: user.id, in: transaction)
    }
    return user
  }

  // MARK: - Access tokens

  /// Creates an access token. Its secret is in the result and nowhere else.
  ///
  /// - Parameter expires: the expiration; nil for never. With ``AccessScope/enrol``, nil means
  ///   after ``StoreLimits/enrolLife``, and the maximum is ``StoreLimits/enrolLifeMax`` from now.
  package func mintToken(
    named name: String, scope: AccessScope, expires: Timestamp? = nil, for user: UserID,
    in transaction: any StoreTransaction
  ) throws -> MintedToken {
    try checkName(name)
    guard try transaction.user(user) != nil else { throw StoreError.notFound(what: "user") }
    var expires = expires
    if scope == .enrol {
      let latest = now.advanced(by: limits.enrolLifeMax)
      guard expires ?? latest <= latest else {
        throw StoreError.invalid(field: "expires", expectation: "a time no later than \(latest)")
      }
      expires = expires ?? now.advanced(by: limits.enrolLife)
    }
    if case .app(let app) = scope, !ContentRules.isAppName(app) {
      throw StoreError.invalid(field: "app", expectation: "the name of one app")
    }
    try makeRoomForToken(of: user, in: transaction)
    let secret = AccessTokenSecret(
      (scope == .enrol ? AccessTokenSecret.enrolPrefix : "blh_")
        + Base64URL.encode(environment.randomBytes(32)))
    let token = AccessToken(
      id: newID(), user: user, name: name, scope: scope, created: now, expires: expires)
    try transaction.insert(token, hash: secret.hash)
    return MintedToken(token: token, secret: secret)
  }

  /// Checks the limit of valid tokens, and removes ended ones beyond their limit.
  private func makeRoomForToken(
    of user: UserID, in transaction: any StoreTransaction
  ) throws {
    let count = try transaction.tokenCount(of: user, holdingAt: now)
    guard count < limits.tokensPerUserMax else {
      throw StoreError.accessDenied(
        reason: "the user already has \(count) tokens; revoke those that are not needed")
    }
    try transaction.removeEndedTokens(
      of: user, by: expiryNow, keeping: limits.endedTokensPerUserMax,
      limit: limits.sweepItemsMax)
  }

  /// Revokes a token for good. Revoking it again has no effect.
  ///
  /// - Parameter device: the name of the requesting device; nil for the store's administrator.
  @discardableResult
  package func revokeToken(
    _ id: AccessTokenID, of user: UserID, by device: String? = nil,
    in transaction: any StoreTransaction
  ) throws -> AccessToken {
    guard var token = try transaction.accessToken(id, of: user) else {
      throw StoreError.notFound(what: "token")
    }
    guard token.revoked == nil else { return token }
    token.revoked = now
    token.revokedBy = device
    try transaction.update(token)
    transaction.changedRevocation = token
    return token
  }

  /// Renames a token.
  package func renameToken(
    _ id: AccessTokenID, _ name: String, of user: UserID, in transaction: any StoreTransaction
  ) throws -> AccessToken {
    try checkName(name)
    guard var token = try transaction.accessToken(id, of: user) else {
      throw StoreError.notFound(what: "token")
    }
    token.name = name
    try transaction.update(token)
    return token
  }

  private func checkName(_ name: String) throws {
    guard (1...limits.nameBytesMax).contains(name.utf8.count) else {
      throw StoreError.invalid(
        field: "name", expectation: "1 to \(limits.nameBytesMax) bytes")
    }
    try ContentRules.checkListedName(name, "name")
  }

  /// Returns the principal that presents this secret.
  ///
  /// It reads the token itself each time, so that a revocation is effective from its commit on,
  /// whichever process made it.
  ///
  /// - Throws: ``StoreError/unauthenticated(reason:)``, ``StoreError/revoked(_:)``.
  package func authenticate(
    _ secret: AccessTokenSecret, in state: any StoreReading
  ) throws -> Principal {
    try authenticate(hash: secret.hash, in: state)
  }

  /// Returns the principal that presents the secret with this hash; see ``authenticate(_:in:)``.
  func authenticate(hash: [UInt8], in state: any StoreReading) throws -> Principal {
    let candidates = try state.accessTokens(hashedLike: hash)
    guard let token = candidates.first(where: { ConstantTime.areEqual($0.hash, hash) })?.token
    else { throw StoreError.unauthenticated(reason: "the access token is unknown") }
    return try principal(of: token, in: state)
  }

  /// Returns the principal that a token stands for, while it is valid.
  ///
  /// A token expires by wall-clock time, plausible or not. An expired one must not stay valid
  /// longer because the clock is in doubt, and one that is refused too early is valid again when
  /// the clock is right.
  func principal(of token: AccessToken, in state: any StoreReading) throws -> Principal {
    if let revocation = token.revocation { throw StoreError.revoked(revocation) }
    if let expires = token.expires, now >= expires {
      throw StoreError.unauthenticated(reason: "the access token has expired")
    }
    guard let user = try state.user(token.user) else {
      throw StoreError.unauthenticated(reason: "the user no longer exists")
    }
    var device: Device?
    if case .device(let id?) = token.scope { device = try state.device(id, of: user.id) }
    return Principal(user: user, token: token, device: device)
  }

  /// Whether a known principal is still admitted, if nothing was written since and no use must be
  /// recorded.
  func holds(_ principal: Principal) -> Bool {
    if let expires = principal.token.expires, now >= expires { return false }
    return !shouldRecordUse(of: principal)
  }

  /// Whether ``recordUse(of:in:)`` would write anything. Use is recorded to the hour for tokens and
  /// to the day for devices, because otherwise it would cost a write per request.
  package func shouldRecordUse(of principal: Principal) -> Bool {
    let now = now
    func isOlder(_ time: Timestamp?, than age: Duration) -> Bool {
      guard let time else { return true }
      return time.advanced(by: age) <= now
    }
    if isOlder(principal.token.lastUsed, than: .seconds(3600)) { return true }
    guard let device = principal.device else { return false }
    return isOlder(device.renewed, than: Self.renewalStep)
  }

  /// The age of a device's renewal at which it is written again.
  private static let renewalStep: Duration = .seconds(86_400)

  /// Records the use of a token, and renews its device's registration.
  package func recordUse(of principal: Principal, in transaction: any StoreTransaction) throws {
    let now = now
    if var token = try transaction.accessToken(principal.token.id, of: principal.user.id) {
      token.lastUsed = now
      try transaction.update(token)
    }
    if let id = principal.device?.id,
      var device = try transaction.device(id, of: principal.user.id)
    {
      device.renewed = now
      device.expires = now.advanced(by: limits.deviceLife)
      try transaction.put(device, of: principal.user.id)
    }
  }

  // MARK: - Devices

  /// Registers a device, or renews its registration with new details. A device token that is not
  /// bound yet is bound to it.
  ///
  /// - Throws: ``StoreError/accessDenied(reason:)`` when the token belongs to another device or is
  ///   not a device token.
  package func register(
    _ registration: DeviceRegistration, with token: AccessTokenID, for user: UserID,
    in transaction: any StoreTransaction
  ) throws -> Device {
    let known = try transaction.device(registration.id, of: user)
    try check(registration, replacing: known?.registration)
    guard var token = try transaction.accessToken(token, of: user) else {
      throw StoreError.unauthenticated(reason: "the access token is unknown")
    }
    switch token.scope {
    case .device(registration.id?): break
    case .device(nil):
      try checkHolder(of: registration.id, for: token.id, user, in: transaction)
      token.scope = .device(registration.id)
      try transaction.update(token)
    case .device:
      throw StoreError.accessDenied(reason: "the access token belongs to another device")
    case .publish, .app, .enrol:
      throw StoreError.accessDenied(reason: "only a device token can register a device")
    }
    let now = now
    // Renewals are recorded to the day, as use is: a program that starts every minute writes
    // nothing, and continues to read while the disk is full.
    if let known, known.registration == registration,
      known.state(at: now, expiring: limits.deviceExpiring) == .registered,
      known.renewed.advanced(by: Self.renewalStep) > now
    {
      return known
    }
    let device = Device(
      registration: registration, registered: known?.registered ?? now, renewed: now,
      expires: now.advanced(by: limits.deviceLife))
    try transaction.put(device, of: user)
    return device
  }

  /// Ends a device's registration and revokes the tokens that are bound to it.
  ///
  /// - Parameter device: the name of the requesting device; nil for the store's administrator.
  /// - Returns: the revoked tokens.
  @discardableResult
  package func revokeDevice(
    _ id: DeviceID, of user: UserID, by device: String? = nil,
    in transaction: any StoreTransaction
  ) throws -> [AccessToken] {
    let all = try transaction.unrevokedTokens(of: user)
    var tokens = all.filter { $0.scope == .device(id) }
    tokens += try unboundCompanions(of: tokens, among: all, in: transaction)
    for token in tokens {
      try revokeToken(token.id, of: user, by: device, in: transaction)
    }
    try transaction.removeDevice(id, of: user)
    return tokens
  }

  /// Checks the details of a device registration.
  ///
  /// - Parameter known: the current registration of the device. Its name and platform may be kept,
  ///   even if an earlier version accepted values that are now refused.
  /// - Throws: ``StoreError/invalid(field:expectation:)``.
  func check(_ registration: DeviceRegistration, replacing known: DeviceRegistration? = nil) throws
  {
    guard ContentRules.isIdentifier(registration.id.rawValue) else {
      throw StoreError.invalid(
        field: "id", expectation: "1 to 128 letters, digits and '-_.:~'")
    }
    guard (1...limits.nameBytesMax).contains(registration.name.utf8.count) else {
      throw StoreError.invalid(
        field: "name", expectation: "1 to \(limits.nameBytesMax) bytes")
    }
    guard registration.platform.utf8.count <= 64 else {
      throw StoreError.invalid(field: "platform", expectation: "at most 64 bytes")
    }
    if registration.name != known?.name {
      try ContentRules.checkListedName(registration.name, "name")
    }
    if registration.platform != known?.platform {
      try ContentRules.checkListedName(registration.platform, "platform")
    }
  }
}

extension AccessTokenSecret {
  /// The prefix that shows a client that the token must be exchanged before use.
  static let enrolPrefix = "blh_enrol_"

  /// The SHA-256 of the secret. It has 256 random bits, so no slower hash is needed.
  var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
