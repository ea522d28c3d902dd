internal import Dispatch
internal import Synchronization

/// Works on large request bodies away from the event loops.
///
/// A handler runs on the event loop of its connection, where the work on a body of some megabytes
/// would delay all other connections of that loop. Here large bodies delay each other only: there
/// is one thread for them, so that the other cores stay free.
final class LargeBodies: TaskExecutor {
  /// A body of more bytes is large. The work on so many takes about a millisecond.
  static let bytesMin = 256 * 1024

  private let queue = DispatchQueue(label: "bellhop.large-bodies")
  private let counted = Mutex(0)

  /// How many bodies were worked on here.
  var count: Int { counted.withLock { $0 } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs `work` here when it is about a large body, else where the caller is.
  func run<Result: Sendable>(
    bytes: Int, _ work: () async throws -> Result
  ) async throws -> Result {
    guard bytes > Self.bytesMin else { return try await work() }
    counted.withLock { $0 += 1 }
    return try await withTaskExecutorPreference(self) { try await work() }
  }
}
