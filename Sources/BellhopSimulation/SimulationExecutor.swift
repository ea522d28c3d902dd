import Synchronization

/// An executor that runs tasks on the thread of a simulation, in the order in which they can continue.
final class SimulationExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  private func next() -> UnownedJob? {
    jobs.withLock { jobs -> UnownedJob? in jobs.isEmpty ? nil : jobs.removeFirst() }
  }

  /// Runs tasks until each of them waits for an event of the simulation.
  func run() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
