package import BellhopModel
internal import Synchronization

/// The asynchronous interface to ``StoreLogic`` over a backend, for servers and administration.
///
/// Every call is one transaction. When a call returns, its effect is on the disk and the user's
/// other devices have been signalled; those connected to another process are a moment later. All
/// errors are ``StoreError``.
package final class StoreService: Sendable {
  let backend: any StorageBackend
  let dataLife: RestoreDetector
  let hub: SignalHub
  let counted = Mutex(StoreFigures())
  /// A stream that signals possible work for ``catchUp()``, initially and after changes. It has one
  /// reader.
  package let backlog: AsyncStream<Void>
  let backlogSource: AsyncStream<Void>.Continuation
  /// The cache of authenticated tokens; nil while another process may write to the storage.
  let knownTokens: TokenCache?
  /// The connection to other processes over the same storage; nil if there are none.
  let peers: PeerLink?

  /// The queue of reads that may take long.
  let turns: ReadingScheduler
  let writeHealth = WriteHealth()
  let membership = ProcessMembership()
  /// The manager of uploads; nil for a store that keeps no files.
  let desk: ActiveUploads?

  private init(
    backend: any StorageBackend, logic: StoreLogic, knownTokens: TokenCache?, desk: ActiveUploads?,
    peers: (any PeerChannel)?
  ) {
    self.backend = backend
    self.desk = desk
    dataLife = RestoreDetector(logic)
    self.knownTokens = knownTokens
    hub = SignalHub()
    turns = ReadingScheduler(
      runningMax: backend.longReadsMax, perUserMax: logic.limits.listsPerUserMax,
      waitingPerUserMax: logic.limits.listsWaitingPerUserMax)
    (backlog, backlogSource) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.peers = peers.map { PeerLink($0, life: DataLife(logic.identity)) }
    backlogSource.yield()
    peers?.begin { [weak self] in self?.receive($0) }
  }

  /// Opens the store on a backend.
  ///
  /// - Parameters:
  ///   - mode: `.starting` for the process that serves, `.joining` for administration alongside it.
  ///   - isSoleWriter: whether no other process writes to the storage while this service is open,
  ///     which the caller must ensure. Then known tokens are admitted from memory, and the first
  ///     sweep removes blobs that belong to no file. Otherwise several processes may serve a storage
  ///     with a ``LifeKey``, and administration may join the process that serves another one.
  ///   - shelf: the blob store for attachments; nil for a store that keeps no files.
  ///   - peers: the channel to other processes over the same storage; nil if there are none.
  package static func open(
    _ mode: StoreLogic.StartMode, on backend: any StorageBackend, environment: StoreEnvironment,
    limits: StoreLimits = StoreLimits(), isSoleWriter: Bool = false,
    shelf: (any BlobStore)? = nil, peers: (any PeerChannel)? = nil
  ) async throws(StoreError) -> StoreService {
    precondition(peers == nil || !isSoleWriter, "peers write to the storage too")
    do {
      if isSoleWriter { try await shelf?.removeDrafts() }
      let logic = try await backend.write(
        in: .store,
        { try StoreLogic.open(mode, environment: environment, limits: limits, in: $0) },
        committed: { _ in })
      return StoreService(
        backend: backend, logic: logic, knownTokens: isSoleWriter ? TokenCache() : nil,
        desk: shelf.map { ActiveUploads(shelf: $0, isTidy: !isSoleWriter) }, peers: peers)
    } catch {
      throw StoreError(error)
    }
  }

  /// Ends all signal streams, leaves other processes, lets writes finish and closes the storage.
  package func close() async {
    hub.disconnectAll()
    backlogSource.finish()
    await leave()
    await backend.close()
    await peers?.close()
  }

  /// See ``StorageBackend/catchUp()``.
  package func catchUp() async throws(StoreError) -> CatchUp {
    do {
      return try await backend.catchUp()
    } catch {
      throw StoreError(error)
    }
  }

  package var limits: StoreLimits { logic.limits }
  /// The epoch of the data, as of the last transaction.
  package var epoch: Epoch { logic.identity.epoch }
  /// The store's clock.
  package var now: Timestamp { logic.environment.now() }

  /// Returns random bytes that are suitable for secrets.
  package func randomBytes(_ count: Int) -> [UInt8] { logic.environment.randomBytes(count) }
  /// Checks whether a device can be registered with these values.
  ///
  /// - Throws: ``StoreError/invalid(field:expectation:)``.
  package func check(_ registration: DeviceRegistration) throws {
    try logic.check(registration)
  }
  var environment: StoreEnvironment { logic.environment }
  /// See ``StoreLogic/holds(_:)``.
  func holds(_ principal: Principal) -> Bool { logic.holds(principal) }
  /// The number of open signal streams.
  package var subscriberCount: Int { hub.subscriberCount }
  /// The users whose items or subscriptions changed, for delivery to web hooks.
  package var changedUsers: ChangedUsers { hub.changedUsers }

  // MARK: - Publishing

  /// See ``StoreLogic/publish(_:for:in:)-(PublishRequest,_,_)``.
  package func publish(
    _ request: PublishRequest, for user: UserID
  ) async throws(StoreError) -> Published {
    try await write(
      in: .user(user), { try $0.publish(request, for: user, in: $1) },
      committed: { [self] published in
        guard !published.isRepeat else { return }
        counted.withLock { $0.publications += 1 }
        raise(published.item.state.sequence, for: user)
      })
  }

  /// See ``StoreLogic/publish(_:for:in:)-([PublishRequest],_,_)``. It takes one transaction and one
  /// signal.
  package func publish(
    _ requests: [PublishRequest], for user: UserID
  ) async throws(StoreError) -> [Result<Published, StoreError>] {
    try await write(
      in: .user(user), { try $0.publish(requests, for: user, in: $1) },
      committed: { [self] results in
        let written = results.compactMap { try? $0.get() }.filter { !$0.isRepeat }
        counted.withLock { $0.publications += written.count }
        raise(written.map(\.item.state.sequence).max(), for: user)
      })
  }

  /// See ``StoreLogic/revise(app:appNotificationID:isQuiet:by:isDevice:for:in:edit:)``.
  package func revise(
    app: String, appNotificationID: String, isQuiet: Bool, by publisher: AccessTokenID? = nil,
    isDevice: Bool = false, for user: UserID,
    edit: @escaping @Sendable (Content) throws(StoreError) -> Content
  ) async throws(StoreError) -> Published {
    try await write(
      in: .user(user),
      {
        try $0.revise(
          app: app, appNotificationID: appNotificationID, isQuiet: isQuiet, by: publisher,
          isDevice: isDevice, for: user, in: $1, edit: edit)
      },
      committed: { [self] published in
        counted.withLock { $0.publications += 1 }
        raise(published.item.state.sequence, for: user)
      })
  }

  /// Deletes an item on behalf of its publisher.
  ///
  /// - Returns: whether there was a live item with this app notification id.
  @discardableResult
  package func withdraw(
    app: String, appNotificationID: String, for user: UserID
  ) async throws(StoreError) -> Bool {
    let sequence = try await write(
      in: .user(user),
      { try $0.withdraw(app: app, appNotificationID: appNotificationID, for: user, in: $1) },
      committed: { [self] in raise($0, for: user) })
    return sequence != nil
  }

  // MARK: - Reading

  /// See ``StoreLogic/list(_:for:in:)``.
  ///
  /// A user has at most ``StoreLimits/listsPerUserMax`` lists read at once; others wait in order.
  /// Cancelling the task ends the read.
  ///
  /// - Parameter isAnonymous: whether the reader has no token. Such readers of one user's topics
  ///   have one list read at once, and four waiting.
  /// - Throws: ``StoreError/tooManyLists`` when ``StoreLimits/listsWaitingPerUserMax`` are waiting.
  package func list(
    _ request: ListRequest, for user: UserID, isAnonymous: Bool = false
  ) async throws(StoreError) -> ListPage {
    try await longRead(.list, for: user, isAnonymous: isAnonymous) {
      try $0.list(request, for: user, in: $1)
    }
  }

  /// Returns a page of the history, newest arrival first.
  package func list(
    matching predicate: Predicate? = nil, page: PageToken? = nil, rows: Int, for user: UserID,
    reader: RegistrationEnvironment = .production
  ) async throws(StoreError) -> ListPage {
    let filter = predicate?.condition
    return try await list(
      ListRequest(filter: filter, page: page, rows: rows, reader: reader), for: user)
  }

  /// Returns one live item that reaches the reader, or throws ``StoreError/notFound(what:)``.
  package func item(
    _ id: NotificationID, of user: UserID, reader: RegistrationEnvironment = .production
  ) async throws(StoreError) -> UserNotification {
    try await read { try $0.item(id, of: user, reader: reader, in: $1) }
  }

  /// Returns the live item that users refer to as `#number`, if it reaches the reader.
  package func item(
    number: Int64, of user: UserID, reader: RegistrationEnvironment = .production
  ) async throws(StoreError) -> UserNotification {
    try await read { try $0.item(number: number, of: user, reader: reader, in: $1) }
  }

  /// See ``StoreLogic/delta(from:rows:for:reader:in:)``.
  package func delta(
    from start: DeltaStart, rows: Int, for user: UserID,
    reader: RegistrationEnvironment = .production
  ) async throws(StoreError) -> DeltaPage {
    var page = try await read {
      try $0.delta(from: start, rows: rows, for: user, reader: reader, in: $1)
    }
    if Mutant.counterReadOutside.isOn, case .complete = page.end {
      page.end = .complete(
        try await read { try $0.currentToken(of: user, reader: reader, in: $1) })
    }
    return page
  }

  // MARK: - Changing

  /// See ``StoreLogic/change(_:_:ifMatch:by:for:reader:in:)``.
  ///
  /// - Parameter device: the requesting device, which needs no signal of its own change.
  package func change(
    _ id: NotificationID, _ change: StateChange, ifMatch match: Set<SequenceNumber>? = nil,
    by author: Author, from device: DeviceID? = nil, for user: UserID,
    reader: RegistrationEnvironment = .production
  ) async throws(StoreError) -> UserNotification {
    try await write(
      in: .user(user),
      { try $0.change(id, change, ifMatch: match, by: author, for: user, reader: reader, in: $1) },
      committed: { [self] in raise($0.state.sequence, for: user, by: device) })
  }

  /// Deletes one item, if it reaches the reader.
  ///
  /// - Returns: whether the item existed.
  @discardableResult
  package func delete(
    _ id: NotificationID, ifMatch match: Set<SequenceNumber>? = nil, from device: DeviceID? = nil,
    for user: UserID, reader: RegistrationEnvironment = .production
  ) async throws(StoreError) -> Bool {
    let sequence = try await write(
      in: .user(user),
      { try $0.delete(id, ifMatch: match, for: user, reader: reader, in: $1) },
      committed: { [self] in raise($0, for: user, by: device) })
    return sequence != nil
  }

  /// Expires items, which leave every device in the same way as deleted ones.
  func expire(_ ids: [NotificationID], of user: UserID) async throws(StoreError) -> Int {
    try await write(
      in: .user(user), { try $0.expire(ids, of: user, in: $1) },
      committed: { [self] in if $0.count > 0 { raise($0.sequence, for: user) } }
    ).count
  }

  // MARK: - Devices

  /// See ``StoreLogic/register(_:with:for:in:)``.
  package func register(
    _ registration: DeviceRegistration, with token: AccessTokenID, for user: UserID
  ) async throws(StoreError) -> Device {
    try await write(in: .user(user)) {
      try $0.register(registration, with: token, for: user, in: $1)
    }
  }

  /// Returns the user's devices in the order they were registered.
  package func devices(of user: UserID) async throws(StoreError) -> [Device] {
    try await read { try $1.devices(of: user) }
  }

  /// Returns one registered device.
  package func device(_ id: DeviceID, of user: UserID) async throws(StoreError) -> Device {
    try await read { _, state in
      guard let device = try state.device(id, of: user) else {
        throw StoreError.notFound(what: "device")
      }
      return device
    }
  }

  /// Ends a device's registration, revokes its tokens and ends its signal streams.
  ///
  /// - Parameter device: the name of the requesting device; nil for the store's administrator.
  package func revokeDevice(
    _ id: DeviceID, of user: UserID, by device: String? = nil
  ) async throws(StoreError) {
    _ = try await write(
      in: .user(user), { try $0.revokeDevice(id, of: user, by: device, in: $1) },
      committed: { [self] tokens in
        endStreams(.device(id, of: user))
        for token in tokens { endStreams(EndedAccess(token)) }
      })
  }
}

extension StoreError {
  /// Creates the error that callers receive: any error that is not the store's own is a storage
  /// failure.
  init(_ error: any Error) {
    self = error as? StoreError ?? .unavailable(reason: error.explanation.clause)
  }
}
