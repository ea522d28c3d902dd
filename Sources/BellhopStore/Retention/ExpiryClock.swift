internal import BellhopModel
internal import Synchronization

/// The clock by which a store expires items: wall-clock time as far as it is plausible.
///
/// While wall-clock time is in doubt, this clock stays behind it, so that no items expire by it.
/// Timestamps are always wall-clock time.
final class ExpiryClock: Sendable {
  private struct State {
    var monitor: WallClockMonitor
    var saved: ClockRecord?
  }

  private let environment: StoreEnvironment
  private let state: Mutex<State>

  /// The maximum lag of the saved record. An hour costs one write per hour, and is small compared
  /// with ``WallClockMonitor/absenceMax``.
  fileprivate static let saveStep = Duration.seconds(3600)

  /// - Parameter record: the record that the last run saved.
  init(_ environment: StoreEnvironment, after record: ClockRecord?) {
    self.environment = environment
    state = Mutex(State(monitor: WallClockMonitor(after: record), saved: record))
    judge()
  }

  /// Reads the clocks and judges them.
  ///
  /// - Returns: nil while wall-clock time is plausible.
  @discardableResult
  func judge() -> ClockDoubt? {
    let reading = reading
    return state.withLock { state in
      state.monitor.step(reading)
      return state.monitor.doubt
    }
  }

  /// Accepts the current wall-clock time.
  func confirm() {
    let reading = reading
    state.withLock { $0.monitor.confirm(reading) }
  }

  /// The doubt at the last judgement; nil if wall-clock time was plausible.
  var doubt: ClockDoubt? { state.withLock { $0.monitor.doubt } }

  var now: Timestamp {
    let (wall, uptime) = (environment.now(), environment.uptime())
    return state.withLock { state in
      state.monitor.expiryTime(
        wall: wall, uptime: uptime, isSynchronized: environment.isClockSynchronized)
    }
  }

  /// The record to save now; nil while the saved one is recent enough.
  var unsaved: ClockRecord? {
    state.withLock { state in
      guard let record = state.monitor.record else { return nil }
      return state.saved?.standsFor(record) ?? false ? nil : record
    }
  }

  /// Records that this process has offered its record, whether or not another one was kept.
  func noteSaved(_ record: ClockRecord) { state.withLock { $0.saved = record } }

  private var reading: ClockReading {
    ClockReading(
      wall: environment.now(), uptime: environment.uptime(),
      isSynchronized: environment.isClockSynchronized())
  }
}

extension ClockRecord {
  /// Whether this saved record is so close to another one that the other need not be saved.
  fileprivate func standsFor(_ other: ClockRecord) -> Bool {
    guard (doubted == nil) == (other.doubted == nil) else { return false }
    let steps = [
      other.trusted.duration(since: trusted), other.held - held,
      trusted.duration(since: other.trusted), held - other.held,
    ]
    return steps.allSatisfy { $0 < ExpiryClock.saveStep }
  }

  /// Whether a process that trusts this record also trusts the time.
  fileprivate func accepts(_ time: Timestamp) -> Bool {
    time <= trusted.advanced(by: WallClockMonitor.stepMax)
  }

  /// Returns this process's record after another process has saved its own. The accepted time never
  /// goes back, and a doubt about a time that the other process accepts is dropped.
  fileprivate func following(_ saved: ClockRecord) -> ClockRecord {
    var record = self
    record.trusted = max(trusted, saved.trusted)
    if let doubted, record.accepts(doubted) { (record.doubted, record.held) = (nil, .zero) }
    return record
  }

  /// The record as stored in the metadata: numbers of milliseconds.
  var bytes: [UInt8] {
    let numbers =
      [trusted.milliseconds] + (doubted.map { [$0.milliseconds, held.milliseconds] } ?? [])
    return Array(numbers.map(String.init).joined(separator: " ").utf8)
  }

