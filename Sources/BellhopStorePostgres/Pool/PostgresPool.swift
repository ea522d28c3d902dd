#if BELLHOP_POSTGRES
internal import Dispatch
internal import Synchronization

/// A fixed number of connections, each on a thread of its own, that run blocking calls.
///
/// No call blocks a thread that Swift's tasks share. A connection that breaks is replaced. While no
/// connection can be opened, one thread at a time tries with an increasing pause, and every call
/// throws the reason at once. Close a pool before releasing it; otherwise its threads go on.
package final class PostgresPool: Sendable {
  /// The counts for metrics.
  package struct Figures: Hashable, Sendable {
    /// The open connections.
    package var connected = 0
    /// The connections that run a call.
    package var busy = 0
    /// The calls that wait for a connection.
    package var waiting = 0
  }

  private let queue: PoolQueue

  /// Starts the threads, which open their connections at once.
  ///
  /// - Parameters:
  /// - size: The number of connections.
  /// - waitingMax: The most calls that wait for a connection.
  /// - random: Random bits for the pauses, so that processes do not try at the same moments.
  /// - prepare: Checks each new connection before its first call. If it throws, the next host is
  ///   tried. If it throws for all, that counts as a connection that cannot be opened.
  package init(
    _ settings: PostgresSettings, size: Int, waitingMax: Int,
    random: @escaping @Sendable () -> UInt64,
    prepare: @escaping @Sendable (PostgresConnection) throws -> Void = { _ in }
  ) {
    precondition(size > 0, "a pool needs a connection")
    queue = PoolQueue(size: size, waitingMax: waitingMax, random: random)
    for _ in 0..<size {
      let worker = PoolWorker(queue: queue) {
        try PostgresConnection.open(settings, check: prepare)
      }
      // A queue of its own for each, because Dispatch runs few threads for a shared one. All queues
      // together have at most 255.
      DispatchQueue(label: "bellhop.postgres").async { worker.work() }
    }
  }

  package var figures: Figures { queue.figures }

  /// Runs `body` with a connection and returns its result. Cancelling the task does not stop it.
  ///
  /// A transaction that `body` leaves open is undone.
  ///
  /// - Throws: ``PostgresError/tooManyWaiting``, ``PostgresError/closed``; the reason why no
  ///   connection can be opened; whatever `body` throws.
  package func run<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let job = PoolJob(
        run: { connection in continuation.resume(with: Result { try body(connection) }) },
        refuse: { continuation.resume(throwing: $0) })
      if let refusal = queue.add(job) { continuation.resume(throwing: refusal) }
    }
  }

  /// Replaces all connections. A call that runs ends first.
  package func reset() { queue.reset() }

  /// Refuses further calls, runs the accepted ones, and closes the connections.
  package func close() async {
    await withCheckedContinuation { queue.close($0) }
  }
}

/// A call that waits for a connection.
struct PoolJob: Sendable {
  let run: @Sendable (PostgresConnection) -> Void
  /// Ends the call without running it.
  let refuse: @Sendable (any Error) -> Void
}

/// The thread of one connection.
struct PoolWorker: Sendable {
  let queue: PoolQueue
  let open: @Sendable () throws -> PostgresConnection

  /// Runs calls until the pool is closed.
  func work() {
    while queue.awaitsPermissionToOpen() {
      let generation = queue.generation
      let connection: PostgresConnection
      do {
        connection = try open()
      } catch {
        queue.reportFailure(error)
        continue
      }
      queue.reportOpen()
      runJobs(on: connection, of: generation)
      connection.close()
      queue.reportLoss()
    }
    queue.reportEnd()
  }

  /// Runs calls as long as the connection can be used and the pool is open.
  private func runJobs(on connection: PostgresConnection, of generation: Int) {
    while let job = queue.next(for: generation) {
      guard connection.isUsable else {
        queue.putBack(job)
        return
      }
      job.run(connection)
      connection.rollback()
      queue.reportRun()
      guard connection.isOpen else { return }
    }
  }
}
#endif
