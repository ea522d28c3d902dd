internal import NIOCore
internal import NIOPosix

/// Runs tasks on an event loop's thread.
///
/// What a connection's task does between two waits takes microseconds; handing it from the loop to
/// another thread and back would cost more than that. Nothing that runs so may block: the storage
/// has queues of its own.
final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  private init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    // Runs once: the loops of the singleton group do not shut down, so that none drops it.
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// One for each loop that serves connections, and they stay.
  private static let all: [ObjectIdentifier: LoopExecutor] = {
    var all: [ObjectIdentifier: LoopExecutor] = [:]
    for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
      all[ObjectIdentifier(loop)] = LoopExecutor(loop)
    }
    return all
  }()

  /// The loop's executor; nil for a loop that serves no connections.
  static func of(_ loop: any EventLoop) -> LoopExecutor? { all[ObjectIdentifier(loop)] }
}
