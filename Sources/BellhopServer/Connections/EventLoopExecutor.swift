internal import NIOCore
internal import NIOPosix

/// An executor that runs tasks on an event loop's thread.
///
/// A connection's task works for microseconds between two waits. Switching from the loop to another
/// thread and back would cost more. Such a task must not block: the storage has queues of its own.
final class EventLoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  private init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    // The job runs exactly once: the singleton group's loops never shut down, so none drops it.
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// The executors of all loops that serve connections. They are never released.
  private static let all: [ObjectIdentifier: EventLoopExecutor] = {
    var all: [ObjectIdentifier: EventLoopExecutor] = [:]
    for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
      all[ObjectIdentifier(loop)] = EventLoopExecutor(loop)
    }
    return all
  }()

  /// Returns the executor of a loop; nil for a loop that serves no connections.
  static func of(_ loop: any EventLoop) -> EventLoopExecutor? { all[ObjectIdentifier(loop)] }
}
