internal import CExecutor
internal import Synchronization

/// The threads that a client's tasks run on.
package enum QuietExecutor {
  private static let isInstalled = Atomic(false)

  /// Puts threads that sleep until there is work in the place of the runtime's pool, which on Linux
  /// wakes once a second: a client that nothing happens to is to cost nothing.
  ///
  /// To be called once, before the first task. Where it cannot be done the runtime's pool goes on.
  package static func install() {
    isInstalled.store(cexecutor_install() == 1, ordering: .relaxed)
  }

  /// The clock for waits that may be long: on the runtime's own, a wait starts its pool.
  static var clock: any Clock<Duration> {
    isInstalled.load(ordering: .relaxed) ? QuietClock() : ContinuousClock()
  }
}

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
      // The timer's thread waits for this lock when it is due at once.
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
    // A timer that was taken back no longer holds this object.
    if cexecutor_cancel(timer) == 1 { Unmanaged.passUnretained(self).release() }
    continuation.resume()
  }
}
