package import BellhopModel
import Foundation
import Synchronization

/// A series of runs with different seeds, on one or more threads; each run has its own thread.
package struct Campaign: Sendable {
  package var devices: Int?
  package var operations: Int
  /// The number of store processes; nil lets each seed choose.
  package var processes: Int?
  /// The number of threads.
  package var jobs: Int
  /// The faults to leave out of every scenario.
  package var without: Set<Fault> = []
  /// Whether to continue with the other seeds after one fails.
  package var keepsGoing = false
  /// Runs one scenario, by default over the store's logic in memory. It may block its thread.
  package var simulate: @Sendable (Scenario) throws -> Simulation.Outcome = {
    try Simulation($0).run()
  }

  package init(devices: Int? = nil, operations: Int = 200, jobs: Int = 1) {
    self.devices = devices
    self.operations = operations
    self.jobs = jobs
  }

  /// The totals of many runs.
  package struct Report: Sendable {
    package var seeds = 0
    package var operations = 0
    package var requests = 0
    /// The virtual time of all runs.
    package var time = Duration.zero
    /// The number of runs in which no device could be checked for promptness.
    package var promptnessUnchecked = 0
    /// The lowest failing seed, and its violations.
    package var failure: (seed: UInt64, violations: [String])?
    /// All failing seeds, lowest first, each with its first violation.
    package var failures: [(seed: UInt64, violation: String)] = []
  }

  package func scenario(_ seed: UInt64) -> Scenario {
    Scenario(seed: seed, devices: devices, operations: operations, processes: processes)
      .without(without)
  }

  /// Runs seeds until the first one fails, unless ``keepsGoing``, or until `isOver` returns true.
  ///
  /// - Parameter isOver: Called before each seed.
  package func run(
    _ seeds: ClosedRange<UInt64>, until isOver: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (Report) -> Void = { _ in }
  ) -> Report {
    let state = Mutex((next: seeds.lowerBound, report: Report()))
    Self.onThreads(max(1, jobs)) {
      while !isOver() {
        let seed = state.withLock { state -> UInt64? in
          guard keepsGoing || state.report.failure == nil, state.next <= seeds.upperBound else {
            return nil
          }
          defer { state.next += 1 }
          return state.next
        }
        guard let seed else { return }
        let result = Result { try simulate(scenario(seed)) }
        let report = state.withLock { state in
          state.report.note(result, of: seed)
          return state.report
        }
        progress(report)
      }
    }
    return state.withLock(\.report)
  }

  /// Runs `body` on `count` new threads, which may block, and waits for all of them.
  private static func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    for _ in 0..<count {
      group.enter()
      let thread = Thread {
        body()
        group.leave()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    group.wait()
  }

  /// Runs seeds with a mutant turned on, until one of them detects it.
  ///
  /// A seed that also fails without the mutant detects nothing.
  ///
  /// - Returns: The number of seeds that this took, and the violation; nil if no seed detects the
  ///   mutant.
  package func kill(
    _ mutant: Mutant, with seeds: ClosedRange<UInt64>
  ) -> (seeds: Int, violation: String)? {
    defer { Mutant.choose(nil) }
    var next = seeds.lowerBound
    while next <= seeds.upperBound {
      Mutant.choose(mutant)
      guard let failure = run(next...seeds.upperBound).failure else { return nil }
      Mutant.choose(nil)
      let sound = try? simulate(scenario(failure.seed))
      if sound?.violations.isEmpty == true {
        return (Int(failure.seed - seeds.lowerBound) + 1, failure.violations.first ?? "")
      }
      next = failure.seed + 1
    }
    return nil
  }

  /// Returns the smallest failing part of a seed's scenario, and its outcome.
  package func shrink(_ scenario: Scenario) -> (scenario: Scenario, outcome: Simulation.Outcome)? {
    var shrinker = Shrinker { candidate in
      guard let outcome = try? simulate(candidate) else { return true }
      return !outcome.violations.isEmpty
    }
    let small = shrinker.shrunk(scenario)
    return (try? simulate(small)).map { (small, $0) }
  }
}

extension Campaign.Report {
  fileprivate mutating func note(
    _ result: Result<Simulation.Outcome, any Error>, of seed: UInt64
  ) {
    seeds += 1
    let violations: [String]
    switch result {
    case .success(let outcome):
      operations += outcome.operations
      requests += outcome.requests
      time += outcome.time
      if outcome.isPromptnessUnchecked { promptnessUnchecked += 1 }
      violations = outcome.violations
    case .failure(let error): violations = ["the simulation ended with \(error)"]
    }
    guard let first = violations.first else { return }
    let place = failures.firstIndex { $0.seed > seed } ?? failures.endIndex
    failures.insert((seed, first), at: place)
    if place == 0 { failure = (seed, violations) }
  }
}
