import BellhopModel
import BellhopStore
import BellhopStoreMemory

/// The backend of one process over a ``SharedStorage``.
///
/// It behaves as a backend for a database server does. If the connection is lost before COMMIT was
/// sent, the body runs again. If the outcome of COMMIT is unknown, the backend checks it under the lock.
/// The other processes go on at these points: before the lock, when the body has run, when COMMIT is
/// sent, when it is committed but not answered, and before the service signals the change.
final class SharedBackend: StorageBackend {
  private let storage: SharedStorage
  private let process: SimulatedProcess

  /// The maximum number of runs of one write, before the process gives up.
  private static let attemptsMax = 20

  /// The value of a body's last run.
  ///
  /// `@unchecked Sendable`: only the thread of the simulation uses it.
  private final class Box<Value>: @unchecked Sendable {
    var value: Value?
  }

  init(_ storage: SharedStorage, in process: SimulatedProcess) {
    self.storage = storage
    self.process = process
  }

  var longReadsMax: Int { 3 }

  func catchUp() async throws -> CatchUp { .done }

  func close() async {}

  // MARK: Reads

  /// Reads a state of the primary.
  ///
  /// A process that is still connected to a former primary answers no request from it, and compares
  /// its streams with it.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value {
    guard !process.isDead else { throw StoreKilled() }
    guard let context = RequestContext.current else {
      return try (process.former?.state ?? storage.state).read(body)
    }
    try await waitForPrimary()
    context.timeline = storage.timeline
    return try storage.state.read(body)
  }

  private func waitForPrimary() async throws {
    while process.former != nil {
      try await process.wait { process.former?.waits.append($0) }
    }
  }

  // MARK: Writes

  func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value {
    let box = Box<Value>()
    let transaction = storage.begin(in: scope, for: RequestContext.current) { state in
      let value = try state.write(in: scope, body)
      box.value = value
      return value
    }
    var isSignalled = false
    func signal() {
      guard !isSignalled, let value = box.value else { return }
      isSignalled = true
      committed(value)
    }
    var attempts = 0
    while true {
      attempts += 1
      guard attempts <= Self.attemptsMax else {
        throw StoreError.unavailable(reason: "the database does not answer")
      }
      do {
        try await attempt(transaction, early: signal)
        break
      } catch is ConnectionLost {
        try await pause()
      } catch is CommitUnknown {
        if Mutant.unknownCommitRetried.isOn { continue }
        if try await isCommitted(transaction) { break }
      }
    }
    try await pause()
    signal()
    guard let value = box.value else {
      throw StoreError.unavailable(reason: "a write has no value")
    }
    return value
  }

  private func pause() async throws { try await storage.sleep(storage.pause(), in: process) }

  /// Runs the body and sends COMMIT.
  ///
  /// - Parameter signal: Signals the change too early, for ``Mutant/notifyBeforeCommit``.
  private func attempt(
    _ transaction: SharedTransaction, early signal: () -> Void
  ) async throws {
    let before = storage.state
    if Mutant.sequenceByNextval.isOn { storage.reserve(for: transaction) }
    try await pause()
    if process.former != nil {
      // A former primary lacks its standby, and so acknowledges no commit.
      try await waitForPrimary()
      if storage.random.chance(0.5) { throw CommitUnknown() }
      throw ConnectionLost()
    }
    let (attempt, primary) = (storage.newAttempt(), storage.primary)
    do {
      try await storage.lock(transaction.scope, for: attempt, in: process)
      guard primary == storage.primary else { throw ConnectionLost() }
      try storage.run(transaction, early: before)
      try await pause()
      try await dieIfPlanned(afterCommit: false)
      guard primary == storage.primary else { throw ConnectionLost() }
    } catch {
      storage.release(attempt)
      throw error
    }
    if Mutant.notifyBeforeCommit.isOn { signal() }
    try await commit(transaction, attempt, to: primary)
    try await dieIfPlanned(afterCommit: true)
  }

  /// Sends COMMIT and waits for the answer. The primary executes it even if the process is killed.
  private func commit(
    _ transaction: SharedTransaction, _ attempt: Int, to primary: Int
  ) async throws {
    let (storage, process) = (storage, process)
    let (there, back) = (storage.pause(), storage.pause())
    let (isBroken, isEarly) = (
      storage.random.chance(storage.rates[.commitUnknown]), storage.random.chance(0.5)
    )
    try await process.wait { wait in
      storage.scheduler.after(there) {
        let error = storage.commit(transaction, attempt, to: primary)
        storage.pump()
        storage.scheduler.after(back) {
          process.resume(wait, throwing: isBroken ? CommitUnknown() : error)
          storage.pump()
        }
      }
      guard isBroken, isEarly else { return }
      storage.scheduler.after(there / 2) {
        process.resume(wait, throwing: CommitUnknown())
        storage.pump()
      }
    }
  }

  /// Checks under the lock whether a transaction whose COMMIT was not answered is committed.
  private func isCommitted(_ transaction: SharedTransaction) async throws -> Bool {
    while true {
      try await pause()
      try await waitForPrimary()
      let attempt = storage.newAttempt()
      defer { storage.release(attempt) }
      do {
        try await storage.lock(transaction.scope, for: attempt, in: process)
        return storage.isCommitted(transaction)
      } catch is ConnectionLost {}
    }
  }

  private func dieIfPlanned(afterCommit: Bool) async throws {
    guard process.killAtWrite.isPlanned, process.killAtWrite.afterCommit == afterCommit else {
      return
    }
    process.killAtWrite.isPlanned = false
    try await process.wait { [process] _ in process.die() }
  }
}
