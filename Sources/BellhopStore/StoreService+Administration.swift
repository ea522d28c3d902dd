package import BellhopModel

extension StoreService {
  // MARK: - Users

  /// In the order they were added.
  package func users() async throws(StoreError) -> [User] {
    try await read { try $1.users() }
  }

  /// The user with this name.
  package func user(named name: String) async throws(StoreError) -> User {
    try await read { _, state in
      guard let user = try state.user(named: name) else {
        throw StoreError.notFound(what: "user")
      }
      return user
    }
  }

  /// See ``StoreLogic/addUser(named:in:)``.
  @discardableResult
  package func addUser(named name: String) async throws(StoreError) -> User {
    try await write { try $0.addUser(named: name, in: $1) }
  }

  // MARK: - Access tokens

  /// See ``StoreLogic/mintToken(named:scope:expires:for:in:)``.
  package func mintToken(
    named name: String, scope: AccessScope, expires: Timestamp? = nil, for user: UserID
  ) async throws(StoreError) -> MintedToken {
    try await write {
      try $0.mintToken(named: name, scope: scope, expires: expires, for: user, in: $1)
    }
  }

  /// The user's tokens in the order they were made, revoked ones too.
  package func accessTokens(of user: UserID) async throws(StoreError) -> [AccessToken] {
    try await read { try $1.accessTokens(of: user) }
  }

  /// Removes a user with everything of theirs: tokens and streams at once, then the rest in
  /// transactions of at most ``StoreLimits/removalRowsMax`` rows. What is interrupted leaves a
  /// user whom nobody can use; removing again goes on.
  ///
  /// - Returns: how many rows were deleted.
  @discardableResult
  package func removeUser(named name: String) async throws(StoreError) -> Int {
    let user = try await user(named: name)
    try await write(
      { try $0.lockOut(user.id, in: $1) }, committed: { [hub] in hub.disconnect(user.id) })
    var count = 0
    while case let removed = try await write({ [dataLife] in
      dataLife.forget(user.id)
      return try $0.removeSome(of: user.id, in: $1)
    }), removed > 0 { count += removed }
    return count
  }

  /// Revokes a token for good, in every process that uses the database. Its signal streams end at
  /// once; those in another process end when they authenticate again.
  ///
  /// - Parameter device: the name of the device that asks; nil for who runs the store.
  package func revokeToken(
    _ id: AccessTokenID, of user: UserID, by device: String? = nil
  ) async throws(StoreError) {
    _ = try await write(
      { try $0.revokeToken(id, of: user, by: device, in: $1) },
      committed: { [hub] token in hub.disconnect(token) })
  }

  /// Calls a token something else.
  package func renameToken(
    _ id: AccessTokenID, _ name: String, of user: UserID
  ) async throws(StoreError) -> AccessToken {
    try await write { try $0.renameToken(id, name, of: user, in: $1) }
  }

  /// Who presents this secret. Records its use now and then.
  ///
  /// A service that alone writes to its storage answers from memory what it has read before; every
  /// change of a token, its device or its user in between is heeded.
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
      // A store that can't write, as on a full disk, still lets its users read.
      try? await write { try $0.recordUse(of: principal, in: $1) }
    }
    return principal
  }

  // MARK: - Upkeep

  /// Gives items the time at which they leave by a changed retention, turns expired items into
  /// tombstones, drops tombstones and records past their life, and finishes bulk operations that a
  /// crash left; gives the room that became free back to the disk. To be called at the start and
  /// every minute or so.
  ///
  /// While wall-clock time is in doubt nothing is deleted by its age; see ``WallClockMonitor``.
  /// It goes on batch after batch while there is more. Each is a transaction of its own with at
  /// most ``StoreLimits/sweepItemsMax`` items, and the next is asked for when the one before is on
  /// the disk: whatever else waits to be written shares a commit with a batch or comes before the
  /// next one.
  @discardableResult
  package func sweep() async throws(StoreError) -> SweepReport {
    var report = SweepReport()
    while let pass = try await read({ try $1.retentionPasses(limit: 1).first }) {
      try await write { try $0.retain(pass, in: $1) }
      if Task.isCancelled { return report }
    }
    report.clockDoubt = try await judgeClock()
    if report.clockDoubt == nil { try await sweepByAge(&report) }
    if Task.isCancelled { return report }
    report.operationsFinished = try await finishBulkWork()
    if !Task.isCancelled { try await sweepBytes() }
    if !Task.isCancelled { try await giveBackRoom() }
    return report
  }

  /// Deletes what is deleted by its age.
  private func sweepByAge(_ report: inout SweepReport) async throws(StoreError) {
    while case let batches = try await read({ try $0.nextLeaving(in: $1) }), !batches.isEmpty {
      for (user, ids) in batches {
        report.expired += try await expire(ids, of: user)
      }
      if Task.isCancelled { return }
    }
    while case let batches = try await read({ try $0.nextTombstones(in: $1) }),
      !batches.isEmpty
    {
      for (user, ids) in batches {
        report.tombstonesDropped += try await write {
          try $0.dropTombstones(ids, of: user, in: $1)
        }
      }
      if Task.isCancelled { return }
    }
    while try await write({ try $0.forgetRecords(in: $1) }), !Task.isCancelled {}
    if !Task.isCancelled { report.filesRemoved = try await sweepFiles() }
  }

  private func giveBackRoom() async throws(StoreError) {
    do {
      try await backend.giveBackRoom(compactionBytesMax: limits.compactionBytesMax)
    } catch {
      throw StoreError(error)
    }
  }

  /// Begins another epoch, as after a restore from backup. This service is to be closed then.
  package func beginEpoch() async throws(StoreError) {
    try await write { try $0.beginEpoch(in: $1) }
  }
}
