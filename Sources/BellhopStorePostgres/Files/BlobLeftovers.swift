#if BELLHOP_POSTGRES
internal import Synchronization

/// The removed blobs and discarded drafts that wait for a task to clear their rows.
///
/// A sweep finds the others: those beyond the limit, those that failed, and those of a process that
/// ended before.
final class BlobLeftovers: Sendable {
  /// The most hashes and names that wait.
  private static let waitingMax = 10_000
  /// The number of rows that one transaction changes.
  static let rowsPerStep = 500

  private struct State {
    var keys: Set<BlobKey> = []
    var drafts: [String] = []
    /// The task that works through them; nil when none are left.
    var worker: Task<Void, Never>?
  }

  /// The leftovers of one transaction.
  struct Step: Sendable {
    var keys: [BlobKey]
    var drafts: [String]
  }

  private let state = Mutex(State())

  func add(_ key: BlobKey, of shelf: PostgresBlobStore) {
    add(of: shelf) { state in
      if state.keys.count < Self.waitingMax { state.keys.insert(key) }
    }
  }

  func add(draft name: String, of shelf: PostgresBlobStore) {
    add(of: shelf) { state in
      if state.drafts.count < Self.waitingMax { state.drafts.append(name) }
    }
  }

  private func add(of shelf: PostgresBlobStore, _ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      guard state.worker == nil else { return }
      state.worker = Task {
        while let step = self.next() { await shelf.clear(step) }
      }
    }
  }

  /// Takes some of the leftovers; nil when none are left.
  private func next() -> Step? {
    state.withLock { state in
      if state.keys.isEmpty, state.drafts.isEmpty {
        state.worker = nil
        return nil
      }
      let step = Step(
        keys: Array(state.keys.prefix(Self.rowsPerStep)),
        drafts: Array(state.drafts.prefix(Self.rowsPerStep)))
      state.keys.subtract(step.keys)
      state.drafts.removeFirst(step.drafts.count)
      return step
    }
  }

  /// Waits until none are left.
  func settle() async {
    while let worker = state.withLock({ $0.worker }) { await worker.value }
  }
}
#endif
