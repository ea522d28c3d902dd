import BellhopModel
import BellhopStore
import BellhopStoreMemory

/// One of several store processes, from its start until it is killed.
///
/// `@unchecked Sendable`: only the thread of the simulation uses it. ``SimulationExecutor`` runs its
/// tasks there, too.
final class SimulatedProcess: @unchecked Sendable {
  /// The state of a former primary, to which the process is still connected.
  struct Former {
    var state: MemorySnapshot
    /// The waits for a connection to the new primary.
    var waits: [Int] = []
  }

  let index: Int
  /// The service; nil until it has opened the storage.
  var service: StoreService?
  /// The task that repairs what lost messages leave undone.
  var repair: Task<Void, Never>?
  /// Whether the next write ends the process, and whether it does so after its commit.
  var killAtWrite: (isPlanned: Bool, afterCommit: Bool) = (false, false)
  var former: Former?
  /// Lets the simulation kill the process a moment later.
  var die: () -> Void = {}
  private(set) var isDead = false
  private typealias Continuation = CheckedContinuation<Void, any Error>
  private var waits: [Int: Continuation] = [:]
  private var lastWait = 0

  init(index: Int) { self.index = index }

  /// Whether it serves requests.
  var isServing: Bool { service != nil && !isDead }

  /// Suspends the task until ``resume(_:throwing:)``, or until the process is killed.
  ///
  /// - Parameter arm: Plans the end of the wait, by its number.
  /// - Throws: ``StoreKilled``, or the error of the wait's end.
  func wait(_ arm: (Int) -> Void) async throws {
    if isDead { throw StoreKilled() }
    try await withCheckedThrowingContinuation { (continuation: Continuation) in
      lastWait += 1
      waits[lastWait] = continuation
      arm(lastWait)
    }
    if isDead { throw StoreKilled() }
  }

  /// Ends a wait, unless it has ended.
  func resume(_ wait: Int, throwing error: (any Error)? = nil) {
    guard let continuation = waits.removeValue(forKey: wait) else { return }
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
  }

  /// Ends the process: none of its tasks goes on.
  func kill() {
    isDead = true
    repair?.cancel()
    for wait in waits.keys.sorted() { resume(wait, throwing: StoreKilled()) }
  }
}
