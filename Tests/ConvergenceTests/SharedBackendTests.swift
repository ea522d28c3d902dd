import BellhopModel
import BellhopStore
import BellhopStoreMemory
import Testing

@testable import BellhopSimulation

/// The storage that simulated processes share, transaction by transaction.
@Suite struct SharedBackendTests {
  /// The answer of a write.
  ///
  /// `@unchecked Sendable`: only the thread of the test uses it.
  private final class Outcome: @unchecked Sendable {
    var result: Result<Int64, any Error>?
    /// The value that the process has signalled.
    var signalled: Int64?

    var sequence: Int64? { try? result?.get() }
  }

  /// Two processes over one storage, with one user.
  private final class Bench {
    let scheduler = Scheduler(clock: WorldClock())
    let storage: SharedStorage
    let executor = SimulationExecutor()
    let processes = [SimulatedProcess(index: 0), SimulatedProcess(index: 1)]
    private(set) var user = UserID(rawValue: 1)
    /// The sequences of all commits, in their order.
    private(set) var commits: [Int64] = []

    init(seed: UInt64 = 1) throws {
      storage = SharedStorage(scheduler: scheduler, random: SharedRandom(seed: seed))
      let executor = executor
      storage.pump = { executor.run() }
      var state = storage.state
      user = try state.write(in: .store) {
        try $0.insertUser(named: "ada", created: WorldClock.start).id
      }
      storage.failOver(to: state, keeping: 0)
      let user = user
      storage.committed = { [unowned self] in
        commits.append($0.after.sequence(of: user).rawValue)
      }
    }

    deinit {
      for process in processes { process.kill() }
      executor.run()
    }

    var sequence: Int64 { storage.state.sequence(of: user).rawValue }

    func run(for time: Duration = .seconds(60)) {
      scheduler.run(until: scheduler.clock.elapsed + time)
    }

    /// Takes the user's next sequence in a process.
    func write(in process: Int) -> Outcome {
      let outcome = Outcome()
      let (user, backend) = (user, SharedBackend(storage, in: processes[process]))
      Task(executorPreference: executor) {
        do {
          let value = try await backend.write(
            in: .user(user),
            { transaction -> Int64 in
              var counters = try transaction.counters(of: user) ?? UserCounters()
              counters.sequence = counters.sequence.next
              try transaction.setCounters(counters, of: user)
              return counters.sequence.rawValue
            }, committed: { outcome.signalled = $0 })
          outcome.result = .success(value)
        } catch {
          outcome.result = .failure(error)
        }
      }
      executor.run()
      return outcome
    }

    /// Lets time pass, a millisecond at a time, until the condition holds.
    func run(until isSo: () -> Bool) throws {
      let end = scheduler.clock.elapsed + .seconds(60)
      while !isSo() {
        try #require(scheduler.clock.elapsed < end)
        run(for: .milliseconds(1))
      }
    }
  }

  @Test("writes of one user wait for each other, in whichever process they are")
  func locks() throws {
    let bench = try Bench()
    let outcomes = (0..<20).map { bench.write(in: $0 % 2) }
    bench.run()
    #expect(Set(outcomes.compactMap(\.sequence)) == Set(1...20))
    #expect(bench.commits == Array(1...20))
    #expect(outcomes.allSatisfy { $0.signalled == $0.sequence })
  }

  @Test(
    "a write takes effect once, although connections break after COMMIT",
    arguments: (1...10) as ClosedRange<UInt64>)
  func unknownCommit(seed: UInt64) throws {
    let bench = try Bench(seed: seed)
    bench.storage.rates = FaultRates([.commitUnknown: 0.7, .slowCommit: 0.5])
    let outcomes = (0..<10).map { bench.write(in: $0 % 2) }
    bench.run(for: .seconds(600))
    #expect(Set(outcomes.compactMap(\.sequence)) == Set(1...10))
    #expect(bench.commits == Array(1...10))
  }

  @Test("a write whose commit a failover has lost runs again, unless it was acknowledged")
  func lostCommit() throws {
    var again = 0
    for seed in (1...20 as ClosedRange<UInt64>) {
      let bench = try Bench(seed: seed)
      let first = bench.write(in: 0)
      bench.run()
      let past = SharedStorage.Past(state: bench.storage.state, version: bench.storage.version)
      let second = bench.write(in: 0)
      bench.run()
      #expect(first.sequence == 1 && second.sequence == 2)
      bench.storage.rates = FaultRates([.commitUnknown: 1])
      let last = bench.write(in: 1)
      try bench.run { bench.sequence == 3 }
      bench.storage.failOver(to: past.state, keeping: past.version)
      bench.storage.rates = .none
      #expect(bench.sequence == 1)
      bench.run()
      if bench.commits == [1, 2, 3, 2] { again += 1 }
      #expect(last.sequence == bench.commits.last, "seed \(seed)")
      #expect(bench.storage.state.lifeKey != past.state.lifeKey)
    }
    #expect(again > 0)
  }

  @Test("a failover ends the wait for a lock, and the write begins again")
  func failover() throws {
    let bench = try Bench()
    let outcomes = (0..<6).map { bench.write(in: $0 % 2) }
    try bench.run { bench.sequence == 2 }
    bench.storage.failOver(to: bench.storage.state, keeping: bench.storage.version)
    bench.run()
    #expect(Set(outcomes.compactMap(\.sequence)) == Set(1...6))
    #expect(bench.commits == Array(1...6))
  }

  @Test("a process that is killed after COMMIT was sent never learns that it is committed")
  func killed() throws {
    let bench = try Bench()
    let outcome = bench.write(in: 0)
    try bench.run { bench.sequence == 1 }
    bench.processes[0].kill()
    bench.executor.run()
    bench.run()
    #expect(bench.commits == [1])
    #expect(throws: StoreKilled.self) { try outcome.result?.get() }
    #expect(outcome.signalled == nil)
    // Its lock is free.
    let other = bench.write(in: 1)
    bench.run()
    #expect(other.sequence == 2)
  }

  @Test("a process at the former primary acknowledges nothing until it finds the new one")
  func formerPrimary() throws {
    let bench = try Bench()
    let process = bench.processes[0]
    process.former = SimulatedProcess.Former(state: bench.storage.state)
    bench.storage.failOver(to: bench.storage.state, keeping: bench.storage.version)
    let (stranded, other) = (bench.write(in: 0), bench.write(in: 1))
    bench.run()
    #expect(stranded.result == nil && other.sequence == 1)
    let waits = try #require(process.former).waits
    process.former = nil
    for wait in waits { process.resume(wait) }
    bench.executor.run()
    bench.run()
    #expect(stranded.sequence == 2)
  }
}
