import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopStore
import BellhopSync

/// A store whose commits are all checked, and whose responses may be lost with its process.
final class SimulatedStore {
  let host: any StoreHost
  /// The host of several processes, which answer later; nil for one process.
  let shared: SharedHost?
  private let clock: WorldClock
  let judge: Judge
  var truth: Truth
  private var truthAtBackup: (truth: Truth, intents: Judge.Record)?
  /// The number of reversions of the data: earlier knowledge says nothing about the current data.
  private(set) var timeline = 0
  /// The knowledge of the checks at each state to which a failover can lead, by version.
  var known: [Int: (truth: Truth, intents: Judge.Record)] = [:]
  /// A delta token's timeline and change counter, and whether a device for development has it.
  private typealias Position = (timeline: Int, sequence: SequenceNumber, isDevelopment: Bool)
  private var positions: [DeltaToken: Position] = [:]
  private(set) var published: [NotificationID] = []
  private var seen: Set<NotificationID> = []
  private var applying: (batch: OutboxBatch, device: Int, id: DeviceID)?
  /// Whether other writes occur in the middle of a batch.
  private var isBetween = false
  /// Raises the signals of a change by this device, or by another author if nil.
  var signal: (DeviceID?) -> Void = { _ in }
  /// Called after the process has ended and restarted: all connections are closed.
  var restarted: () -> Void = {}

  /// Returns limits that make rare events frequent.
  ///
  /// Lives, pages and chunks are short, and in some scenarios the retention is short as well.
  static func limits(of scenario: Scenario) -> StoreLimits {
    var limits = StoreLimits()
    limits.snoozedStay = .seconds(60)
    if scenario.seed % 4 == 0 { limits.retention = .seconds(300) }
    limits.tombstoneLife = .seconds(150)
    limits.pageItemsMax = 7
    limits.pageBytesMax = 300
    limits.bulkChunkItemsMax = 3
    limits.sweepItemsMax = 5
    return limits
  }

  init(host: any StoreHost, limits: StoreLimits, clock: WorldClock, judge: Judge) {
    self.host = host
    shared = host as? SharedHost
    self.clock = clock
    self.judge = judge
    truth = Truth(limits: limits)
    host.committed = { [unowned self] in committed(because: $0) }
    if shared != nil { followProcesses() }
  }

  var epoch: Epoch { host.epoch }
  var sequence: SequenceNumber { truth.counters.sequence }

  func timeline(of token: DeltaToken) -> Int? { positions[token]?.timeline }
  func sequence(of token: DeltaToken) -> SequenceNumber? { positions[token]?.sequence }
  /// Returns whether the store gave the token to a device that was registered for development.
  func isDevelopment(_ token: DeltaToken) -> Bool { positions[token]?.isDevelopment ?? false }

  /// Returns whether the store had an item with this id at any time.
  func hasHad(_ id: NotificationID) -> Bool { seen.contains(id) }

  // MARK: Commits

  private func committed(because cause: CommitCause) {
    follow(cause, by: applying.map { ($0.device, $0.id) }, at: clock.now, isBetween: isBetween)
  }

  /// Checks a commit.
  ///
  /// - Parameters:
  ///   - now: The time of the store when it ran.
  ///   - isBetween: Whether another request applies a bulk operation meanwhile.
  func follow(
    _ cause: CommitCause, by sender: (device: Int, id: DeviceID)?, at now: Timestamp,
    isBetween: Bool
  ) {
    do {
      let commit = try readCommit(wholly: true, at: now)
      truth.note(commit, because: cause, by: sender?.id)
      for case .live(let item) in commit.changed { judge.stored(item) }
      if isBetween { truth.noteBetween(commit.changed) }
    } catch {
      judge.violate("the store can't be read: \(error)")
    }
    for violation in truth.violations { judge.violate(violation) }
    for (operation, before) in truth.touched {
      let effect = Judge.Effect(
        sequence: truth.rows[before.id]?.sequence ?? .zero, state: truth.live(before.id)?.state)
      judge.landed(operation, on: before, leaving: effect)
    }
    if case .operations(let done, _) = cause, let sender {
      judge.applied(done, sequence: truth.counters.sequence, from: sender.device)
    }
    for id in truth.rows.keys where seen.insert(id).inserted { published.append(id) }
  }

  private func readCommit(wholly: Bool, at now: Timestamp) throws -> Truth.Commit {
    let (user, after) = (host.user, truth.counters.sequence)
    let all = PageLimit(rows: .max, bytes: .max)
    return try host.read { state in
      let changed = try state.rows(of: user, after: after, limit: all)
      let devices = try state.devices(of: user)
      return Truth.Commit(
        counters: try state.counters(of: user) ?? UserCounters(), changed: changed,
        present: wholly
          ? Set(try state.rows(of: user, after: .zero, limit: all).map(\.id)) : nil,
        settings: try state.appStates(of: user).map(\.settings),
        devices: Set(devices.map(\.id)), developers: Self.developers(devices),
        responses: try Self.responses(to: changed, of: user, in: state), now: now)
    }
  }

  /// Returns the devices that are registered for development.
  private static func developers(_ devices: [Device]) -> Set<DeviceID> {
    Set(devices.filter { $0.registration.environment == .development }.map(\.id))
  }

  /// Returns the waits of publishers for answers to these items.
  private static func responses(
    to rows: [StoredRow], of user: UserID, in state: any StoreReading
  ) throws -> [AwaitedResponse] {
    try rows.compactMap { try state.awaitedResponse($0.id, of: user) }
  }

