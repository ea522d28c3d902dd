import BellhopModel
import BellhopStore
import BellhopStoreMemory

/// A write with the result of its last run.
///
/// `@unchecked Sendable`: only the thread of the simulation uses it.
final class SharedTransaction: @unchecked Sendable {
  /// The number by which the storage remembers that it was committed.
  let number: Int
  let scope: WriteScope
  let context: RequestContext?
  /// Runs the body, and returns its value.
  private let body: (inout MemorySnapshot) throws -> Any
  /// The state after the last run.
  fileprivate(set) var state: MemorySnapshot?
  /// The value of the last run.
  fileprivate(set) var value: Any?
  /// The version of the storage on which the body ran last.
  fileprivate var version = -1
  /// The time of the last run.
  fileprivate(set) var time = WorldClock.start
  /// The sequence after which the body takes its own, if a deliberate fault has reserved it.
  var reserved: SequenceNumber?

  fileprivate init(
    _ number: Int, in scope: WriteScope, for context: RequestContext?,
    _ body: @escaping (inout MemorySnapshot) throws -> Any
  ) {
    self.number = number
    self.scope = scope
    self.context = context
    self.body = body
  }

  fileprivate func run(on start: MemorySnapshot) throws {
    var next = start
    guard let reserved, case .user(let user) = scope else {
      value = try body(&next)
      state = next
      return
    }
    next.setSequence(reserved, of: user)
    value = try body(&next)
    next.setSequence(max(next.sequence(of: user), start.sequence(of: user)), of: user)
    state = next
  }
}

/// A commit at the moment at which every process can see it.
struct SharedCommit {
  var transaction: SharedTransaction
  /// The state before it.
  var before: MemorySnapshot
  /// The state that it left.
  var after: MemorySnapshot
  /// The version that it made.
  var version: Int
}

/// The error of a connection that ended before COMMIT was sent.
struct ConnectionLost: Error {}

/// The error of a connection that ended after COMMIT was sent, before its answer.
struct CommitUnknown: Error {}

/// The primary of the database that the simulated processes share.
///
/// A transaction waits for the locks of its scope, runs its body, and is committed by the primary when
/// its COMMIT arrives. It is not visible before. The rows of users are locked as long as a transaction
/// is open; if another one has changed rows that it did not lock, its body runs again at its commit.
///
/// `@unchecked Sendable`: only the thread of the simulation uses it.
final class SharedStorage: @unchecked Sendable {
  /// An earlier state, to which a failover can lead.
  struct Past {
    var state: MemorySnapshot
    var version: Int
  }

  private struct Waiter {
    var attempt: Int
    var process: SimulatedProcess
    var wait: Int
  }

  /// The maximum number of commits that a failover loses.
  static let lagMax = 6

  let scheduler: Scheduler
  let random: SharedRandom
  private(set) var state = MemorySnapshot(lifeKey: LifeKey("1"))
  /// The number of states so far.
  private(set) var version = 0
  /// The number of failovers; connections to an earlier primary are lost.
  private(set) var primary = 0
  /// The number of reversions of the data, as ``SimulatedStore/timeline`` counts them.
  var timeline = 0
  /// The latest states, oldest first.
  private(set) var past: [Past] = []
  /// The highest sequence that any commit took, including lost commits.
  private(set) var highest = SequenceNumber.zero
  /// The version that each committed transaction made.
  private var outcomes: [Int: Int] = [:]
  /// The open transaction that holds each lock: of a user, or of the store under the key 0.
  private var holders: [Int64: Int] = [:]
  private var waiters: [Int64: [Waiter]] = [:]
  private var lastNumber = 0
  private var lastAttempt = 0
  /// The sequence up to which ``Mutant/sequenceByNextval`` has assigned numbers.
  private var assigned = SequenceNumber.zero
  /// The probabilities of long pauses and broken connections.
  var rates = FaultRates.none
  /// Called after each commit.
  var committed: (SharedCommit) -> Void = { _ in }
  /// Runs the tasks that an event has resumed.
  var pump: () -> Void = {}

  init(scheduler: Scheduler, random: SharedRandom) {
    self.scheduler = scheduler
    self.random = random
  }

  // MARK: Time

  /// Returns the time that a step of a transaction takes.
  func pause() -> Duration {
    let (quick, slow) = (random.milliseconds(0...25), random.milliseconds(50...1500))
    return random.chance(rates[.slowCommit]) ? slow : quick
  }

