import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync
import BellhopTestSupport

/// The real store logic over memory, called as the server calls it.
final class SimulatedStore {
  private let backend = MemoryBackend()
  private var logic: StoreLogic
  private let environment: StoreEnvironment
  private let limits: StoreLimits
  let user: UserID
  private var tokens: [DeviceID: AccessTokenID] = [:]
  /// Called after each commit that raised the user's sequence.
  var signal: () -> Void = {}
  /// Called around the application of a batch.
  var judge: Judge?

  init(clock: WorldClock, random: SharedRandom) throws {
    environment = StoreEnvironment(now: { clock.now }, random: { random.word() })
    var limits = StoreLimits()
    limits.tombstoneLife = .seconds(150)
    limits.pageItemsMax = 7
    self.limits = limits
    let (environment, chosen) = (environment, limits)
    logic = try backend.write {
      try StoreLogic.open(environment: environment, limits: chosen, in: $0)
    }
    let opened = logic
    user = try backend.write { try opened.addUser(named: "alice", in: $0).id }
  }

  var epoch: Epoch { logic.identity.epoch }

  var sequence: SequenceNumber {
    let user = user
    return (try? backend.read { try $0.counters(of: user)?.sequence }) ?? .zero
  }

  /// All live items, by id.
  func liveItems() throws -> [NotificationID: UserNotification] {
    let (logic, user) = (logic, user)
    let items = try backend.read { state in
      try state.items(
        ItemQuery(now: logic.environment.now(), limit: PageLimit(rows: .max, bytes: .max)),
        of: user)
    }
    return Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func item(_ id: NotificationID) -> UserNotification? {
    let (logic, user) = (logic, user)
    return try? backend.read { try logic.item(id, of: user, in: $0) }
  }

  func isTombstone(_ id: NotificationID) -> Bool {
    let user = user
    let row = try? backend.read { try $0.row(id, of: user) }
    if case .tombstone? = row { return true }
    return false
  }

  // MARK: What clients ask for

  func register(_ device: DeviceID) -> Result<Author, TransportError> {
    answer { [self] in
      let (logic, user) = (logic, user)
      if tokens[device] == nil {
        tokens[device] = try backend.write {
          try logic.mintToken(
            named: device.rawValue, scope: .device(nil), for: user, in: $0
          ).token.id
        }
      }
      guard let token = tokens[device] else { throw StoreError.notFound(what: "token") }
      let registration = DeviceRegistration(
        id: device, name: device.rawValue, platform: "linux", channel: .signal)
      return try backend.write {
        try logic.register(registration, with: token, for: user, in: $0)
      }.author
    }
  }

  func pull(_ request: ChangeChunk.Request) -> Result<PullAnswer, TransportError> {
    answer { [self] in
      let (logic, user) = (logic, user)
      let page = try backend.read {
        try logic.delta(from: DeltaStart(request), rows: 7, for: user, in: $0)
      }
      return PullAnswer(page, to: request, epoch: epoch)
    }
  }

  func send(_ batch: OutboxBatch, from device: DeviceID) -> Result<SendAnswer, TransportError> {
    let operations = batch.operations.map(\.operation)
    let before = judge?.itemsNamed(by: operations, in: self) ?? [:]
    let result: Result<SendAnswer, TransportError> = answer { [self] in
      let (logic, user) = (logic, user)
      let whole = OperationBatch(
        device: device, lineage: batch.lineage, operations: batch.operations)
      let answer = try backend.write { try logic.apply(whole, for: user, in: $0) }
      return SendAnswer(results: answer.results, sequence: answer.sequence)
    }
    if case .success(let answer) = result {
      judge?.applied(operations, answer.results, before: before, in: self)
      signal()
    }
    return result
  }

  // MARK: What happens at the store

  @discardableResult
  func publish(_ content: Content, isQuiet: Bool) throws -> UserNotification {
    let (logic, user) = (logic, user)
    let published = try backend.write {
      try logic.publish(PublishRequest(content, isQuietUpdate: isQuiet), for: user, in: $0)
    }
    signal()
    return published.item
  }

  /// Somebody changes an app's settings on any device, or in a browser.
  func configure(_ app: String, _ change: AppSettingsChange) throws {
    let (logic, user) = (logic, user)
    _ = try backend.write { try logic.configure(app, change, for: user, in: $0) }
    signal()
  }

  /// What all devices are to agree on, by app.
  func appSettings() throws -> [AppSettings] {
    let user = user
    return try backend.read { try $0.appStates(of: user) }.map(\.settings)
      .filter { $0.sequence > .zero }
  }

  /// What the store counts, and what is there to be counted.
  func counted() throws -> (counters: StorageUse?, rows: StorageUse) {
    let user = user
    return try backend.read { state in
      let live = try state.items(
        ItemQuery(now: .distantPast, limit: PageLimit(rows: .max, bytes: .max)), of: user)
      let rows = try state.rows(
        of: user, after: .zero, limit: PageLimit(rows: .max, bytes: .max))
      return (
        try state.counters(of: user)?.use,
        StorageUse(
          items: live.count, tombstones: rows.count - live.count,
          bytes: live.reduce(0) { $0 + $1.content.storedByteCount })
      )
    }
  }

  func sweep() throws {
    let logic = logic
    let report = try backend.write { try logic.sweep(in: $0) }
    if report.expired > 0 { signal() }
  }

  /// The data is migrated: another epoch, nothing lost.
  func beginEpoch() throws {
    let logic = logic
    try backend.write { try logic.beginEpoch(in: $0) }
    try restart()
  }

  func restart() throws {
    let (environment, limits) = (environment, limits)
    logic = try backend.write {
      try StoreLogic.open(environment: environment, limits: limits, in: $0)
    }
  }

  /// A device is revoked: its numbers are forgotten, and it has to register again.
  func revoke(_ device: DeviceID) throws {
    let (logic, user) = (logic, user)
    tokens[device] = nil
    _ = try backend.write { try logic.revokeDevice(device, of: user, in: $0) }
  }

  private func answer<Value>(_ body: () throws -> Value) -> Result<Value, TransportError> {
    do {
      return .success(try body())
    } catch let error as StoreError {
      return .failure(TransportError(error))
    } catch {
      return .failure(.server(status: 500, message: "\(error)"))
    }
  }
}
