import Synchronization

/// A clock that moves only when a test moves it.
package final class ManualClock: Clock, Sendable {
  package struct Instant: InstantProtocol, Sendable {
    package var sinceStart: Swift.Duration

    package func advanced(by duration: Swift.Duration) -> Instant {
      Instant(sinceStart: sinceStart + duration)
    }
    package func duration(to other: Instant) -> Swift.Duration { other.sinceStart - sinceStart }
    package static func < (left: Instant, right: Instant) -> Bool {
      left.sinceStart < right.sinceStart
    }
  }

  private struct Sleeper {
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(sinceStart: .zero)
    var nextKey = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  package init() {}

  package var now: Instant { state.withLock { $0.now } }
  package var minimumResolution: Swift.Duration { .nanoseconds(1) }

  /// The number of sleeping tasks.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The time until the first sleeper is due; nil without sleepers.
  package var untilNextWake: Swift.Duration? {
    state.withLock { state in
      state.sleepers.values.map(\.deadline).min().map { state.now.duration(to: $0) }
    }
  }

  package func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(key) != nil { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers[key] = Sleeper(deadline: deadline, continuation: continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: key)
        if sleeper == nil { state.cancelled.insert(key) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock and wakes all due sleepers, in the order of their deadlines.
  package func advance(by duration: Swift.Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in due { sleeper.continuation.resume() }
  }
}

/// Time since a start, which only the test moves.
package final class ManualUptime: Sendable {
  private let time = Mutex(Duration.zero)

  package init() {}

  package var now: Duration { time.withLock { $0 } }

  package func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