  /// Suspends a task of a process for a time.
  func sleep(_ time: Duration, in process: SimulatedProcess) async throws {
    try await process.wait { [self] wait in
      scheduler.after(time) { [self] in
        process.resume(wait)
        pump()
      }
    }
  }

  // MARK: Locks

  private func locks(of scope: WriteScope) -> [Int64] {
    switch scope {
    case .store: [0]
    case .user(let user): [user.rawValue]
    case .users: state.userIDs.map(\.rawValue)
    }
  }

  func newAttempt() -> Int {
    lastAttempt += 1
    return lastAttempt
  }

  /// Waits for the locks of a scope.
  ///
  /// - Throws: ``ConnectionLost`` after a failover.
  func lock(_ scope: WriteScope, for attempt: Int, in process: SimulatedProcess) async throws {
    for key in locks(of: scope) {
      guard holders[key] != nil else {
        holders[key] = attempt
        continue
      }
      try await process.wait { [self] wait in
        waiters[key, default: []].append(Waiter(attempt: attempt, process: process, wait: wait))
      }
    }
  }

  /// Releases the locks of an open transaction to those that wait for them.
  func release(_ attempt: Int) {
    for key in holders.keys.sorted() where holders[key] == attempt {
      holders[key] = nil
      while holders[key] == nil, var waiting = waiters[key], !waiting.isEmpty {
        let next = waiting.removeFirst()
        waiters[key] = waiting
        guard !next.process.isDead else { continue }
        holders[key] = next.attempt
        next.process.resume(next.wait)
      }
    }
  }

  // MARK: Transactions

  func begin(
    in scope: WriteScope, for context: RequestContext?,
    _ body: @escaping (inout MemorySnapshot) throws -> Any
  ) -> SharedTransaction {
    lastNumber += 1
    return SharedTransaction(lastNumber, in: scope, for: context, body)
  }

  /// Reserves numbers for ``Mutant/sequenceByNextval``, as a serial column does.
  func reserve(for transaction: SharedTransaction) {
    guard case .user(let user) = transaction.scope, transaction.reserved == nil else { return }
    let first = max(assigned, state.sequence(of: user))
    assigned = SequenceNumber(first.rawValue + 100)
    transaction.reserved = first
  }

  /// Runs the body of a transaction that has its locks.
  ///
  /// - Parameter early: The state from before the locks, for ``Mutant/readBeforeLock``.
  func run(_ transaction: SharedTransaction, early: MemorySnapshot) throws {
    var start = state
    if Mutant.readBeforeLock.isOn, case .user(let user) = transaction.scope {
      start = early
      start.lifeKey = state.lifeKey
      start.setSequence(max(early.sequence(of: user), state.sequence(of: user)), of: user)
    }
    transaction.version = version
    transaction.time = scheduler.clock.now
    try transaction.run(on: start)
  }

  /// Commits a transaction, when its COMMIT arrives.
  ///
  /// - Returns: The error that the process receives; nil for a commit.
  func commit(_ transaction: SharedTransaction, _ attempt: Int, to primary: Int) -> (any Error)? {
    defer { release(attempt) }
    guard primary == self.primary else { return CommitUnknown() }
    if transaction.version != version {
      do { try run(transaction, early: state) } catch { return error }
    }
    guard let after = transaction.state else { return CommitUnknown() }
    let before = state
    state = after
    version += 1
    outcomes[transaction.number] = version
    for user in state.userIDs { highest = max(highest, state.sequence(of: user)) }
    keepPast()
    committed(
      SharedCommit(transaction: transaction, before: before, after: after, version: version))
    return nil
  }

  func isCommitted(_ transaction: SharedTransaction) -> Bool {
    outcomes[transaction.number] != nil
  }

  private func keepPast() {
    past.append(Past(state: state, version: version))
    if past.count > Self.lagMax + 1 { past.removeFirst() }
  }

  // MARK: Failover

  /// Promotes a standby with a state: connections break, and another life of the data can begin.
  ///
  /// - Parameter kept: The version of the state; later commits are lost.
  func failOver(to next: MemorySnapshot, keeping kept: Int) {
    primary += 1
    state = next
    state.lifeKey = LifeKey("\(primary + 1)")
    version += 1
    outcomes = outcomes.filter { $0.value <= kept }
    past = []
    keepPast()
    holders = [:]
    let waiting = waiters.sorted { $0.key < $1.key }.flatMap(\.value)
    waiters = [:]
    for waiter in waiting { waiter.process.resume(waiter.wait, throwing: ConnectionLost()) }
  }
}
