import Dispatch
import Synchronization

/// A clock of deadlines that stands still until a test makes it jump at each reading.
///
/// Every deadline then has passed as soon as it is checked.
package final class JumpingUptime: Sendable {
  private struct State {
    var time = Duration.zero
    var jump = Duration.zero
    var reads = 0
    var action: (reads: Int, run: @Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Jumps by this duration at each reading from now on.
  package func jump(by duration: Duration) { state.withLock { $0.jump = duration } }

  /// Calls `action` once, after this many readings from now on.
  package func after(_ reads: Int, _ action: @escaping @Sendable () -> Void) {
    state.withLock {
      $0.reads = 0
      $0.action = (reads, action)
    }
  }

  package var now: Duration {
    let (time, action) = state.withLock { state -> (Duration, (@Sendable () -> Void)?) in
      state.time += state.jump
      state.reads += 1
      guard let action = state.action, state.reads >= action.reads else { return (state.time, nil) }
      state.action = nil
      return (state.time, action.run)
    }
    action?()
    return time
  }
}

/// A clock of deadlines that holds every caller until a test releases it.
///
/// Only lists read it, so they then stay at a reader of the storage.
package final class HeldUptime: Sendable {
  private struct State {
    var isHolding = false
    var held = 0
  }

  private let state = Mutex(State())
  private let turnstile = DispatchSemaphore(value: 0)
  /// The longest wait, because a failed test must not leave a thread waiting for ever.
  private static let secondsMax = 120

  package init() {}

  /// The number of held callers.
  package var held: Int { state.withLock { $0.held } }

  package func hold() { state.withLock { $0.isHolding = true } }

  /// Releases all callers, and holds none from now on.
  package func release() {
    let held = state.withLock { state in
      state.isHolding = false
      return state.held
    }
    for _ in 0..<held { turnstile.signal() }
  }

  package var now: Duration {
    let isHeld = state.withLock { state in
      if state.isHolding { state.held += 1 }
      return state.isHolding
    }
    if isHeld {
      _ = turnstile.wait(timeout: .now() + .seconds(Self.secondsMax))
      state.withLock { $0.held -= 1 }
    }
    return .zero
  }
}
