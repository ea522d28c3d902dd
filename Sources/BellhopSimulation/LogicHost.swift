import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopStore
import BellhopStoreMemory
import BellhopSync

/// The real store logic over memory, called as the server calls it, on the caller's thread.
final class LogicHost: StoreHost {
  private let backend = MemoryBackend()
  private var logic: StoreLogic
  private let environment: StoreEnvironment
  private let limits: StoreLimits
  let user: UserID
  var committed: CommitListener = { _ in }
  private var starts = 0
  private var kill: (isPlanned: Bool, afterCommit: Bool) = (false, false)
  private var backup: MemorySnapshot?

  init(clock: WorldClock, random: SharedRandom, limits: StoreLimits) throws {
    let environment = StoreEnvironment(
      now: { clock.now }, random: { random.word() }, uptime: { clock.elapsed },
      wallClock: .simulated,
      // A sweep with a wrong clock is a separate fault, from which devices recover.
      isClockSynchronized: { true })
    self.environment = environment
    self.limits = limits
    let logic = try backend.write(in: .store) {
      try StoreLogic.open(environment: environment, limits: limits, in: $0)
    }
    self.logic = logic
    user = try backend.write(in: .store) { try logic.addUser(named: "alice", in: $0).id }
  }

  var epoch: Epoch { logic.identity.epoch }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) throws -> Value {
    try backend.read(body)
  }

  /// Runs a transaction and reports its commit with the cause, computed from the value.
  ///
  /// - Parameter scope: nil for the rows of ``user``.
  private func write<Value: Sendable>(
    in scope: WriteScope? = nil, _ cause: (Value) -> CommitCause,
    _ body: @escaping @Sendable (StoreLogic, UserID, any StoreTransaction) throws -> Value
  ) throws -> Value {
    let (logic, user) = (logic, user)
    let (isKilled, isAfterCommit) = kill
    kill = (false, false)
    do {
      let value = try backend.write(in: scope ?? .user(user)) { transaction in
        let value = try body(logic, user, transaction)
        if isKilled, !isAfterCommit { throw StoreKilled() }
        return value
      }
      committed(cause(value))
      if isKilled { throw StoreKilled() }
      return value
    } catch let error as StoreError {
      if isKilled { throw StoreKilled() }
      throw error
    }
  }

  private func write<Value: Sendable>(
    in scope: WriteScope? = nil, because cause: CommitCause,
    _ body: @escaping @Sendable (StoreLogic, UserID, any StoreTransaction) throws -> Value
  ) throws -> Value {
    try write(in: scope, { _ in cause }, body)
  }

  // MARK: Clients

  private func asClient<Value>(_ token: String, _ body: () throws -> Value) throws -> Value {
    do {
      let logic = logic
      _ = try backend.read { try logic.authenticate(AccessTokenSecret(token), in: $0) }
      return try body()
    } catch let error as StoreError {
      throw TransportError(error)
    }
  }

  func register(
    _ device: DeviceID, in environment: RegistrationEnvironment, with token: String
  ) throws -> Author {
    try asClient(token) {
      let registration = DeviceRegistration(
        id: device, name: device.rawValue, platform: "linux", channel: .signal,
        environment: environment)
      return try write(because: .other) { logic, user, transaction in
        let principal = try logic.authenticate(AccessTokenSecret(token), in: transaction)
        return try logic.register(
          registration, with: principal.token.id, for: user, in: transaction)
      }.author
    }
  }

  func pull(_ request: ChangeChunk.Request, with token: String) throws -> PullAnswer {
    try asClient(token) {
      let (logic, user) = (logic, user)
      let page = try backend.read { state -> DeltaPage in
        let reader = try logic.authenticate(AccessTokenSecret(token), in: state).environment
        return try logic.delta(
          from: DeltaStart(request), rows: 7, for: user, reader: reader, in: state)
      }
      return PullAnswer(page, to: request)
    }
  }

  func enclosure(after sequence: SequenceNumber) throws -> EnclosedDelta? {
    let (logic, user) = (logic, user)
    let enclosed = try backend.read { try logic.enclosure(after: sequence, for: user, in: $0) }
    return enclosed.map { EnclosedDelta($0) }
  }

  /// Sends a batch as the service does: in steps, each with its own transaction.
  func send(
    _ batch: OutboxBatch, from device: DeviceID, with token: String, between: () -> Void
  ) throws -> SendAnswer {
    try asClient(token) {
      let whole = OperationBatch(
        device: device, lineage: batch.lineage, operations: batch.operations)
      var progress = BatchProgress()
      while true {
        let (logic, user, done) = (logic, user, progress)
        let chunk = try backend.read {
          try logic.nextChunk(of: whole, after: done, for: user, in: $0)
        }
        // The real store reads outside its writer, so that other writes may occur in between.
        if chunk != nil {
          let run = starts
          between()
          if run != starts { throw TransportError.offline(.closed(.simulated)) }
        }
        let step = try write(
          { Self.cause(of: whole, $0, after: done.results.count) },
          { logic, user, transaction in
            try logic.step(whole, after: done, with: chunk, for: user, in: transaction)
          })
        switch step {
        case .unfinished(let next): progress = next
        case .finished(let answer):
          return SendAnswer(results: answer.results, sequence: answer.sequence)
        }
        between()
      }
    }
  }

  /// Returns the results of a batch's operations after a step.
  static func results(of step: BatchStep) -> [OperationResult] {
    switch step {
    case .unfinished(let progress): progress.results
    case .finished(let answer): answer.results
    }
  }

  /// Returns the cause of a step's commit.
  ///
  /// - Parameter count: The number of operations that earlier steps have answered.
  static func cause(
    of batch: OperationBatch, _ step: BatchStep, after count: Int
  ) -> CommitCause {
    let results = Self.results(of: step)
    let operations = batch.operations.map(\.operation)
    let done = zip(operations, results).dropFirst(count)
    let next = results.count < operations.count ? operations[results.count] : nil
    return .operations(
      done.map { ($0, $1) }, underWay: next.flatMap { $0.isBulkTarget ? $0 : nil })
  }

  // MARK: Publishers

  /// The token of all publishers.
  private static let publisher = AccessTokenID(high: 0x0190_0000_0000_7000, low: 1)

  func publish(_ content: Content, isQuiet: Bool) throws {
    _ = try write(because: .publication(content, isQuiet: isQuiet)) { logic, user, transaction in
      try logic.publish(
        PublishRequest(content, isQuietUpdate: isQuiet, publisher: Self.publisher), for: user,
        in: transaction)
    }
  }

  func withdraw(app: String, appNotificationID: String) throws {
    _ = try write(because: .withdrawal) { logic, user, transaction in
      try logic.withdraw(
        app: app, appNotificationID: appNotificationID, for: user, in: transaction)
    }
  }

  func cancelRequest(_ id: NotificationID, app: String) throws {
    _ = try write(because: .cancellation(id)) { logic, user, transaction in
      let ids = try logic.ids(of: ItemNames(id), app: app, for: user, in: transaction)
      return try logic.cancelRequests(ids, for: user, in: transaction)
    }
  }

  func removeDelivered(_ id: NotificationID, app: String) throws {
    _ = try write(because: .removal(id)) { logic, user, transaction in
      let ids = try logic.ids(of: ItemNames(id), app: app, for: user, in: transaction)
      return try logic.removeDelivered(ids, for: user, in: transaction)
    }
  }

  func register(_ category: Category, app: String) throws {
    _ = try write(because: .category(category, app: app)) { logic, user, transaction in
      try logic.register(category, ofApp: app, appsMax: nil, for: user, in: transaction)
    }
  }

  func configure(_ app: String, _ change: AppSettingsChange) throws {
    _ = try write(because: .configuration(app, change)) { logic, user, transaction in
      try logic.configure(app, change, for: user, in: transaction)
    }
  }

  // MARK: Administration and lifecycle

  func signIn(_ device: DeviceID, expires: Timestamp?) throws -> String {
    return try write(because: .other) { logic, user, transaction in
      try logic.mintToken(
        named: device.rawValue, scope: .device(device), expires: expires, for: user,
        in: transaction)
    }.secret.text
  }

  func revoke(_ device: DeviceID) throws {
    _ = try write(because: .other) { logic, user, transaction in
      try logic.revokeDevice(device, of: user, in: transaction)
    }
  }

  /// Sweeps as the service does.
  ///
  /// It reads the items about to leave outside its writer, so that other writes may occur before it
  /// removes them.
  func sweep(between: ([NotificationID]) -> Void) throws -> Bool {
    let (run, user) = (starts, user)
    while let (id, underWay) = try read({ state in
      try state.bulkWorks(limit: 1).first.map { ($0.work.operation.id, $0.work.operation) }
    }) {
      let logic = logic
      guard let chunk = try read({ try logic.nextChunk(of: id, for: user, in: $0) }) else { break }
      _ = try write(because: .operations([], underWay: underWay)) { logic, user, transaction in
        try logic.resume(chunk, for: user, in: transaction)
      }
    }
    while let pass = try read({ try $0.retentionPasses(limit: 1).first }) {
      try write(because: .sweep) { logic, _, transaction in
        try logic.retain(pass, in: transaction)
      }
    }
    while true {
      let logic = logic
      guard let ids = try read({ try logic.nextLeaving(in: $0)[user] }) else { break }
      between(ids)
      if run != starts { return false }
      _ = try write(because: .sweep) { logic, user, transaction in
        try logic.expire(ids, of: user, in: transaction)
      }
    }
    _ = try write(in: .users, because: .sweep) { logic, _, transaction in
      try logic.sweep(in: transaction)
    }
    return true
  }

  func restart() throws {
    starts += 1
    kill = (false, false)
    let (environment, limits) = (environment, limits)
    logic = try backend.write(in: .store) {
      try StoreLogic.open(environment: environment, limits: limits, in: $0)
    }
  }

  func beginEpoch() throws {
    let logic = logic
    try backend.write(in: .store) { try logic.beginEpoch(in: $0) }
    try restart()
  }

  func backUp() { backup = backend.snapshot() }

  func restoreBackup() throws {
    guard let backup else { return }
    let logic = logic
    let former = try backend.read { try logic.formerState(in: $0) }
    backend.restore(backup)
    try restart()
    let restored = self.logic
    _ = try backend.write(in: .users) { try restored.adopt(after: former, in: $0) }
    try restart()
  }

  func rollBack() throws {
    guard let backup else { return }
    backend.restore(backup)
    try restart()
  }

  func killAtNextWrite(afterCommit: Bool) { kill = (true, afterCommit) }
}
