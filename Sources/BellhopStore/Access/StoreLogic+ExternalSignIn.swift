internal import BellhopModel

/// Sign-ins of users and publishers that an identity provider vouches for.
///
/// Each sign-in has an access token without a secret, so that it behaves like any token: it is
/// listed, bound to the device that registers with it, and revoked. A sign-in combines what a
/// provider's tokens have in common: issuer, subject, client, the session if the provider names
/// one, and the device that the request names.
extension StoreLogic {
  /// Returns the principal of a known sign-in; nil for one that ``admit(_:in:)`` must decide on.
  ///
  /// - Throws: ``StoreError/revoked(_:)``, ``StoreError/unauthenticated(reason:)``.
  func authenticate(
    _ signIn: ExternalSignIn, in state: any StoreReading
  ) throws -> Principal? {
    guard let user = try knownUser(of: signIn, in: state),
      let token = try token(of: signIn, user.id, in: state)
    else { return nil }
    if let revoked = token.revoked, signIn.isLater(than: revoked) { return nil }
    return try principal(of: token, signIn, in: state)
  }

  /// Admits a sign-in for the first time, or again after it was revoked.
  ///
  /// A subject is assigned to a user once, by the user's name, and stays assigned whatever name the
  /// provider uses later. No other subject of the same provider can be assigned to that user.
  ///
  /// - Throws: ``StoreError/accessDenied(reason:)``, ``StoreError/revoked(_:)``;
  ///   ``StoreError/busy`` if another process changes or adds the user at the same time.
  func admit(
    _ signIn: ExternalSignIn, in transaction: any StoreTransaction
  ) throws -> Principal {
    let found = try existingUser(for: signIn, in: transaction)
    if let found {
      try transaction.lock(found.id)
      // Until the lock, another process may have assigned the subject to another user.
      guard try existingUser(for: signIn, in: transaction) == found else { throw StoreError.busy }
    }
    let user = try user(for: signIn, existing: found, in: transaction)
    if var token = try token(of: signIn, user.id, in: transaction) {
      if let revoked = token.revoked, signIn.isLater(than: revoked) {
        token.revoked = nil
        token.revokedBy = nil
        token.scope = signIn.scope
        try transaction.update(token)
        transaction.changedRevocation = token
      }
      return try principal(of: token, signIn, in: transaction)
    }
    let tokens = try transaction.accessTokens(of: user.id)
    let known = try transaction.signIns(of: user.id)
    let record = SignInRecord(
      token: newID(), issuer: signIn.issuer, subject: signIn.subject, client: signIn.client,
      session: signIn.session)
    if signIn.right == .device { try checkRevocations(of: signIn, record, known, tokens) }
    try forgetIdle(known, tokens, of: user.id, in: transaction)
    let token = AccessToken(
      id: record.token, user: user.id, name: signIn.name(bytesMax: limits.nameBytesMax),
      scope: signIn.scope, created: now, lastUsed: now)
    try transaction.insert(token, hash: signIn.hash(for: user.id))
    try transaction.insert(record, of: user.id)
    return try principal(of: token, signIn, in: transaction)
  }

  /// Releases the user's subject, so that another one can take its place at the next sign-in. The
  /// previous subject's sign-ins through the issuer are revoked.
  ///
  /// - Returns: the revoked tokens.
  func forgetSubject(
    of user: UserID, at issuer: String, in transaction: any StoreTransaction
  ) throws -> [AccessToken] {
    guard try transaction.subject(of: user, at: issuer) != nil else {
      throw StoreError.notFound(what: "user of this issuer")
    }
    try transaction.removeSubject(of: user, at: issuer)
    return try transaction.signIns(of: user).filter { $0.issuer == issuer }.map {
      try revokeToken($0.token, of: user, in: transaction)
    }
  }

  // MARK: - Users

  private func knownUser(
    of signIn: ExternalSignIn, in state: any StoreReading
  ) throws -> User? {
    let subject = ExternalSubject(issuer: signIn.issuer, subject: signIn.subject)
    if let id = try state.user(of: subject) { return try state.user(id) }
    return signIn.right == .device ? nil : try state.user(named: signIn.userName)
  }

  /// Returns the user whom a sign-in is for, whether or not its subject is assigned yet.
  private func existingUser(
    for signIn: ExternalSignIn, in state: any StoreReading
  ) throws -> User? {
    if let user = try knownUser(of: signIn, in: state) { return user }
    guard ContentRules.isIdentifier(signIn.userName) else { return nil }
    return try state.user(named: signIn.userName)
  }

  /// Returns the user whom a sign-in is for, with the subject assigned.
  ///
  /// - Parameter existing: the user, whom the transaction has locked; nil to add the user.
  private func user(
    for signIn: ExternalSignIn, existing: User?, in transaction: any StoreTransaction
  ) throws -> User {
    let subject = ExternalSubject(issuer: signIn.issuer, subject: signIn.subject)
    guard let existing else {
      let user = try addUser(for: signIn, in: transaction)
      try transaction.insert(subject, of: user.id)
      return user
    }
    // A publisher needs no subject.
    if try signIn.right != .device || transaction.user(of: subject) == existing.id {
      return existing
    }
    guard try transaction.subject(of: existing.id, at: signIn.issuer) == nil else {
      throw StoreError.accessDenied(
        reason:
          "this user is linked to another account at the identity provider; ask the store's "
          + "administrator")
    }
    try transaction.insert(subject, of: existing.id)
    return existing
  }

