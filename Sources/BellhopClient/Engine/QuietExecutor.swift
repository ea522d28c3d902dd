#if BELLHOP_QUIET_EXECUTOR
  internal import CExecutor
  internal import Synchronization
#endif

/// The threads of a client's tasks, with the package trait `QuietExecutor`.
///
/// Swift's own pool on Linux wakes an idle client once a second. The trait replaces it by threads that
/// sleep until there is work. The trait is off: it needs a private hook of Swift's runtime, and its
/// threads ignore priorities. Without the trait Swift's pool runs the tasks.
package enum QuietExecutor {
  /// Replaces Swift's pool, with the trait. Without it, and where the runtime has no such hook, Swift's
  /// pool stays.
  ///
  /// Call it once, before the first task.
  package static func install() {
    #if BELLHOP_QUIET_EXECUTOR
      isInstalled.store(cexecutor_install() == 1, ordering: .relaxed)
    #endif
  }

  /// The clock for long waits. A wait on the continuous clock starts Swift's pool.
  static var clock: any Clock<Duration> {
    #if BELLHOP_QUIET_EXECUTOR
      if isInstalled.load(ordering: .relaxed) { return QuietClock() }
    #endif
    return ContinuousClock()
  }

  #if BELLHOP_QUIET_EXECUTOR
    private static let isInstalled = Atomic(false)
  #endif
}

#if BELLHOP_QUIET_EXECUTOR
  /// The continuous clock, with waits on the executor's threads.
  private struct QuietClock: Clock {
    typealias Instant = ContinuousClock.Instant

    private let clock = ContinuousClock()

    var now: Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      let wait = Wait()
      await withTaskCancellationHandler {
        await withCheckedContinuation { wait.begin($0, for: now.duration(to: deadline)) }
      } onCancel: {
        wait.end()
      }
      try Task.checkCancellation()
    }
  }

  /// One wait: ends when it is due or cancelled, whichever comes first.
  private final class Wait: Sendable {
    private enum State {
      case idle
      case waiting(CheckedContinuation<Void, Never>, timer: UInt64)
      case over
    }

    private let state = Mutex(State.idle)

    func begin(_ continuation: CheckedContinuation<Void, Never>, for duration: Duration) {
      let (seconds, attoseconds) = duration.components
      // Three hundred years are the same as for ever.
      let nanoseconds =
        seconds < 9_000_000_000
        ? seconds * 1_000_000_000 + attoseconds / 1_000_000_000 : Int64.max
      let isOver = state.withLock { state in
        if case .over = state { return true }
        // The timer's thread waits for this lock when it is due at once. The timer holds this object:
        // either its call releases it, or the one that cancels the timer.
        let timer = cexecutor_call_after(
          nanoseconds,
          { context in
            if let context { Unmanaged<Wait>.fromOpaque(context).takeRetainedValue().end() }
          }, Unmanaged.passRetained(self).toOpaque())
        state = .waiting(continuation, timer: timer)
        return false
      }
      if isOver { continuation.resume() }
    }

    func end() {
      let before = state.withLock { state in
        defer { state = .over }
        return state
      }
      guard case .waiting(let continuation, let timer) = before else { return }
      // 1: the call will not come, so that its reference is released here.
      if cexecutor_cancel(timer) == 1 { Unmanaged.passUnretained(self).release() }
      continuation.resume()
    }
  }
#endif
