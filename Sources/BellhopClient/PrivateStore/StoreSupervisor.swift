package import BellhopSync
internal import Dispatch
internal import Synchronization

/// A keeper that restarts the private store for a screen or an agent, beside its loop.
///
/// Checks and starts wait for another process, so they run on the keeper's own queue. Only
/// ``startNow(_:)`` starts a store that the user stopped.
package final class StoreSupervisor: Sendable {
  /// A change to report to the user.
  package enum News: Sendable {
    /// Whether the store is down because the user stopped it.
    case isStopped(Bool)
    /// A restart of the store, with a sentence if the address for publishers changed.
    case startedAgain(notice: String?)
    /// A failed start, for a reason that was not reported before.
    case failed(String)
  }

  /// The result of a start that the user requested.
  package enum Answer: Sendable {
    case isRunning
    /// A successful start, with a sentence if the address for publishers changed.
    case started(notice: String?)
    case failed(String)
  }

  private struct State {
    var plan = RestartPlan()
    var timer: Task<Void, Never>?
    var isStopped = false
    var lastFailure: String?
    var isOver = false
  }

  private let context: ClientContext
  private let tell: @Sendable (News) -> Void
  private let state = Mutex(State())
  /// The keeper's own queue. A global queue would have its threads checked every second from then
  /// on.
  private let queue = DispatchQueue(label: "bellhop.store.keeper")
  private let begin = ContinuousClock.now

  /// - Parameter tell: Called on the keeper's queue.
  package init(_ context: ClientContext, tell: @escaping @Sendable (News) -> Void) {
    self.context = context
    self.tell = tell
  }

  /// Records the state of the engine's connection to the store.
  package func note(_ connection: ConnectionState) {
    let instant = elapsed
    let runsAgain = state.withLock { state in
      let before = state.plan.nextCheck
      switch connection {
      case .connecting: return false
      case .offline: state.plan.noteUnreachable(at: instant)
      case .live, .polling, .firstSync, .signInAgain, .signedOut: state.plan.noteReachable()
      }
      if state.plan.nextCheck != before { arm(&state) }
      return state.plan.nextCheck == nil && state.isStopped
    }
    if runsAgain { queue.async { [self] in note(isStopped: false) } }
  }

  /// Starts the store unless it runs, even if the user stopped it. Returns immediately.
  ///
  /// - Parameter then: Called on the keeper's queue.
  package func startNow(_ then: @escaping @Sendable (Answer) -> Void) {
    queue.async { [self] in then(answerToPerson()) }
  }

  /// Ends the checks.
  package func end() {
    state.withLock { state in
      state.isOver = true
      state.timer?.cancel()
    }
  }

  // MARK: - On the queue

  private func answerToPerson() -> Answer {
    do {
      let store = try context.privateStore()
      guard store.condition != .running else { return .isRunning }
      defer { noteStart() }
      let notice = try store.start(accounts: context.accounts).notice
      note(isStopped: false)
      return .started(notice: notice)
    } catch {
      return .failed("\(error)")
    }
  }

  private func check() {
    let store: PrivateStore
    do {
      store = try context.privateStore()
    } catch {
      noteStart()
      return tell(failure: error)
    }
    let condition = store.condition
    let decision = state.withLock { state in
      guard !state.isOver else { return RestartPlan.Decision.leave }
      let decision = state.plan.decide(condition, at: elapsed)
      if decision == .leave { arm(&state) }
      return decision
    }
    note(isStopped: condition == .stopped)
    guard decision == .start else { return }
    do {
      defer { noteStart() }
      guard let started = try store.startAgain(accounts: context.accounts) else { return }
      state.withLock { $0.lastFailure = nil }
      tell(.startedAgain(notice: started.notice))
    } catch {
      tell(failure: error)
    }
  }

  private func noteStart() {
    state.withLock { state in
      state.plan.noteStart(at: elapsed)
      arm(&state)
    }
  }

  private func note(isStopped: Bool) {
    let isNew = state.withLock { state in
      defer { state.isStopped = isStopped }
      return state.isStopped != isStopped
    }
    if isNew { tell(.isStopped(isStopped)) }
  }

  private func tell(failure error: any Error) {
    let text = "\(error)"
    let isNew = state.withLock { state in
      defer { state.lastFailure = text }
      return state.lastFailure != text
    }
    if isNew { tell(.failed(text)) }
  }

  // MARK: - Time

  private var elapsed: Duration { begin.duration(to: .now) }

  /// Sets the single timer to the next check.
  private func arm(_ state: inout State) {
    state.timer?.cancel()
    state.timer = nil
    guard !state.isOver, let next = state.plan.nextCheck else { return }
    let pause = max(.zero, next - elapsed)
    state.timer = Task.detached { [weak self] in
      guard (try? await QuietExecutor.clock.sleep(for: pause)) != nil, let keeper = self else {
        return
      }
      keeper.queue.async { keeper.check() }
    }
  }
}
