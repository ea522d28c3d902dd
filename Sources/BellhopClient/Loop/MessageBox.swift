internal import BellhopInbox
internal import Synchronization

/// Messages for the screen from other threads, in order.
///
/// Posting wakes the event loop out of its wait. ``Message/dataChanged`` is kept once, however often
/// it comes between two looks; while it comes all the time, as in a first synchronisation, it is given
/// out once in ``newsSpacing``, so that reading the lists anew leaves time for keys.
final class MessageBox: Sendable {
  /// Sixteen times a second: motion to the eye, and most of the time for other things.
  static let newsSpacing: Duration = .milliseconds(60)

  private struct State {
    var messages: [Message] = []
    var hasNews = false
    /// When news may be given out again.
    var newsDue: Duration?
  }

  private let state = Mutex(State())
  private let elapsed: @Sendable () -> Duration
  private let wake: @Sendable () -> Void

  /// - Parameters:
  ///   - elapsed: a clock that does not step.
  ///   - wake: ends the event loop's wait; may be called from any thread.
  init(elapsed: @escaping @Sendable () -> Duration, wake: @escaping @Sendable () -> Void) {
    self.elapsed = elapsed
    self.wake = wake
  }

  convenience init(wake: @escaping @Sendable () -> Void) {
    let clock = ContinuousClock()
    let start = clock.now
    self.init(elapsed: { start.duration(to: clock.now) }, wake: wake)
  }

  func post(_ message: Message) {
    let isFirst = state.withLock { state in
      let wasEmpty = state.messages.isEmpty && !state.hasNews
      if case .dataChanged = message {
        state.hasNews = true
      } else {
        state.messages.append(message)
        // News that wait for their time are no reason to let others wait.
        if state.messages.count == 1 { return true }
      }
      return wasEmpty
    }
    if isFirst { wake() }
  }

  /// Takes everything that was posted, but for news whose time has not come.
  func drain() -> [Message] {
    let now = elapsed()
    return state.withLock { state in
      defer { state.messages.removeAll(keepingCapacity: true) }
      guard state.hasNews, now >= state.newsDue ?? now else { return state.messages }
      state.hasNews = false
      state.newsDue = now + Self.newsSpacing
      return state.messages + [.dataChanged]
    }
  }

  /// How long the event loop may wait until it looks again without being woken; nil for as long as
  /// it likes.
  var wait: Duration? {
    let now = elapsed()
    return state.withLock { state in
      state.hasNews ? max(.zero, (state.newsDue ?? now) - now) : nil
    }
  }
}
