extension StoreService {
  /// Returns the principal of a request that an identity provider vouches for. A new sign-in is
  /// admitted or refused; its use is recorded from time to time.
  ///
  /// - Throws: ``StoreError/accessDenied(reason:)`` for a user whom this store does not accept,
  ///   ``StoreError/revoked(_:)``, ``StoreError/unauthenticated(reason:)``.
  package func authenticate(_ signIn: ExternalSignIn) async throws(StoreError) -> Principal {
    let known = try await read { logic, state -> (principal: Principal, isUseDue: Bool)? in
      guard let principal = try logic.authenticate(signIn, in: state) else { return nil }
      return (principal, logic.shouldRecordUse(of: principal))
    }
    guard let (principal, isUseDue) = known else {
      // Admitting a sign-in may forget others, and their web hooks end with them.
      return try await write(
        in: .users,
        { [dataLife] in
          let principal = try $0.admit(signIn, in: $1)
          // The next writes of the same commit see that the token is no longer revoked.
          if $1.changedRevocation != nil { dataLife.forgetRevocation() }
          return principal
        },
        committed: { [self] in noteSubscriptions(of: $0.user.id) })
    }
    // A store that cannot write, as on a full disk, still lets its users read.
    if isUseDue { try? await recordUse(of: principal) }
    return principal
  }

  /// See `StoreLogic.forgetSubject(of:at:in:)`. The signal streams of the revoked tokens end.
  package func forgetSubject(of user: UserID, at issuer: String) async throws(StoreError) {
    _ = try await write(
      in: .user(user), { try $0.forgetSubject(of: user, at: issuer, in: $1) },
      committed: { [self] tokens in for token in tokens { endStreams(EndedAccess(token)) } })
  }
}
