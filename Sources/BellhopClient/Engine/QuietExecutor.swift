#if BELLHOP_QUIET_EXECUTOR
  internal import CExecutor
  internal import Synchronization
#endif

/// The threads of a client's tasks, with the package trait `QuietExecutor`.
///
/// Swift's own thread pool on Linux wakes an idle client once a second. The trait replaces it with
/// threads that sleep until there is work. The trait is off by default: it needs a private hook of
/// Swift's runtime, and its threads ignore priorities. Without the trait, Swift's pool runs the
/// tasks.
package enum QuietExecutor {
  /// Replaces Swift's thread pool, if the trait is on and the runtime has the hook.
  ///
  /// Call it once, before the first task.
  package static func install() {
    #if BELLHOP_QUIET_EXECUTOR
      isInstalled.store(cexecutor_install() == 1, ordering: .relaxed)
    #endif
  }

  /// The clock for long waits. Waiting on the continuous clock would start Swift's pool.
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

  /// A single wait, which ends when it is due or cancelled, whichever comes first.
  private final class Wait: Sendable {
    private enum State {
      case idle
      case waiting(CheckedContinuation<Void, Never>, timer: UInt64)
      case over
    }

    private let state = Mutex(State.idle)

    func begin(_ continuation: CheckedContinuation<Void, Never>, for duration: Duration) {
      let (seconds, attoseconds) = duration.components
      // Three hundred years are as good as for ever.
      let nanoseconds =
        seconds < 9_000_000_000
        ? seconds * 1_000_000_000 + attoseconds / 1_000_000_000 : Int64.max
      let isOver = state.withLock { state in
        if case .over = state { return true }
        // If the timer is due at once, its thread waits for this lock. The timer retains this
        // object: either its call releases it, or the cancellation of the timer does.
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
      // 1: the call will not happen, so its reference is released here.
      if cexecutor_cancel(timer) == 1 { Unmanaged.passUnretained(self).release() }
      continuation.resume()
    }
  }
#endif
