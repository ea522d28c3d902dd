package import BellhopModel
internal import Synchronization

/// A store, for servers and administration: the asynchronous face of ``StoreLogic`` over a backend.
///
/// Every call is one transaction. A call that returns has its effect on the disk and has signalled
/// the user's other devices. All errors are ``StoreError``.
package final class StoreService: Sendable {
  let backend: any StorageBackend
  let dataLife: DataLife
  let hub: SignalHub
  let counted = Mutex(StoreFigures())
  /// Says, to one reader, that there may be work for ``catchUp()``; at first, and after changes.
  package let backlog: AsyncStream<Void>
  private let backlogSource: AsyncStream<Void>.Continuation
  /// Nil while another process may write to the storage.
  let knownTokens: KnownTokens?

  /// The order of the readings that may take long.
  let turns: ReadingTurns
  let writeHealth = WriteHealth()
  /// Where uploads become files; nil for a store that keeps none.
  let desk: FileDesk?

  private init(
    backend: any StorageBackend, logic: StoreLogic, knownTokens: KnownTokens?, desk: FileDesk?
  ) {
    self.backend = backend
    self.desk = desk
    dataLife = DataLife(logic)
    self.knownTokens = knownTokens
    hub = SignalHub()
    turns = ReadingTurns(
      runningMax: backend.longReadsMax, perUserMax: logic.limits.listsPerUserMax,
      waitingPerUserMax: logic.limits.listsWaitingPerUserMax)
    (backlog, backlogSource) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    backlogSource.yield()
  }

  /// Opens the store on a backend.
  ///
  /// - Parameters:
  ///   - mode: `.starting` for the process that serves, `.joining` for administration beside it.
  ///   - isSoleWriter: whether nobody else writes to the storage while this service is open, to
  ///     which the caller sees. Then tokens that were presented before are let in from memory, and
  ///     bytes on the shelf that belong to no file are removed by the first sweep.
  ///   - shelf: where the bytes of attachments are; nil for a store that keeps no files.
  package static func open(
    _ mode: StoreLogic.StartMode, on backend: any StorageBackend, environment: StoreEnvironment,
    limits: StoreLimits = StoreLimits(), isSoleWriter: Bool = false,
    shelf: (any FileShelf)? = nil
  ) async throws(StoreError) -> StoreService {
    do {
      if isSoleWriter { try await shelf?.removeDrafts() }
      let logic = try await backend.write(
        { try StoreLogic.open(mode, environment: environment, limits: limits, in: $0) },
        committed: { _ in })
      return StoreService(
        backend: backend, logic: logic, knownTokens: isSoleWriter ? KnownTokens() : nil,
        desk: shelf.map { FileDesk(shelf: $0, isTidy: !isSoleWriter) })
    } catch {
      throw StoreError(error)
    }
  }

  /// Ends all signal streams, lets waiting writes finish and closes the storage.
  package func close() async {
    hub.disconnectAll()
    backlogSource.finish()
    await backend.close()
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
  package var epoch: Epoch { logic.identity.epoch }
  /// The store's clock.
  package var now: Timestamp { logic.environment.now() }
  /// Random bytes that are good for secrets.
  package func randomBytes(_ count: Int) -> [UInt8] { logic.environment.randomBytes(count) }
  /// Whether a device can be registered so.
  ///
  /// - Throws: ``StoreError/invalid(field:expectation:)``.
  package func check(_ registration: DeviceRegistration) throws {
    try logic.check(registration)
  }
  var environment: StoreEnvironment { logic.environment }
  /// See ``StoreLogic/holds(_:)``.
  func holds(_ principal: Principal) -> Bool { logic.holds(principal) }
  /// How many signal streams are open.
  package var subscriberCount: Int { hub.subscriberCount }
  /// Whose items or subscriptions changed, for whoever tells web hooks of it.
  package var changedUsers: ChangedUsers { hub.changedUsers }

  // MARK: - Transactions

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (StoreLogic, any StoreReading) throws -> Value
  ) async throws(StoreError) -> Value {
    do {
      return try await backend.read { [logic] in try body(logic, $0) }
    } catch {
      throw StoreError(error)
    }
  }

  /// Reads when it is the user's turn: for what may take long.
  func longRead<Value: Sendable>(
    _ purpose: ReadingTurns.Purpose, for user: UserID, isAnonymous: Bool = false,
    _ body: @escaping @Sendable (StoreLogic, any StoreReading) throws -> Value
  ) async throws(StoreError) -> Value {
    do {
      return try await turns.run(purpose, for: .init(user: user, isAnonymous: isAnonymous)) {
        try await backend.read { [logic] in try body(logic, $0) }
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// How many readings of the user that may take long run, and how many wait.
  ///
  /// - Parameter isAnonymous: Whether those without a token are counted, or all others.
  package func longReads(
    of user: UserID, isAnonymous: Bool = false
  ) -> (running: Int, waiting: Int) {
    turns.figures(of: .init(user: user, isAnonymous: isAnonymous))
  }

  /// Reads one committed state as it is. For simulations, which watch what a store holds.
  package func inspect<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws(StoreError) -> Value {
    try await read { try body($1) }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (StoreLogic, any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void = { _ in }
  ) async throws(StoreError) -> Value {
    let user = Mutex<UserID?>(nil)
    do {
      return try await backend.write(
        { [dataLife] transaction in
          defer { user.withLock { $0 = transaction.takenSequence?.user } }
          let (logic, isNewLife) = try dataLife.logic(in: transaction)
          let value = try body(logic, transaction)
          let effects = WriteEffects(
            accessChanges: transaction.accessChanges, beginsLife: isNewLife,
            takenSequence: transaction.takenSequence,
            changedRevocation: transaction.changedRevocation,
            publishTally: transaction.publishTally)
          return (value, effects)
        },
        committed: { [self] (value, effects) in
          if effects.beginsLife { forgetLostPast() }
          if let taken = effects.takenSequence { dataLife.note(taken) }
          if let token = effects.changedRevocation { dataLife.noteRevocation(of: token) }
          knownTokens?.forget(effects.accessChanges)
          let logic = dataLife.logic
          logic.rates.take(effects.publishTally, at: logic.environment.uptime())
          committed(value)
        }
      ).0
    } catch {
      let error = StoreError(error)
      writeHealth.note(error, user: user.withLock { $0 })
      throw error
    }
  }

  func raise(_ sequence: SequenceNumber?, for user: UserID, by device: DeviceID? = nil) {
    guard let sequence else { return }
    if hub.raise(Signal(epoch: epoch, sequence: sequence), for: user, by: device) {
      Task { await encloseChanges(for: user) }
    }
    backlogSource.yield()
  }

  // MARK: - Publishing

  /// See ``StoreLogic/publish(_:for:in:)``.
  package func publish(
    _ request: PublishRequest, for user: UserID
  ) async throws(StoreError) -> Published {
    try await write(
      { try $0.publish(request, for: user, in: $1) },
      committed: { [self] published in
        guard !published.isRepeat else { return }
        counted.withLock { $0.publications += 1 }
        raise(published.item.state.sequence, for: user)
      })
  }

  /// See ``StoreLogic/publish(_:for:in:)-([PublishRequest],_,_)``: one transaction, one signal.
  package func publish(
    _ requests: [PublishRequest], for user: UserID
  ) async throws(StoreError) -> [Result<Published, StoreError>] {
    try await write(
      { try $0.publish(requests, for: user, in: $1) },
      committed: { [self] results in
        let written = results.compactMap { try? $0.get() }.filter { !$0.isRepeat }
        counted.withLock { $0.publications += written.count }
        raise(written.map(\.item.state.sequence).max(), for: user)
      })
  }

  /// See ``StoreLogic/revise(app:appNotificationID:isQuiet:by:for:in:edit:)``.
  package func revise(
    app: String, appNotificationID: String, isQuiet: Bool, by publisher: AccessTokenID? = nil,
    for user: UserID,
    edit: @escaping @Sendable (Content) throws(StoreError) -> Content
  ) async throws(StoreError) -> Published {
    try await write(
      {
        try $0.revise(
          app: app, appNotificationID: appNotificationID, isQuiet: isQuiet, by: publisher,
          for: user, in: $1, edit: edit)
      },
      committed: { [self] published in
        counted.withLock { $0.publications += 1 }
        raise(published.item.state.sequence, for: user)
      })
  }

  /// Deletes what a publisher sent.
  ///
  /// - Returns: whether there was a live item with this app id.
  @discardableResult
  package func withdraw(
    app: String, appNotificationID: String, for user: UserID
  ) async throws(StoreError) -> Bool {
    let sequence = try await write(
      {
        try $0.withdraw(app: app, appNotificationID: appNotificationID, for: user, in: $1)
      },
      committed: { [self] in raise($0, for: user) })
    return sequence != nil
  }

  // MARK: - Reading

  /// See ``StoreLogic/list(_:for:in:)``.
  ///
  /// A user has ``StoreLimits/listsPerUserMax`` lists read at once; others wait in order. Cancelling
  /// the task ends the reading.
  /// - Parameter isAnonymous: Whether the reader has no token. Such readers of one user's topics have
  ///   one list read at once, and four that wait.
  /// - Throws: ``StoreError/tooManyLists`` when ``StoreLimits/listsWaitingPerUserMax`` wait.
  package func list(
    _ request: ListRequest, for user: UserID, isAnonymous: Bool = false
  ) async throws(StoreError) -> ListPage {
    try await longRead(.list, for: user, isAnonymous: isAnonymous) {
      try $0.list(request, for: user, in: $1)
    }
  }

  /// A page of the history, newest arrival first.
  package func list(
    matching predicate: Predicate? = nil, page: PageToken? = nil, rows: Int, for user: UserID
  ) async throws(StoreError) -> ListPage {
    let filter = predicate?.condition
    return try await list(ListRequest(filter: filter, page: page, rows: rows), for: user)
  }

  /// One live item; ``StoreError/notFound(what:)`` for any other.
  package func item(
    _ id: NotificationID, of user: UserID
  ) async throws(StoreError) -> UserNotification {
    try await read { try $0.item(id, of: user, in: $1) }
  }

  /// The live item that people call `#number`.
  package func item(
    number: Int64, of user: UserID
  ) async throws(StoreError) -> UserNotification {
    try await read { try $0.item(number: number, of: user, in: $1) }
  }

  /// See ``StoreLogic/delta(from:rows:for:in:)``.
  package func delta(
    from start: DeltaStart, rows: Int, for user: UserID
  ) async throws(StoreError) -> DeltaPage {
    var page = try await read { try $0.delta(from: start, rows: rows, for: user, in: $1) }
    if Mutant.counterReadOutside.isOn, case .complete = page.end {
      page.end = .complete(try await read { try $0.currentToken(of: user, in: $1) })
    }
    return page
  }

  // MARK: - Changing

  /// See ``StoreLogic/change(_:_:ifMatch:by:for:in:)``.
  ///
  /// - Parameter device: the device that asks, which needs no signal of its own change.
  package func change(
    _ id: NotificationID, _ change: StateChange, ifMatch match: Set<SequenceNumber>? = nil,
    by author: Author, from device: DeviceID? = nil, for user: UserID
  ) async throws(StoreError) -> UserNotification {
    try await write(
      { try $0.change(id, change, ifMatch: match, by: author, for: user, in: $1) },
      committed: { [self] in raise($0.state.sequence, for: user, by: device) })
  }

  /// Deletes one item.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package func delete(
    _ id: NotificationID, ifMatch match: Set<SequenceNumber>? = nil, from device: DeviceID? = nil,
    for user: UserID
  ) async throws(StoreError) -> Bool {
    let sequence = try await write(
      { try $0.delete(id, ifMatch: match, for: user, in: $1) },
      committed: { [self] in raise($0, for: user, by: device) })
    return sequence != nil
  }

  /// Expired items leave every device by the same path as deleted ones.
  func expire(_ ids: [NotificationID], of user: UserID) async throws(StoreError) -> Int {
    try await write(
      { try $0.expire(ids, of: user, in: $1) },
      committed: { [self] in if $0.count > 0 { raise($0.sequence, for: user) } }
    ).count
  }

  // MARK: - Devices

  /// See ``StoreLogic/register(_:with:for:in:)``.
  package func register(
    _ registration: DeviceRegistration, with token: AccessTokenID, for user: UserID
  ) async throws(StoreError) -> Device {
    try await write { try $0.register(registration, with: token, for: user, in: $1) }
  }

  /// The user's devices in the order they were registered.
  package func devices(of user: UserID) async throws(StoreError) -> [Device] {
    try await read { try $1.devices(of: user) }
  }

  /// One registered device.
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
  /// - Parameter device: the name of the device that asks; nil for who runs the store.
  package func revokeDevice(
    _ id: DeviceID, of user: UserID, by device: String? = nil
  ) async throws(StoreError) {
    _ = try await write(
      { try $0.revokeDevice(id, of: user, by: device, in: $1) },
      committed: { [hub] tokens in
        hub.disconnect(id, of: user)
        for token in tokens { hub.disconnect(token) }
      })
  }
}

extension StoreError {
  /// The error as callers get it: whatever is not one of the store's is a failed storage.
  init(_ error: any Error) {
    self = error as? StoreError ?? .unavailable(reason: error.explanation.clause)
  }
}
