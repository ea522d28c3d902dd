#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore
internal import Synchronization

/// A writer that runs the writes of each user one after another, several per commit (SYNC-3).
///
/// A commit waits for the disk and for a standby, so the writes of a user that arrive during one share
/// the next. Users do not wait for each other. The writes run on the connections of a pool, which belong
/// to no request, so cancelling a request does not cancel them.
///
/// A transaction that lost against another one, or whose connection was lost before `COMMIT`, runs again.
/// If the outcome of `COMMIT` is unknown, the ``CommitMark`` of the transaction reveals it.
final class PostgresWriter: Sendable {
  /// A queue of writes that run one after another.
  private enum Line: Hashable {
    case user(UserID)
    case store
    /// A write of several users, which runs alone in its transaction.
    case alone(Int)
  }

  private struct State {
    /// The waiting writes of each line that runs.
    var waiting: [Line: [WriteGroup.Request]] = [:]
    var waitingCount = 0
    /// The number of writes of several users so far, which numbers their lines.
    var aloneCount = 0
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
    var commits = DurationHistogram.quick
    var writes = 0
  }

  /// The maximum number of waiting writes. Beyond it, an overloaded store refuses writes instead of
  /// growing.
  static let waitingMax = 4096
  /// The maximum number of writes in one commit, so that the first of them does not wait forever.
  static let groupMax = 32
  /// The maximum number of runs of a group, and the time after which it does not run again.
  private static let runsMax = 5
  private static let retryTime = Duration.seconds(15)
  /// The time for which an unknown outcome is investigated. A server's process that waits for a standby
  /// keeps the user's lock.
  private static let resolutionTime = Duration.seconds(15)

  private let pool: PostgresPool
  /// The number of this process in the marks of its transactions.
  private let process: UInt64
  private let random: @Sendable () -> UInt64
  /// Returns the reason for which no write may begin; nil for none.
  private let currentRefusal: @Sendable () -> StoreError?
  private let state = Mutex(State())

  init(
    _ pool: PostgresPool, random: @escaping @Sendable () -> UInt64,
    refusal: @escaping @Sendable () -> StoreError?
  ) {
    self.pool = pool
    self.random = random
    process = random()
    currentRefusal = refusal
  }

  /// The durations of the commits with their bodies, the writes in them, and the waiting writes.
  var figures: (commits: DurationHistogram, writes: Int, waiting: Int) {
    state.withLock { ($0.commits, $0.writes, $0.waitingCount) }
  }

  func write<Value: Sendable>(
    in scope: WriteScope, _ body: @escaping @Sendable (PostgresTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let request = WriteGroup.Request(answering: continuation, committed: committed, body)
      if let refusal = enqueue(request, scope) { continuation.resume(throwing: refusal) }
    }
  }

  /// Refuses further writes and waits for the accepted ones.
  func close() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        state.isClosed = true
        if state.waiting.isEmpty { return true }
        state.closers.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  // MARK: - Lines

  private func enqueue(_ request: WriteGroup.Request, _ scope: WriteScope) -> StoreError? {
    if let refusal = currentRefusal() { return refusal }
    let (refusal, begun): (StoreError?, Line?) = state.withLock { state in
      if state.isClosed { return (.closed, nil) }
      if state.waitingCount >= Self.waitingMax { return (.busy, nil) }
      let line: Line
      switch scope {
      case .user(let user): line = .user(user)
      case .store: line = .store
      case .users:
        state.aloneCount += 1
        line = .alone(state.aloneCount)
      }
      let isRunning = state.waiting[line] != nil
      state.waiting[line, default: []].append(request)
      state.waitingCount += 1
      return (nil, isRunning ? nil : line)
    }
    if let begun { Task { await work(off: begun) } }
    return refusal
  }

  /// Commits groups of a line until no write is waiting.
  private func work(off line: Line) async {
    repeat { await commitGroup(of: line) } while !end(line)
  }

  /// Ends the line and returns true, unless a write is waiting.
  private func end(_ line: Line) -> Bool {
    let (isOver, closers): (Bool, [CheckedContinuation<Void, Never>]) = state.withLock { state in
      guard state.waiting[line]?.isEmpty ?? true else { return (false, []) }
      state.waiting[line] = nil
      guard state.isClosed, state.waiting.isEmpty else { return (true, []) }
      defer { state.closers = [] }
      return (true, state.closers)
    }
    for closer in closers { closer.resume() }
    return isOver
  }

  /// Takes the next writes to share a commit.
  private func takeGroup(of line: Line) -> WriteGroup {
    let requests: [WriteGroup.Request] = state.withLock { state in
      let requests = Array((state.waiting[line] ?? []).prefix(Self.groupMax))
      state.waiting[line]?.removeFirst(requests.count)
      state.waitingCount -= requests.count
      return requests
    }
    switch line {
    case .user(let user): return WriteGroup(requests: requests, kind: .user(user))
    case .store: return WriteGroup(requests: requests, kind: .store)
    case .alone: return WriteGroup(requests: requests, kind: .users)
    }
  }

  // MARK: - Groups

  /// Commits the next group of a line, and answers all its requests.
  private func commitGroup(of line: Line) async {
    var group: WriteGroup?
    var runs = 0
    let end = ContinuousClock.now + Self.retryTime
    var pause = ReconnectPause(random: random)
    while true {
      // Taken as late as possible, so that more writes share the commit.
      let known = group
      let run: GroupRun
      do {
        run = try await pool.run { [self] connection in
          let group = known ?? takeGroup(of: line)
          return GroupRun(group: group, end: commit(group, on: connection))
        }
      } catch {
        // No connection can be opened, or too many calls wait for one.
        run = GroupRun(group: known ?? takeGroup(of: line), end: .again(error))
        runs = Self.runsMax
      }
      group = run.group
      runs += 1
      let failure: any Error
      switch run.end {
      case .answered: return
      case .again(let error): failure = error
      case .unknown(let attempts, let mark):
        switch await outcome(of: mark) {
        case true?:
          for attempt in attempts { attempt.answer(nil) }
          return
        case false?: failure = PostgresError.connectionLost(reason: "the commit was lost")
        case nil:
          run.group.refuse(StoreError.outcomeUnknown)
          return
        }
      }
      if let refusal = currentRefusal() {
        run.group.refuse(refusal)
        return
      }
      guard runs < Self.runsMax, ContinuousClock.now < end else {
        run.group.refuse(failure)
        return
      }
      if failure as? PostgresError != .conflict { try? await Task.sleep(for: pause.next()) }
    }
  }

  private func commit(_ group: WriteGroup, on connection: PostgresConnection) -> WriteGroup.End {
    let start = ContinuousClock.now
    return group.run(on: connection, by: process, random: random) {
      let seconds = start.duration(to: .now) / .seconds(1)
      state.withLock { state in
        state.commits.record(seconds)
        state.writes += group.requests.count
      }
    }
  }

  /// Finds out whether a transaction was committed; nil if that remains unknown.
  private func outcome(of mark: CommitMark) async -> Bool? {
    let end = ContinuousClock.now + Self.resolutionTime
    var pause = ReconnectPause(random: random)
    repeat {
      let found = try? await pool.run { try mark.wasCommitted(on: $0) }
      if let found { return found }
      try? await Task.sleep(for: pause.next())
    } while ContinuousClock.now < end
    return nil
  }
}

/// A group with the end of its run.
private struct GroupRun: Sendable {
  let group: WriteGroup
  let end: WriteGroup.End
}
#endif
