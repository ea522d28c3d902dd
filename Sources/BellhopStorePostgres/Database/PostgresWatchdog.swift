#if BELLHOP_POSTGRES
internal import BellhopStore
internal import Synchronization

/// A heartbeat that notices a server which does not confirm commits.
///
/// Such a server may be an old primary, which is up but has lost its standbys. Then all connections are
/// replaced, on the host with the highest timeline. Until a commit is confirmed, writes are refused: the
/// server's process of a dropped connection goes on waiting for the standby, so that more writes would
/// use up the server's connections. Only the heartbeat continues. Its commits write one row, and the first
/// process that waits for the standby holds the lock of that row. So the others give up soon.
final class PostgresWatchdog: Sendable {
  /// The times of the heartbeat.
  struct Pace: Hashable, Sendable {
    var interval = Duration.seconds(5)
    /// The time without a confirmed commit after which the connections are replaced.
    var unconfirmedMax = Duration.seconds(10)
    /// The time between two checks that commits wait for a standby.
    var standbyCheckInterval = Duration.seconds(30)
  }

  private struct State {
    var task: Task<Void, Never>?
    /// The time of the last confirmed commit; nil before the first heartbeat.
    var confirmed: ContinuousClock.Instant?
  }

  /// The time limit for the heartbeat's `COMMIT`.
  private static let commitTimeout = Duration.seconds(5)
  /// The most calls that wait for the connection of the heartbeat.
  private static let waitingMax = 4

  private let settings: PostgresSettings
  private let check: ServerCheck
  private let pace: Pace
  private let pools: [PostgresPool]
  /// A connection of its own, so that the heartbeat does not wait behind writes.
  private let pool: PostgresPool
  /// The key of this process's row.
  private let process: [UInt8]
  private let sleep: @Sendable (Duration) async throws -> Void
  private let state = Mutex(State())
  /// The calls that replace connections besides those of the pools.
  private let resetActions = Mutex<[@Sendable () -> Void]>([])

  /// - Parameters:
  /// - pools: The pools whose connections are replaced.
  /// - prepare: See ``PostgresPool``.
  init(
    _ settings: PostgresSettings, check: ServerCheck, pace: Pace, pools: [PostgresPool],
    random: @escaping @Sendable () -> UInt64,
    prepare: @escaping @Sendable (PostgresConnection) throws -> Void,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.settings = settings
    self.check = check
    self.pace = pace
    self.pools = pools
    self.sleep = sleep
    process = CommitMark.bytes(of: random())
    pool = PostgresPool(
      settings, size: 1, waitingMax: Self.waitingMax, random: random, prepare: prepare)
  }

  /// The error for writes while no commit is confirmed; nil while commits are confirmed.
  var refusal: StoreError? {
    guard let confirmed = state.withLock({ $0.confirmed }) else { return nil }
    let silence = confirmed.duration(to: .now)
    guard silence > pace.unconfirmedMax else { return nil }
    return .unavailable(reason: "the database has confirmed no commit for \(silence.inSeconds)")
  }

  /// Adds a call that replaces further connections of this process together with those of the pools.
  func whenReset(_ action: @escaping @Sendable () -> Void) {
    resetActions.withLock { $0.append(action) }
  }

  /// Replaces all connections of this process.
  func reset() {
    for pool in pools + [pool] { pool.reset() }
    for action in resetActions.withLock({ $0 }) { action() }
  }

  /// Begins the heartbeat.
  func begin() {
    state.withLock { state in
      state.confirmed = .now
      state.task = Task { await self.watch() }
    }
  }

  /// Ends the heartbeat and removes its row.
  func stop() async {
    let task = state.withLock { $0.task }
    if let task {
      task.cancel()
      await task.value
      // Otherwise this commit would not be confirmed either. Another process deletes the row later.
      if refusal == nil { try? await removeRow() }
    }
    await pool.close()
  }

  private func removeRow() async throws {
    try await pool.run { [process] connection in
      try connection.begin()
      try connection.queue("DELETE FROM heartbeat WHERE process = $1", .bytes(process))
      _ = connection.commit(within: Self.commitTimeout)
    }
  }

  private func watch() async {
    var lastReset: ContinuousClock.Instant?
    var lastCheck: ContinuousClock.Instant?
    while !Task.isCancelled {
      if await beat() {
        state.withLock { $0.confirmed = .now }
      } else if refusal != nil,
        (lastReset.map { $0.duration(to: .now) > pace.unconfirmedMax }) ?? true
      {
        lastReset = .now
        await replaceConnections()
      }
      if (lastCheck.map { $0.duration(to: .now) >= pace.standbyCheckInterval }) ?? true {
        lastCheck = .now
        await checkStandby()
      }
      try? await sleep(pace.interval)
    }
  }

  /// Commits the heartbeat, and returns whether that was confirmed.
  ///
  /// Rows of processes that ended without removing theirs are deleted in passing, after a day.
  private func beat() async -> Bool {
    let outcome = try? await pool.run { [process] connection in
      try connection.begin()
      try connection.queue(
        """
        WITH old AS (
          DELETE FROM heartbeat WHERE process = ANY (ARRAY(
            SELECT process FROM heartbeat WHERE at < \(PostgresSchema.now) - 86400000
            AND process <> $1 LIMIT 20 FOR UPDATE SKIP LOCKED)))
        INSERT INTO heartbeat (process, at) VALUES ($1, \(PostgresSchema.now))
        ON CONFLICT (process) DO UPDATE SET at = excluded.at
        """, .bytes(process))
      return connection.commit(within: Self.commitTimeout)
    }
    return outcome == .committed
  }

  /// Checks that commits wait for a standby. A failure leaves the result of the last check.
  private func checkStandby() async {
    try? await pool.run { [check] connection in _ = try check.problems(connection) }
  }

  /// Looks for the host with the highest timeline, and drops all connections.
  private func replaceConnections() async {
    await check.probe(settings)
    reset()
  }
}
#endif
