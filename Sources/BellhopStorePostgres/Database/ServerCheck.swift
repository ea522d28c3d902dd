#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore
internal import Dispatch
internal import Synchronization

/// The check of each new connection, which also determines the life of the data.
///
/// All pools of a process share one, so that none uses a server that another has left.
final class ServerCheck: Sendable {
  /// The greatest difference between the clocks of a server and this machine. Beyond it, the times of
  /// items would be wrong.
  private static let clockOffsetMax = Duration.seconds(30)

  private let now: @Sendable () -> Timestamp
  private let requiresSynchronousStandby: Bool
  private let state = Mutex(State())

  private struct State {
    /// The highest timeline that was seen, by the system identifier.
    var timelines: [Int64: UInt32] = [:]
    /// Whether a higher timeline was seen after the first one.
    var hasRisen = false
    var riseAction: (@Sendable () -> Void)?
    /// Whether the server in use waited for no standby when it was checked last.
    var lacksStandby = false
    /// Whether the store has started.
    var hasStarted = false
  }

  init(now: @escaping @Sendable () -> Timestamp, requiresSynchronousStandby: Bool) {
    self.now = now
    self.requiresSynchronousStandby = requiresSynchronousStandby
  }

  /// Calls `action` whenever a higher timeline is seen, also if that has happened already.
  ///
  /// Connections to a server with a lower one are still open then. That server may answer reads for
  /// ever, and would confirm no write.
  func whenTimelineRises(_ action: @escaping @Sendable () -> Void) {
    let hasRisen = state.withLock { state -> Bool in
      state.riseAction = action
      return state.hasRisen
    }
    if hasRisen { action() }
  }

  /// Ends the start of the store, which refuses a server whose commits wait for no standby.
  ///
  /// A running store goes on with such a server, and reports it in ``concerns``.
  func endStart() { state.withLock { $0.hasStarted = true } }

  /// Checks the server and the schema, and gives the connection its ``PostgresConnection/lifeKey``.
  func prepare(_ connection: PostgresConnection) throws {
    let facts = try connection.facts(now: now)
    guard let timeline = facts.timeline else { throw PostgresError.readOnly }
    let highest = note(timeline, of: facts.systemIdentifier)
    guard timeline >= highest else {
      throw StoreError.unavailable(
        reason: "the database server is an old primary: it follows the timeline \(timeline), "
          + "and another one follows \(highest)")
    }
    let offset = facts.clockOffset < .zero ? .zero - facts.clockOffset : facts.clockOffset
    guard offset <= Self.clockOffsetMax + facts.clockUncertainty else {
      throw StoreError.unavailable(
        reason: "the clocks of the database server and of this machine differ by "
          + "\(offset.inSeconds); synchronise them")
    }
    if requiresSynchronousStandby, facts.synchronousStandbyNames.isEmpty,
      !state.withLock({ $0.hasStarted })
    {
      throw StoreError.unavailable(reason: Self.noStandby)
    }
    try PostgresSchema.check(connection)
    connection.lifeKey = LifeKey("\(facts.systemIdentifier)-\(timeline)")
  }

  /// Notes the timelines of all hosts, so that the highest one is used from now on.
  ///
  /// All hosts are asked at the same time, and each has the time limit for opening a session. So silent
  /// hosts together delay this by little more than that.
  func probe(_ settings: PostgresSettings) async {
    let known = await withTaskGroup(of: PostgresFacts?.self) { group -> [PostgresFacts] in
      for host in settings.hosts {
        var one = settings
        one.hosts = [host]
        one.answerTimeout = min(one.answerTimeout, one.connectTimeout)
        group.addTask { [one, now] in
          try? await blocking("probe") { () -> PostgresFacts in
            let connection = try PostgresConnection.open(one)
            defer { connection.close() }
            return try connection.facts(now: now)
          }
        }
      }
      return await group.reduce(into: []) { found, facts in
        if let facts { found.append(facts) }
      }
    }
    // The highest one first: a lower one, noted before it, would count as the one in use.
    for facts in known.sorted(by: { ($0.timeline ?? 0) > ($1.timeline ?? 0) }) {
      if let timeline = facts.timeline { note(timeline, of: facts.systemIdentifier) }
    }
  }

  /// Returns descriptions of what has become wrong with the server since it was connected.
  func problems(_ connection: PostgresConnection) throws -> [String] {
    let facts = try connection.facts(now: now)
    let lacksStandby = requiresSynchronousStandby && facts.synchronousStandbyNames.isEmpty
    state.withLock { $0.lacksStandby = lacksStandby }
    return lacksStandby ? [Self.noStandby] : []
  }

  /// The problems that the last check of the server in use has found.
  var concerns: [String] { state.withLock { $0.lacksStandby } ? [Self.noStandby] : [] }

  /// Notes a timeline, and returns the highest one of its system.
  @discardableResult
  private func note(_ timeline: UInt32, of system: Int64) -> UInt32 {
    let (highest, action): (UInt32, (@Sendable () -> Void)?) = state.withLock { state in
      let known = state.timelines[system]
      let highest = max(timeline, known ?? 0)
      state.timelines[system] = highest
      guard let known, highest > known else { return (highest, nil) }
      state.hasRisen = true
      return (highest, state.riseAction)
    }
    action?()
    return highest
  }

  private static let noStandby =
    "the database server waits for no standby; set synchronous_standby_names, or "
    + "database.require-standby = false"
}

/// Runs blocking code on a thread of its own.
func blocking<Value: Sendable>(
  _ name: String, _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "bellhop.postgres.\(name)").async {
      continuation.resume(with: Result { try body() })
    }
  }
}
#endif
