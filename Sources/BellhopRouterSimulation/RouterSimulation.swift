package import BellhopSimulation
package import Foundation

/// The second tier: the same world, devices and judge around the real router over SQLite.
package enum RouterSimulation {
  /// Runs a scenario. Must not be called from a task: it blocks its thread while the router answers.
  ///
  /// - Parameter folder: where the databases are while it runs.
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
