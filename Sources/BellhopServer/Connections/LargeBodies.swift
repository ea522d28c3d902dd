internal import Dispatch
internal import Synchronization

/// An executor for the work on large request bodies, away from the event loops.
///
/// A handler runs on the event loop of its connection, where work on a body of some megabytes would
/// delay all other connections of that loop. Here large bodies only delay each other: they share
/// one thread, so that the other cores stay free.
final class LargeBodies: TaskExecutor {
  /// The size above which a body is large. Work on this many bytes takes about a millisecond.
  static let bytesMin = 256 * 1024

  private let queue = DispatchQueue(label: "bellhop.large-bodies")
  private let counted = Mutex(0)

  /// The number of bodies that this executor has handled.
  var count: Int { counted.withLock { $0 } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs `work` on this executor if the body is large, else in place.
  func run<Result: Sendable>(
    bytes: Int, _ work: () async throws -> Result
  ) async throws -> Result {
    guard bytes > Self.bytesMin else { return try await work() }
    counted.withLock { $0 += 1 }
    return try await withTaskExecutorPreference(self) { try await work() }
  }
}
