internal import Synchronization

/// Whose items or subscriptions changed since somebody last asked: hints, kept by user, so that
/// their number is bounded whatever the load.
///
/// One task at a time waits for news.
package final class ChangedUsers: Sendable {
  /// What came in.
  package struct News: Hashable, Sendable {
    /// Users whose items changed.
    package var items: Set<UserID> = []
    /// Users whose subscriptions were made, changed or ended.
    package var subscriptions: Set<UserID> = []
    /// Somebody wants to be noticed for another reason.
    package var isPoke = false

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

  /// Ends the wait for news.
  package func poke() { note { $0.isPoke = true } }

  private func note(_ change: (inout News) -> Void) {
    let waiter = state.withLock { state in
      change(&state.news)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits until there is news, and takes it. Returns at once when the task is cancelled.
  package func next() async -> News {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A cancellation after this look finds the waiter; one before it is seen by it.
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

  /// Takes what has come in so far.
  package func take() -> News {
    state.withLock { state in
      defer { state.news = News() }
      return state.news
    }
  }
}