  /// Reads all data, after it was replaced.
  func reload(_ past: Truth?) throws {
    let user = host.user
    let all = PageLimit(rows: .max, bytes: .max)
    let (rows, counters, settings, responses, developers) = try host.read { state in
      let rows = try state.rows(of: user, after: .zero, limit: all)
      return (
        rows, try state.counters(of: user) ?? UserCounters(),
        try state.appStates(of: user).map(\.settings),
        try Self.responses(to: rows, of: user, in: state),
        Self.developers(try state.devices(of: user))
      )
    }
    truth = past ?? truth
    truth.adopt(rows, counters, settings, responses, developers)
    timeline += 1
    shared?.storage.timeline = timeline
  }

  /// Returns a difference between the store's counters and its content; nil if there is none.
  func countingError() throws -> String? {
    let user = host.user
    let all = PageLimit(rows: .max, bytes: .max)
    return try host.read { state in
      let rows = try state.rows(of: user, after: .zero, limit: all)
      let live = rows.compactMap { row in
        if case .live(let item) = row { item } else { nil }
      }
      let present = StorageUse(
        items: live.count, tombstones: rows.count - live.count,
        bytes: live.reduce(0) { $0 + $1.content.storedByteCount })
      let counted = try state.counters(of: user)?.use
      return counted == present ? nil : "the store counts \(counted as Any) of \(present)"
    }
  }

  /// Returns the settings on which all devices must agree, by app.
  func appSettings() throws -> [AppSettings] {
    let user = host.user
    return try host.read { try $0.appStates(of: user) }.map(\.settings)
      .filter { $0.sequence > .zero }
  }

  // MARK: Requests of clients

  func register(
    _ device: DeviceID, in environment: RegistrationEnvironment, with token: String
  ) -> Result<Author, TransportError> {
    answer { try host.register(device, in: environment, with: token) }
  }

  func pull(
    _ request: ChangeChunk.Request, from device: DeviceID, with token: String
  ) -> Result<PullAnswer, TransportError> {
    let result = answer { try host.pull(request, with: token) }
    if case .success(let answer) = result {
      // A later page contains the token of the first page again, without its counter.
      if case .page(_?) = request { return result }
      note(answer, to: request, isDevelopment: truth.developers.contains(device))
    }
    return result
  }

  /// Records the position of an answer's token.
  ///
  /// - Parameter past: The timeline from which the answer comes; nil for the current one.
  func note(
    _ answer: PullAnswer, to request: ChangeChunk.Request? = nil, isDevelopment: Bool,
    of past: Int? = nil
  ) {
    var asked = SequenceNumber.zero
    if case .delta(let since)? = request { asked = positions[since]?.sequence ?? .zero }
    switch answer.end {
    case .delta(let token, let sequence, _), .page(_, let token, let sequence):
      // A page whose rows are all for other devices still moves the token on.
      positions[token] = (past ?? timeline, max(sequence, asked), isDevelopment)
    }
  }

  /// Returns the changes to enclose in a signal, for a device with everything up to `sequence`.
  func enclosure(after sequence: SequenceNumber) -> EnclosedDelta? {
    do {
      let enclosed = try host.enclosure(after: sequence)
      if let enclosed { note(enclosed.answer, isDevelopment: false) }
      return enclosed
    } catch {
      judge.violate("what changed can't be read: \(error)")
      return nil
    }
  }

  func send(
    _ batch: OutboxBatch, from device: SimulatedDevice, with token: String, between: () -> Void
  ) -> Result<SendAnswer, TransportError> {
    applying = (batch, device.index, device.id)
    let before = sequence
    let result = answer {
      try host.send(batch, from: device.id, with: token) {
        isBetween = true
        between()
        isBetween = false
      }
    }
    applying = nil
    if sequence > before { signal(device.id) }
    return result
  }

  private func answer<Value>(_ body: () throws -> Value) -> Result<Value, TransportError> {
    do {
      return .success(try body())
    } catch let error as TransportError {
      return .failure(error)
    } catch is StoreKilled {
      restart()
      return .failure(.offline(.closed(.simulated)))
    } catch {
      return .failure(.server(status: 500, message: "\(error)"))
    }
  }

  // MARK: Publishers and the administrator

  /// Performs an action of a publisher or the administrator; a killed store may have completed it.
  func perform(_ body: (any StoreHost) throws -> Void) {
    let before = sequence
    do {
      try body(host)
    } catch is StoreKilled {
      restart()
    } catch {
      judge.violate("the store refused: \(error)")
    }
    if sequence > before { signal(nil) }
  }

  /// Removes the items that are due to leave the store.
  ///
  /// - Parameter between: Called with items that are about to leave.
  func sweep(between: @escaping ([NotificationID]) -> Void) {
    var isSwept = false
    perform { isSwept = try $0.sweep(between: between) }
    guard isSwept else { return }
    truth.checkSwept(at: clock.now)
    for violation in truth.violations { judge.violate(violation) }
  }

  func restart() {
    do {
      try host.restart()
    } catch {
      judge.violate("the store does not start again: \(error)")
    }
    restarted()
  }

  func beginEpoch() throws {
    try host.beginEpoch()
    if shared == nil { restarted() }
  }

  func backUp() throws {
    try host.backUp()
    truthAtBackup = (truth, judge.record)
  }

  /// Reverts to the backup: by a restore, or silently.
  func revertToBackup(silently isSilent: Bool) throws {
    guard let (past, record) = truthAtBackup else { return }
    if isSilent { try host.rollBack() } else { try host.restoreBackup() }
    let lost = truth
    try reload(past)
    judge.wentBack(to: record, at: past.counters.sequence) { lost.live($0) == nil }
    if shared == nil { restarted() } else { forgetPastStates() }
  }
}