  init?(bytes: [UInt8]) {
    let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ").map { Int64($0) }
    switch (numbers.count, numbers.first, numbers.last) {
    case (1, let trusted??, _): self.init(trusted: Timestamp(milliseconds: trusted))
    case (3, let trusted??, let held??):
      guard let doubted = numbers[1] else { return nil }
      self.init(
        trusted: Timestamp(milliseconds: trusted), doubted: Timestamp(milliseconds: doubted),
        held: .milliseconds(held))
    default: return nil  // open: (Int, Int64??, Int64??)
    }
  }
}

extension StoreLogic {
  /// The time by which items expire; see ``ExpiryClock``.
  var expiryNow: Timestamp { clock.now }

  /// Returns the clock record that the last run of the store saved.
  static func clockRecord(in state: any StoreReading) throws -> ClockRecord? {
    try state.metadata(.clock).flatMap { ClockRecord(bytes: $0) }
  }

  /// Saves the clock record implied by data of a version without such records.
  ///
  /// The store accepted its clock at its last start and at its newest change.
  ///
  /// - Returns: nil for new data, whose first run accepts its clock.
  static func inferClockRecord(in transaction: any StoreTransaction) throws -> ClockRecord? {
    var times: [Timestamp] = []
    if let start = try transaction.latestStart() { times.append(start.at) }
    for user in try transaction.users() {
      guard let last = try transaction.counters(of: user.id)?.sequence, last > .zero else {
        continue
      }
      let rows = try transaction.rows(
        of: user.id, after: SequenceNumber(last.rawValue - 1), limit: PageLimit(rows: 1, bytes: 1))
      times += rows.map(\.changed)
    }
    guard let trusted = times.max() else { return nil }
    let record = ClockRecord(trusted: trusted)
    try transaction.setMetadata(record.bytes, for: .clock)
    return record
  }

  /// Saves the clock record of this process.
  ///
  /// In a storage with a ``LifeKey``, the processes share one record. A process does not replace one
  /// that is close to its own.
  func save(_ record: ClockRecord, in transaction: any StoreTransaction) throws {
    var record = record
    if transaction.lifeKey != nil, let saved = try Self.clockRecord(in: transaction) {
      record = record.following(saved)
      if saved.standsFor(record) { return }
    }
    try transaction.setMetadata(record.bytes, for: .clock)
  }
}

extension StoredRow {
  /// The time of the row's last change, by the store's clock.
  fileprivate var changed: Timestamp {
    switch self {
    case .live(let item): item.state.changed
    case .tombstone(let tombstone): tombstone.deleted
    }
  }
}

extension StoreService {
  /// The reason why nothing is deleted by age; nil while wall-clock time is plausible. Each
  /// ``sweep()`` judges it.
  package var clockDoubt: ClockDoubt? { logic.clock.doubt }

  /// Accepts the current wall-clock time for good: the next sweep deletes by it.
  package func confirmClock() async throws(StoreError) {
    logic.clock.confirm()
    try await saveClock()
  }

  /// Judges wall-clock time, and saves the record from time to time.
  ///
  /// A time that another process has accepted, as by an administrator's confirmation, is accepted.
  func judgeClock() async throws(StoreError) -> ClockDoubt? {
    if let doubt = logic.clock.judge(), try await isAcceptedElsewhere(doubt.wall) {
      logic.clock.confirm()
    }
    try await saveClock()
    return clockDoubt
  }

  private func isAcceptedElsewhere(_ time: Timestamp) async throws(StoreError) -> Bool {
    try await read { _, state in
      guard state.lifeKey != nil else { return false }
      return try StoreLogic.clockRecord(in: state)?.accepts(time) ?? false
    }
  }

  private func saveClock() async throws(StoreError) {
    guard let record = logic.clock.unsaved else { return }
    try await write(in: .store) { try $0.save(record, in: $1) }
    logic.clock.noteSaved(record)
  }
}
