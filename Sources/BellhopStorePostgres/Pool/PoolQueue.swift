#if BELLHOP_POSTGRES
internal import Dispatch
internal import Synchronization

/// The calls that wait for a pool's threads, and the state that those share.
final class PoolQueue: Sendable {
  private struct State {
    var jobs: [PoolJob] = []
    var figures = PostgresPool.Figures()
    var threads: Int
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
    /// The attempts to open a connection that failed one after the other.
    var failures = 0
    var lastError: (any Error)?
    /// The end of the pause after a failure.
    var pauseEnd = ContinuousClock.now
    /// Whether a thread tries to open a connection after a failure.
    var isProbing = false
    /// Rises when all connections must be replaced.
    var generation = 0
  }

  /// The pause after the first failure; it doubles with each further one.
  private static let pauseMin = Duration.milliseconds(100)
  private static let pauseMax = Duration.seconds(5)
  /// The pause of a thread while another one probes.
  private static let probePause = Duration.milliseconds(500)

  private let waitingMax: Int
  private let size: Int
  private let random: @Sendable () -> UInt64
  private let state: Mutex<State>
  /// Counts the waiting calls, and after closing the threads.
  private let work = DispatchSemaphore(value: 0)
  /// Wakes threads from a pause when the pool is closed.
  private let stop = DispatchSemaphore(value: 0)

  init(size: Int, waitingMax: Int, random: @escaping @Sendable () -> UInt64) {
    self.size = size
    self.waitingMax = waitingMax
    self.random = random
    state = Mutex(State(threads: size))
  }

  var figures: PostgresPool.Figures {
    state.withLock { state in
      var figures = state.figures
      figures.waiting = state.jobs.count
      return figures
    }
  }

  // MARK: - Callers

  /// Adds a call.
  ///
  /// - Returns: The reason why it was refused.
  func add(_ job: PoolJob) -> (any Error)? {
    let refusal: (any Error)? = state.withLock { state in
      if state.isClosed { return PostgresError.closed }
      if state.figures.connected == 0, let error = state.lastError { return error }
      if state.jobs.count >= waitingMax { return PostgresError.tooManyWaiting }
      state.jobs.append(job)
      return nil
    }
    if refusal == nil { work.signal() }
    return refusal
  }

  /// Makes all threads replace their connections.
  func reset() {
    state.withLock { $0.generation += 1 }
    for _ in 0..<size { work.signal() }
  }

  func close(_ closer: CheckedContinuation<Void, Never>) {
    let (isFirst, isOver) = state.withLock { state in
      defer { state.isClosed = true }
      if state.threads > 0 { state.closers.append(closer) }
      return (!state.isClosed, state.threads == 0)
    }
    if isOver { closer.resume() }
    guard isFirst else { return }
    for _ in 0..<size {
      work.signal()
      stop.signal()
    }
  }

  // MARK: - Threads

  /// Waits until the thread may open a connection; false when it must end.
  func awaitsPermissionToOpen() -> Bool {
    while true {
      let pause: Duration? = state.withLock { state in
        if state.isClosed, state.jobs.isEmpty { return nil }
        guard state.lastError != nil else { return .zero }
        let rest = ContinuousClock.now.duration(to: state.pauseEnd)
        if rest > .zero { return rest }
        if state.isProbing { return Self.probePause }
        state.isProbing = true
        return .zero
      }
      guard let pause else { return false }
      if pause == .zero { return true }
      _ = stop.wait(timeout: .now() + .microseconds(Int(pause / .microseconds(1))))
    }
  }

  func reportOpen() {
    state.withLock { state in
      state.figures.connected += 1
      (state.failures, state.lastError, state.isProbing) = (0, nil, false)
    }
  }

  /// Begins a pause before the next attempt to open a connection.
  func reportFailure(_ error: any Error) {
    let share = Double(random() >> 11) / Double(1 << 53)
    let refused: [PoolJob] = state.withLock { state in
      let pause = min(Self.pauseMax, Self.pauseMin * (1 << min(state.failures, 10)))
      state.pauseEnd = .now + pause * (0.5 + share / 2)
      state.failures += 1
      state.lastError = error
      state.isProbing = false
      return Self.takeHopeless(&state)
    }
    for job in refused { job.refuse(error) }
  }

  func reportLoss() {
    let (refused, error) = state.withLock { state in
      state.figures.connected -= 1
      return (Self.takeHopeless(&state), state.lastError)
    }
    for job in refused { job.refuse(error ?? PostgresError.closed) }
  }

  /// Takes the waiting calls if no connection is left and none can be opened.
  private static func takeHopeless(_ state: inout State) -> [PoolJob] {
    guard state.figures.connected == 0, state.lastError != nil else { return [] }
    defer { state.jobs = [] }
    return state.jobs
  }

  /// The generation of connections that are opened from now on.
  var generation: Int { state.withLock { $0.generation } }

  /// Waits for a call; nil when the connection must be replaced, or the pool is closed and none is left.
  ///
  /// - Parameter generation: The generation of the caller's connection.
  func next(for generation: Int) -> PoolJob? {
    while true {
      work.wait()
      let (job, isOver): (PoolJob?, Bool) = state.withLock { state in
        if state.generation != generation {
          // This thread may have taken the wake-up for a call or for the end. Another one needs it.
          if !state.jobs.isEmpty || state.isClosed { work.signal() }
          return (nil, true)
        }
        guard !state.jobs.isEmpty else { return (nil, state.isClosed) }
        state.figures.busy += 1
        return (state.jobs.removeFirst(), false)
      }
      if isOver || job != nil { return job }
      // The calls were refused after they had been counted.
    }
  }

  func reportRun() { state.withLock { $0.figures.busy -= 1 } }

  /// Returns a call that was not run to the front, for another connection.
  func putBack(_ job: PoolJob) {
    state.withLock { state in
      state.figures.busy -= 1
      state.jobs.insert(job, at: 0)
    }
    work.signal()
  }

  /// Ends a thread.
  func reportEnd() {
    let closers = state.withLock { state in
      state.threads -= 1
      return state.threads == 0 ? state.closers : []
    }
    for closer in closers { closer.resume() }
  }
}
#endif
