package import BellhopModel

extension StoreService {
  // MARK: - Users

  /// Returns all users in the order they were added.
  package func users() async throws(StoreError) -> [User] {
    try await read { try $1.users() }
  }

  /// Returns the user with this name.
  package func user(named name: String) async throws(StoreError) -> User {
    try await read { _, state in
      guard let user = try state.user(named: name) else {
        throw StoreError.notFound(what: "user")
      }
      return user
    }
  }

  /// See ``StoreLogic/addUser(named:newApps:in:)``.
  @discardableResult
  package func addUser(
    named name: String, newApps: AppAuthorization = .authorized
  ) async throws(StoreError) -> User {
    try await write(in: .store) { try $0.addUser(named: name, newApps: newApps, in: $1) }
  }

  // MARK: - Access tokens

  /// See ``StoreLogic/mintToken(named:scope:expires:for:in:)``.
  package func mintToken(
    named name: String, scope: AccessScope, expires: Timestamp? = nil, for user: UserID
  ) async throws(StoreError) -> MintedToken {
    try await write(in: .user(user)) {
      try $0.mintToken(named: name, scope: scope, expires: expires, for: user, in: $1)
    }
  }

  /// Returns the user's tokens in the order they were made, including revoked ones.
  package func accessTokens(of user: UserID) async throws(StoreError) -> [AccessToken] {
    try await read { try $1.accessTokens(of: user) }
  }

  /// Removes a user with all their data.
  ///
  /// Tokens and streams are removed immediately, the rest in transactions of at most
  /// ``StoreLimits/removalRowsMax`` rows. An interrupted removal leaves an unusable user; removing
  /// the user again continues it.
  ///
  /// - Returns: the number of deleted rows.
  @discardableResult
  package func removeUser(named name: String) async throws(StoreError) -> Int {
    let user = try await user(named: name)
    try await write(
      in: .user(user.id), { try $0.lockOut(user.id, in: $1) },
      committed: { [self] in endStreams(.user(user.id)) })
    var count = 0
    while case let removed = try await write(
      in: .user(user.id),
      { [dataLife] in
        dataLife.forget(user.id)
        return try $0.removeSome(of: user.id, in: $1)
      }), removed > 0
    { count += removed }
    return count
  }

  /// Revokes a token for good, in every process that uses the database. Its signal streams end at
  /// once. Those in another process end a moment later if it is a peer, or else when they
  /// authenticate again.
  ///
  /// - Parameter device: the name of the requesting device; nil for the store's administrator.
  package func revokeToken(
    _ id: AccessTokenID, of user: UserID, by device: String? = nil
  ) async throws(StoreError) {
    _ = try await write(
      in: .user(user), { try $0.revokeToken(id, of: user, by: device, in: $1) },
      committed: { [self] token in endStreams(EndedAccess(token)) })
  }

  /// Renames a token.
  package func renameToken(
    _ id: AccessTokenID, _ name: String, of user: UserID
  ) async throws(StoreError) -> AccessToken {
    try await write(in: .user(user)) { try $0.renameToken(id, name, of: user, in: $1) }
  }

  /// Returns the principal that presents this secret, and records its use from time to time.
  ///
  /// A service that is the only writer to its storage answers from memory what it has read before.
  /// Every change of a token, its device or its user in between takes effect.
  ///
  /// - Throws: ``StoreError/unauthenticated(reason:)``, ``StoreError/revoked(_:)``.
  package func authenticate(
    _ secret: AccessTokenSecret
  ) async throws(StoreError) -> Principal {
    let hash = secret.hash
    if let known = knownTokens?.principal(hash: hash), holds(known) { return known }
    let mark = knownTokens?.mark ?? 0
    let (principal, isUseDue) = try await read { logic, state in
      let principal = try logic.authenticate(hash: hash, in: state)
      return (principal, logic.shouldRecordUse(of: principal))
    }
    knownTokens?.remember(principal, hash: hash, readAt: mark)
    if isUseDue {
      // A store that cannot write, as on a full disk, still lets its users read.
      try? await recordUse(of: principal)
    }
    return principal
  }

  /// See ``StoreLogic/recordUse(of:in:)``.
  func recordUse(of principal: Principal) async throws(StoreError) {
    try await write(in: .user(principal.user.id)) { try $0.recordUse(of: principal, in: $1) }
  }

  // MARK: - Upkeep

  /// Deletes expired and old data, finishes interrupted work and reclaims free space.
  ///
  /// It recomputes when items leave the store after a change of retention, turns expired items into
  /// tombstones, and drops tombstones and records past their life. It finishes bulk operations that
  /// a crash interrupted, and returns free space to the disk. A server calls ``performUpkeep()`` at
  /// the start and every minute or so. Several processes may sweep at the same time.
  ///
  /// While wall-clock time is in doubt nothing is deleted by age; see ``WallClockMonitor``. It runs
  /// batch after batch while there is more. Each batch is a transaction of its own with at most
  /// ``StoreLimits/sweepItemsMax`` items, and is submitted after the previous one is on the disk:
  /// other waiting writes share a commit with a batch or come before the next one.
  @discardableResult
  package func sweep() async throws(StoreError) -> SweepReport {
    try await sweep { Task.isCancelled }
  }

  /// Sweeps until everything is done, or until `isOver` returns true between two batches.
  func sweep(until isOver: @Sendable () -> Bool) async throws(StoreError) -> SweepReport {
    var report = SweepReport()
    while let pass = try await read({ try $1.retentionPasses(limit: 1).first }) {
      try await write(in: .user(pass.user)) { try $0.retain(pass, in: $1) }
      if isOver() { return report }
    }
    report.clockDoubt = try await judgeClock()
    if report.clockDoubt == nil { try await sweepByAge(&report, until: isOver) }
    if isOver() { return report }
    report.operationsFinished = try await finishBulkWork()
    if !isOver() { try await sweepBytes() }
    if !isOver() { try await reclaimFreeSpace() }
    return report
  }

  /// Deletes data whose age limit has passed.
  private func sweepByAge(
    _ report: inout SweepReport, until isOver: @Sendable () -> Bool
  ) async throws(StoreError) {
    while case let batches = try await read({ try $0.nextLeaving(in: $1) }), !batches.isEmpty {
      for (user, ids) in batches {
        report.expired += try await expire(ids, of: user)
      }
      if isOver() { return }
    }
    while case let batches = try await read({ try $0.nextTombstones(in: $1) }),
      !batches.isEmpty
    {
      for (user, ids) in batches {
        report.tombstonesDropped += try await write(in: .user(user)) {
          try $0.dropTombstones(ids, of: user, in: $1)
        }
      }
      if isOver() { return }
    }
    while case let batches = try await read({ try $0.nextRemovedRules(in: $1) }),
      !batches.isEmpty
    {
      for (user, ids) in batches {
        report.tombstonesDropped += try await write(in: .user(user)) {
          try $0.dropRules(ids, of: user, in: $1)
        }
      }
      if isOver() { return }
    }
    while try await write(in: .users, { try $0.forgetRecords(in: $1) }), !isOver() {}
    if !isOver() { report.filesRemoved = try await sweepFiles() }
  }

  private func reclaimFreeSpace() async throws(StoreError) {
    do {
      try await backend.reclaimFreeSpace(compactionBytesMax: limits.compactionBytesMax)
    } catch {
      throw StoreError(error)
    }
  }

  /// Begins another epoch, as after a restore from backup. The service must be closed afterwards.
  package func beginEpoch() async throws(StoreError) {
    try await write(in: .store) { try $0.beginEpoch(in: $1) }
  }
}
