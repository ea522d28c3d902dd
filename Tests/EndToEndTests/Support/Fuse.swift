import Synchronization

/// Calls `done` at the last of a number of steps.
final class Fuse: Sendable {
  private let left: Mutex<Int>
  private let done: @Sendable () -> Void

  init(_ steps: Int, _ done: @escaping @Sendable () -> Void) {
    left = Mutex(steps)
    self.done = done
  }

  func burn() {
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { done() }
  }
}
