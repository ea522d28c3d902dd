import BellhopModel
import Foundation
import Testing

/// The first tier of the proof in SYNC.md: the engine's core and cache steps against the real store
/// logic, on one thread with a virtual clock.
///
/// `BELLHOP_SIMULATION_SEED=N` runs one seed and prints what happened; `BELLHOP_SIMULATION_SEEDS=N`
/// runs that many.
@Suite struct ConvergenceTests {
  static let environment = ProcessInfo.processInfo.environment
  static let seed = environment["BELLHOP_SIMULATION_SEED"].flatMap(UInt64.init)
  static let seedsCount = environment["BELLHOP_SIMULATION_SEEDS"].flatMap(UInt64.init) ?? 300

  @Test("three devices agree with the store after any mixture of faults")
  func devicesConverge() throws {
    var operations = 0
    for seed in Self.seed.map({ [$0] }) ?? Array(1...Self.seedsCount) {
      let outcome = try Simulation(seed: seed).run()
      operations += outcome.operations
      if Self.seed != nil || !outcome.violations.isEmpty {
        print(outcome.trace.joined(separator: "\n"))
      }
      #expect(
        outcome.violations.isEmpty,
        "BELLHOP_SIMULATION_SEED=\(seed) shows: \(outcome.violations.joined(separator: "; "))")
      if !outcome.violations.isEmpty { break }
    }
    // A simulation in which nobody does anything proves nothing.
    #expect(operations > 0)
  }

  @Test("the same seed gives the same run", arguments: [1, 7, 23] as [UInt64])
  func runsRepeat(seed: UInt64) throws {
    let first = try Simulation(seed: seed).run()
    let second = try Simulation(seed: seed).run()
    #expect(first.hash == second.hash, "seed \(seed)")
    #expect(try Simulation(seed: seed + 1).run().hash != first.hash)
  }
}
