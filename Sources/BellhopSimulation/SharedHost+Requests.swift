import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopStore
import BellhopStoreMemory
import BellhopSync

/// Requests of devices, which are answered later.
extension SharedHost {
  /// A device as the sender of a request, and its access token.
  struct Sender {
    var index: Int
    var id: DeviceID
    var token: String
    /// The process to which it is connected.
    var process: Int

    fileprivate var author: (device: Int, id: DeviceID) { (index, id) }
  }

  func register(
    _ sender: Sender, in environment: RegistrationEnvironment,
    then: @escaping (Result<Author, any Error>) -> Void
  ) {
    let (id, token) = (sender.id, sender.token)
    let registration = DeviceRegistration(
      id: id, name: id.rawValue, platform: "linux", channel: .signal, environment: environment)
    submit(to: serving(sender.process), .other, from: sender.author) { service, user in
      let principal = try await service.authenticate(AccessTokenSecret(token))
      return try await service.register(registration, with: principal.token.id, for: user).author
    } then: { result, _ in
      then(result)
    }
  }

  /// Requests a page.
  ///
  /// - Parameter then: Called with the answer and the timeline that it comes from.
  func pull(
    _ request: ChangeChunk.Request, from sender: Sender,
    then: @escaping (Result<PullAnswer, any Error>, Int) -> Void
  ) {
    let token = sender.token
    submit(to: serving(sender.process), .other, from: sender.author) { service, user in
      let principal = try await service.authenticate(AccessTokenSecret(token))
      let page = try await service.delta(
        from: DeltaStart(request), rows: 7, for: user, reader: principal.environment)
      return PullAnswer(page, to: request)
    } then: { result, context in
      then(result, context.timeline)
    }
  }

  func send(
    _ batch: OutboxBatch, from sender: Sender,
    then: @escaping (Result<SendAnswer, any Error>) -> Void
  ) {
    let token = sender.token
    let whole = OperationBatch(
      device: sender.id, lineage: batch.lineage, operations: batch.operations)
    submit(to: serving(sender.process), .operations(whole), from: sender.author) {
      service, user in
      _ = try await service.authenticate(AccessTokenSecret(token))
      let answer = try await service.apply(whole, for: user)
      return SendAnswer(results: answer.results, sequence: answer.sequence)
    } then: { result, _ in
      then(result)
    }
  }

  // MARK: Requests with an immediate answer, which only a store with one process receives

  func register(
    _ device: DeviceID, in environment: RegistrationEnvironment, with token: String
  ) throws -> Author { throw TransportError.timedOut }

  func pull(_ request: ChangeChunk.Request, with token: String) throws -> PullAnswer {
    throw TransportError.timedOut
  }

  func send(
    _ batch: OutboxBatch, from device: DeviceID, with token: String, between: () -> Void
  ) throws -> SendAnswer { throw TransportError.timedOut }

  func enclosure(after sequence: SequenceNumber) throws -> EnclosedDelta? { nil }
}

/// Requests of publishers and of the administrator, each to a random process.
extension SharedHost {
  /// The token of all publishers.
  private static let publisher = AccessTokenID(high: 0x0190_0000_0000_7000, low: 1)
  /// The maximum number of times that a request is sent.
  private static let attemptsMax = 40

  var epoch: Epoch {
    let bytes = storage.state.read { try? $0.metadata(.epoch) }
    return Epoch(String(decoding: bytes ?? [], as: UTF8.self))
  }

  /// Sends a request again until a process has answered it.
  ///
  /// - Parameter count: The maximum number of times that it is sent.
  private func persist<Value: Sendable>(
    _ purpose: RequestContext.Purpose, atMost count: Int = SharedHost.attemptsMax,
    _ body: @escaping @Sendable (StoreService, UserID) async throws -> Value,
    then: @escaping (Result<Value, any Error>) -> Void
  ) {
    submit(to: serving(), purpose, body) { [self] result, _ in
      guard case .failure(let error) = result, Self.isTemporary(error), count > 1 else {
        return then(result)
      }
      storage.scheduler.after(random.milliseconds(200...3000)) { [self] in
        persist(purpose, atMost: count - 1, body, then: then)
      }
    }
  }

  private static func isTemporary(_ error: any Error) -> Bool {
    guard let error = error as? StoreError else { return true }
    switch error {
    case .busy, .outcomeUnknown, .unavailable, .tooManyRequests, .storageFull: return true
    case .unauthenticated, .revoked, .accessDenied, .notFound, .resyncRequired, .outboxGap,
      .outboxDiverged, .tooManyLists, .tooManyStreams, .quotaReached, .invalid, .alreadyExists,
      .modified, .idempotencyConflict, .notSupported, .tooManySubscriptions, .newerSchema, .moved,
      .unfinishedCopy, .inUse:
      return false
    }
  }

