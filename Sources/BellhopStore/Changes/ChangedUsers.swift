internal import Synchronization

/// A collector of the users whose items or subscriptions changed since the last read.
///
/// Its entries are hints per user, so that their number is bounded whatever the load. One task at a
/// time waits for news.
package final class ChangedUsers: Sendable {
  /// The changes since the last read.
  package struct News: Hashable, Sendable {
    /// Users whose items changed.
    package var items: Set<UserID> = []
    /// Users whose subscriptions were created, changed or ended.
    package var subscriptions: Set<UserID> = []
    /// Whether other users may have changed too, because messages of another process may be lost.
    package var isIncomplete = false
    /// Whether ``ChangedUsers/interruptWait()`` ended the wait.
    package var isInterruption = false

    package init() {}

    var isEmpty: Bool { self == News() }
  }

  private struct State {
    var news = News()
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  init() {}

  func note(items user: UserID) { note { $0.items.insert(user) } }

  func note(subscriptions user: UserID) { note { $0.subscriptions.insert(user) } }

  /// Records that changes may be missing.
  func noteLoss() { note { $0.isIncomplete = true } }

  /// Ends the wait for news.
  package func interruptWait() { note { $0.isInterruption = true } }

  private func note(_ change: (inout News) -> Void) {
    let waiter = state.withLock { state in
      change(&state.news)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits until there is news and takes it. Returns immediately when the task is cancelled.
  package func next() async -> News {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A cancellation after this check finds the waiter; the check sees an earlier cancellation.
        let isReady = state.withLock { state in
          if !state.news.isEmpty || Task.isCancelled { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      note { _ in }
    }
    return take()
  }

  /// Takes the news collected so far.
  package func take() -> News {
    state.withLock { state in
      defer { state.news = News() }
      return state.news
    }
  }
}