  private func addUser(
    for signIn: ExternalSignIn, in transaction: any StoreTransaction
  ) throws -> User {
    guard signIn.right == .device, ContentRules.isIdentifier(signIn.userName), signIn.addsUser
    else {
      throw StoreError.accessDenied(
        reason: "this store has no such user; ask the store's administrator")
    }
    do {
      return try addUser(named: signIn.userName, newApps: .notDetermined, in: transaction)
    } catch StoreError.alreadyExists {
      // Another process has just added the user, whom this transaction has not locked.
      throw StoreError.busy
    }
  }

  // MARK: - Access tokens of sign-ins

  private func token(
    of signIn: ExternalSignIn, _ user: UserID, in state: any StoreReading
  ) throws -> AccessToken? {
    let hash = signIn.hash(for: user)
    return try state.accessTokens(hashedLike: hash).first { $0.hash == hash }?.token
  }

  private func principal(
    of token: AccessToken, _ signIn: ExternalSignIn, in state: any StoreReading
  ) throws -> Principal {
    var principal = try principal(of: token, in: state)
    // The provider specifies the app in each token.
    if case .publish = signIn.right { principal.token.scope = signIn.scope }
    return principal
  }

  /// Prevents a revoked device from returning under another name with the rest of its sign-in.
  private func checkRevocations(
    of signIn: ExternalSignIn, _ record: SignInRecord, _ known: [SignInRecord],
    _ tokens: [AccessToken]
  ) throws {
    for other in known where other.hasSameHolder(as: record) && other.session == record.session {
      guard let token = tokens.first(where: { $0.id == other.token }),
        case .device = token.scope, let revocation = token.revocation
      else { continue }
      // Without a session, a token made later may well belong to another sign-in.
      let isLater =
        signIn.isLater(than: revocation.at)
        || signIn.session == nil && signIn.authenticated == nil && signIn.issued > revocation.at
      guard isLater else { throw StoreError.revoked(revocation) }
    }
  }

  /// Forgets idle sign-ins to keep the limit when a new one is added; every session adds a sign-in.
  private func forgetIdle(
    _ known: [SignInRecord], _ tokens: [AccessToken], of user: UserID,
    in transaction: any StoreTransaction
  ) throws {
    // A revoked sign-in is remembered for good, or it would be valid again.
    let signIns = Set(known.map(\.token))
    let idle = tokens.filter { $0.revoked == nil && signIns.contains($0.id) }
      .sorted { ($0.lastUsed ?? $0.created) < ($1.lastUsed ?? $1.created) }
    let spare = max(0, idle.count + 1 - limits.signInsPerUserMax)
    for (index, token) in idle.enumerated() {
      let end = (token.lastUsed ?? token.created).advanced(by: limits.signInLife)
      guard index < spare || end <= expiryNow else { return }
      try transaction.removeSignIn(token.id, of: user)
    }
  }

  // MARK: - Devices

  /// Checks whether the device may be bound to a token.
  ///
  /// A device that was registered through an identity provider belongs to the user and the client
  /// that registered it.
  func checkHolder(
    of device: DeviceID, for token: AccessTokenID, _ user: UserID,
    in transaction: any StoreTransaction
  ) throws {
    let records = try transaction.signIns(of: user)
    guard let own = records.first(where: { $0.token == token }) else { return }
    for other in records where !other.hasSameHolder(as: own) {
      if let bound = try transaction.accessToken(other.token, of: user),
        bound.scope == .device(device), bound.revoked == nil
      {
        throw StoreError.accessDenied(
          reason: "the device was registered by another user or client")
      }
    }
  }

  /// Returns the unbound tokens of the same sign-ins, which are revoked together with these.
  func unboundCompanions(
    of tokens: [AccessToken], among all: [AccessToken], in state: any StoreReading
  ) throws -> [AccessToken] {
    guard let user = tokens.first?.user else { return [] }
    let records = try state.signIns(of: user)
    let ended = records.filter { record in tokens.contains { $0.id == record.token } }
    return all.filter { token in
      guard token.scope == .device(nil), token.revoked == nil,
        let own = records.first(where: { $0.token == token.id })
      else { return false }
      return ended.contains { $0.hasSameHolder(as: own) && $0.session == own.session }
    }
  }
}

extension ExternalSignIn {
  /// The scope of its access token before a device is bound to it.
  var scope: AccessScope {
    switch right {
    case .device: .device(nil)
    case .publish(let apps): .publish(apps)
    }
  }

  /// Whether the user authenticated again after this time, according to the provider.
  func isLater(than time: Timestamp) -> Bool { authenticated.map { $0 > time } ?? false }
}