  /// Publishes, in half of the cases under an idempotency key.
  ///
  /// With a key, a request without an answer is sent again. Without one, it is sent once, and only the
  /// backend prevents a second item. A process may refuse it: before the commit, a user may have denied
  /// the app, or a failover may have lost an item that the content names.
  func publish(_ content: Content, isQuiet: Bool) throws {
    let number = newPublication()
    let key = IdempotencyKey(
      token: Self.publisher, key: "publication-\(number)", bodyHash: Array("\(number)".utf8))
    let hasKey = number % 2 == 0
    let request = PublishRequest(
      content, isQuietUpdate: isQuiet, idempotency: hasKey ? key : nil, publisher: Self.publisher)
    let purpose = RequestContext.Purpose.publication(content, isQuiet: isQuiet, number: number)
    persist(purpose, atMost: hasKey ? Self.attemptsMax : 1) { service, user in
      try await service.publish(request, for: user)
    } then: { [self] result in
      switch result {
      case .success: acknowledged(number)
      case .failure(let error): note("publication \(number) is refused: \(error)")
      }
    }
  }

  private func tell(
    _ purpose: RequestContext.Purpose,
    _ body: @escaping @Sendable (StoreService, UserID) async throws -> Void
  ) {
    submit(to: serving(), purpose, body) { [self] result, _ in
      if case .failure(let error) = result { note("a request is refused: \(error)") }
    }
  }

  func withdraw(app: String, appNotificationID: String) throws {
    tell(.withdrawal) { service, user in
      try await service.withdraw(app: app, appNotificationID: appNotificationID, for: user)
    }
  }

  func cancelRequest(_ id: NotificationID, app: String) throws {
    tell(.cancellation(id)) { service, user in
      try await service.cancelRequests(ItemNames(id), of: app, for: user)
    }
  }

  func removeDelivered(_ id: NotificationID, app: String) throws {
    tell(.removal(id)) { service, user in
      try await service.removeDelivered(ItemNames(id), of: app, for: user)
    }
  }

  func register(_ category: Category, app: String) throws {
    tell(.category(category, app: app)) { service, user in
      _ = try await service.register(category, ofApp: app, for: user)
    }
  }

  func configure(_ app: String, _ change: AppSettingsChange) throws {
    tell(.configuration(app, change)) { service, user in
      _ = try await service.configure(app, change, for: user)
    }
  }

  /// Signs a device in, as soon as a process answers.
  func signIn(_ device: DeviceID, expires: Timestamp?, then: @escaping (String) -> Void) {
    persist(.other) { service, user in
      try await service.mintToken(
        named: device.rawValue, scope: .device(device), expires: expires, for: user
      ).secret.text
    } then: { [self] result in
      switch result {
      case .success(let token): then(token)
      case .failure(let error): violate("the store refused to sign a device in: \(error)")
      }
    }
  }

  func revoke(_ device: DeviceID) throws {
    persist(.other) { service, user in
      try await service.revokeDevice(device, of: user)
    } then: { _ in
    }
  }

  /// Sweeps in one process, while the others go on.
  func sweep(between: ([NotificationID]) -> Void) throws -> Bool {
    submit(to: serving(), .sweep) { service, _ in
      _ = try await service.sweep()
    } then: { _, _ in
    }
    return false
  }

  func beginEpoch() throws {
    tell(.other) { service, _ in try await service.beginEpoch() }
  }

  /// Does nothing: processes start again by themselves.
  func restart() throws {}

  // MARK: Lifecycle

  func backUp() throws {
    backup = SharedStorage.Past(state: storage.state, version: storage.version)
  }

  /// Restores the backup while no process runs, as the program does it.
  func restoreBackup() throws {
    guard let backup else { return }
    let (environment, limits) = (environment, limits)
    var former = storage.state
    let before = try former.write(in: .store) { transaction in
      try StoreLogic.open(.joining, environment: environment, limits: limits, in: transaction)
        .formerState(in: transaction)
    }
    var next = backup.state
    next.lifeKey = storage.state.lifeKey
    let logic = try next.write(in: .store) {
      try StoreLogic.open(.starting, environment: environment, limits: limits, in: $0)
    }
    _ = try next.write(in: .users) { try logic.adopt(after: before, in: $0) }
    for process in processes { kill(process, for: .seconds(1)) }
    failOver(to: SharedStorage.Past(state: next, version: backup.version))
  }

  /// Restores the backup's data as of an earlier time, which begins another timeline.
  func rollBack() throws {
    if let backup { failOver(to: backup) }
  }

  /// Promotes a standby with a state of the past.
  func failOver(to past: SharedStorage.Past) {
    lose(after: past.version)
    storage.failOver(to: past.state, keeping: past.version)
    pump()
  }

  func killAtNextWrite(afterCommit: Bool) {
    serving()?.killAtWrite = (true, afterCommit)
  }
}
