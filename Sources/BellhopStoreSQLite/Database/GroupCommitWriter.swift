internal import BellhopModel
internal import BellhopStore
internal import Dispatch
internal import GRDB
internal import Synchronization

/// A writer that runs writes one after another, several per commit (SYNC-3).
///
/// A disk performs a few hundred syncs per second, so the writes that arrive during one commit
/// share the next. A write that throws does not affect the others. Most throw before they write
/// anything, and then nothing must be undone. When one throws after that, the group starts again
/// with a savepoint for each write, which would be too expensive for every write. So a body may run
/// twice; its first run has left nothing in the database.
///
/// The writes run on the pool's writing queue, which belongs to no request, so cancelling a request
/// does not cancel them.
final class GroupCommitWriter: Sendable {
  private typealias Request = WriteRequest<(Database, Isolation)>

  /// The way to undo a write that throws.
  private enum Isolation {
    /// The write cannot be undone separately.
    case none
    case savepoint
  }

  /// The maximum number of waiting writes. Beyond it, an overloaded store refuses writes instead of
  /// growing.
  static let waitingMax = 4096
  /// The maximum number of writes in one commit, so that the first of them does not wait forever.
  static let groupMax = 256

  private struct State {
    var waiting: [Request] = []
    var isRunning = false
    var isClosed = false
    var commits = DurationHistogram.quick
    var writes = 0
    /// The number of commits at the last checkpoint.
    var checkpoint = 0
    var isCheckpointDue = false
  }

  /// The number of commits after which the log is checkpointed, in the pause that follows. A commit
  /// that checkpoints the log itself delays its writes by several disk syncs.
  private static let commitsPerCheckpoint = 24
  private static let checkpointDelay: DispatchTimeInterval = .milliseconds(300)

  /// The free space below which no checkpoint runs, to reserve the disk for writes. A checkpointed
  /// log keeps its length, while the database grows.
  private static let freeBytesMin: Int64 = 64 << 20

  private let pool: DatabasePool
  private let freeBytes: @Sendable () -> Int64?
  private let state = Mutex(State())
  private let later = DispatchQueue(label: "bellhop.store.checkpoint")

  /// - Parameter freeBytes: the free space on the disk, if known.
  init(_ pool: DatabasePool, freeBytes: @escaping @Sendable () -> Int64?) {
    self.pool = pool
    self.freeBytes = freeBytes
  }

  /// Whether writes are waiting.
  var isUnderLoad: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// The number of commits.
  var commitCount: Int { state.withLock { $0.commits.count } }

  /// The durations of the commits, the writes in them, and the waiting writes.
  var figures: (commits: DurationHistogram, writes: Int, waiting: Int) {
    state.withLock { ($0.commits, $0.writes, $0.waiting.count) }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let request = Request(answering: continuation, committed: committed) { database, isolation in
        switch isolation {
        case .none: try body(database)
        case .savepoint: try Self.inSavepoint(database, body)
        }
      }
      if let refusal = enqueue(request) { continuation.resume(throwing: refusal) }
    }
  }

  /// Refuses further writes and waits for the accepted ones.
  func close() async {
    state.withLock { $0.isClosed = true }
    await withCheckedContinuation { continuation in
      // The queue is serial: this runs after the group that is being written, which does not end
      // while writes are waiting.
      pool.asyncWriteWithoutTransaction { _ in continuation.resume() }
    }
  }

  private static func inSavepoint<Value>(
    _ database: Database, _ body: (Database) throws -> Value
  ) throws -> Value {
    var value: Value?
    try database.inSavepoint {
      value = try body(database)
      return .commit
    }
    guard let value else { throw StoreError.unavailable(reason: "the savepoint did not run") }
    return value
  }

  private func enqueue(_ request: Request) -> StoreError? {
    let (refusal, mustStart): (StoreError?, Bool) = state.withLock { state in
      if state.isClosed { return (.closed, false) }
      if state.waiting.count >= Self.waitingMax { return (.busy, false) }
      state.waiting.append(request)
      defer { state.isRunning = true }
      return (nil, !state.isRunning)
    }
    if mustStart {
      pool.asyncWriteWithoutTransaction { [self] database in
        while case let group = nextGroup(), !group.isEmpty { commit(group, to: database) }
        checkpointSoon()
      }
    }
    return refusal
  }

  private func checkpointSoon() {
    let isWanted = state.withLock { state in
      guard !state.isCheckpointDue, !state.isClosed,
        state.commits.count - state.checkpoint >= Self.commitsPerCheckpoint
      else { return false }
      state.isCheckpointDue = true
      return true
    }
    guard isWanted else { return }
    later.asyncAfter(deadline: .now() + Self.checkpointDelay) { [weak self] in
      self?.pool.asyncWriteWithoutTransaction { [weak self] database in
        guard let self else { return }
        state.withLock { ($0.checkpoint, $0.isCheckpointDue) = ($0.commits.count, false) }
        guard freeBytes() ?? .max >= Self.freeBytesMin else { return }
        // Pages that cannot be checkpointed now are checkpointed at the next occasion.
        _ = try? Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(PASSIVE)")
      }
    }
  }

  /// Returns the next writes to share a commit; none ends the run.
  private func nextGroup() -> [Request] {
    state.withLock { state in
      let group = Array(state.waiting.prefix(Self.groupMax))
      state.waiting.removeFirst(group.count)
      state.isRunning = !group.isEmpty
      return group
    }
  }

  private func commit(_ group: [Request], to database: Database) {
    var attempts: [WriteAttempt] = []
    var failure: (any Error)?
    let start = ContinuousClock.now
    do {
      try database.beginTransaction(.immediate)
      if try !run(group, .none, in: database, &attempts) {
        try database.rollback()
        try database.beginTransaction(.immediate)
        attempts = []
        _ = try run(group, .savepoint, in: database, &attempts)
      }
      if Mutant.answerBeforeCommit.isOn {
        for attempt in attempts { attempt.answer(nil) }
        attempts = []
      }
      try database.commit()
      let seconds = start.duration(to: .now) / .seconds(1)
      state.withLock { state in
        state.commits.record(seconds)
        state.writes += group.count
      }
    } catch {
      failure = error
      if database.isInsideTransaction { try? database.rollback() }
    }
    for attempt in attempts { attempt.answer(failure) }
    if let failure {
      for request in group.dropFirst(attempts.count) { request.refuse(failure) }
    }
  }

  /// Attempts all writes of the group.
  ///
  /// - Returns: false when a write failed whose changes nothing undoes.
  private func run(
    _ group: [Request], _ isolation: Isolation, in database: Database,
    _ attempts: inout [WriteAttempt]
  ) throws -> Bool {
    for request in group {
      let changesBefore = database.totalChangesCount
      let attempt = request.attempt((database, isolation))
      attempts.append(attempt)
      // A full disk or a failed write can make SQLite roll back the whole transaction.
      guard database.isInsideTransaction else {
        throw attempt.error ?? StoreError.rolledBack
      }
      if isolation == .none, attempt.error != nil, database.totalChangesCount != changesBefore {
        return false
      }
    }
    return true
  }
}
