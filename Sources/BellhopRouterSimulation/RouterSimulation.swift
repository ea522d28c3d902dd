package import BellhopSimulation
package import Foundation

/// The second tier of the simulation: the same world around the real router over SQLite.
///
/// The devices and the judge are those of the first tier.
package enum RouterSimulation {
  /// Runs a scenario.
  ///
  /// Must not be called from a task: it blocks its thread while the router responds.
  ///
  /// - Parameter folder: The folder for the databases during the run.
  package static func run(
    _ scenario: Scenario, in folder: URL = FileManager.default.temporaryDirectory
  ) throws -> Simulation.Outcome {
    let process = ProcessInfo.processInfo.processIdentifier
    let name = "bellhop-simulate-\(process)-\(scenario.seed)-\(UUID().uuidString.prefix(8))"
    return try Simulation(scenario) { clock, random, limits in
      try RouterHost(
        folder: folder.appending(path: name), clock: clock, random: random, limits: limits)
    }.run()
  }
}
