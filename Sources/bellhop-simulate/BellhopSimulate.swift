import ArgumentParser
import BellhopModel
import BellhopRouterSimulation
import BellhopSimulation
import Foundation
import Synchronization

/// Runs synchronisation in a simulated world, many times over.
@main
struct BellhopSimulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bellhop-simulate",
    abstract: "Checks synchronisation in a simulated world. A seed always gives the same run.",
    discussion: """
      A failing seed is reduced and printed step by step, with the arguments that reproduce it. \
      The exit code is 1 if a seed fails.
      """)

  @Option(help: "Run this seed and print each step.")
  var seed: UInt64?
  @Option(help: ArgumentHelp("Run the seeds from A to B.", valueName: "A-B"))
  var seeds: SeedRange?
  @Option(
    name: [.customLong("for")],
    help: ArgumentHelp("Run seeds for this time: 90s, 20m, 1h.", valueName: "duration"))
  var duration: RunTime?
  @Option(help: "Run seeds for this many hours.")
  var hours: Double?
  @Option(help: "Number of devices (default: 3 to 5, chosen by the seed).")
  var devices: Int?
  @Option(help: "Number of events in a run: by users, by publishers, and faults.")
  var operations = 200
  @Option(help: "Number of store processes (default: chosen by the seed; 1 with --tier 2).")
  var processes: Int?
  @Option(help: "1: the store's logic in memory; 2: the real router with SQLite.")
  var tier = 1
  @Option(help: "Number of threads.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount
  @Option(
    help: ArgumentHelp("Leave out these faults: names, separated by commas.", valueName: "faults"))
  var without: FaultList?
  @Option(
    help: ArgumentHelp("With --seed: run only these steps, such as 1,4-9.", valueName: "steps"))
  var only: StepList?
  @Option(help: "Turn a deliberate fault on. Needs a build with --traits Mutants.")
  var mutant: MutantName?
  @Flag(
    help: "Turn on each deliberate fault in turn, and print how many seeds find it.")
  var mutants = false
  @Flag(help: "Run all seeds, even after a failure, and list the failed ones at the end.")
  var keepGoing = false
  @Flag(help: "With --seed: do not reduce a failing scenario.")
  var whole = false

  func validate() throws {
    guard (1...20).contains(devices ?? 3) else {
      throw ValidationError("--devices must be a number from 1 to 20.")
    }
    guard (1...9).contains(processes ?? 1) else {
      throw ValidationError("--processes must be a number from 1 to 9.")
    }
    guard (0...1_000_000).contains(operations) else {
      throw ValidationError("--operations must be a number from 0 to 1000000.")
    }
    guard (1...2).contains(tier) else { throw ValidationError("--tier must be 1 or 2.") }
    guard (1...256).contains(jobs) else {
      throw ValidationError("--jobs must be a number from 1 to 256.")
    }
    guard Mutant.areBuiltIn || !mutants && mutant == nil else {
      throw ValidationError(
        "This program was built without mutants. Build it with --traits Mutants.")
    }
    guard only == nil || seed != nil else {
      throw ValidationError("--only needs --seed.")
    }
  }

  func run() throws {
    var campaign = Campaign(devices: devices, operations: operations, jobs: jobs)
    campaign.without = without?.faults ?? []
    campaign.keepsGoing = keepGoing && !mutants
    campaign.processes = tier == 2 ? 1 : processes
    if tier == 2 { campaign.simulate = { try RouterSimulation.run($0) } }
    if mutants { return try killAll(campaign) }
    Mutant.choose(mutant?.mutant)
    if let seed { return try tell(seed, campaign) }
    try runMany(campaign)
  }

  private func tell(_ seed: UInt64, _ campaign: Campaign) throws {
    var scenario = campaign.scenario(seed)
    if let only { scenario = scenario.only(only.indices) }
    let outcome = try campaign.simulate(scenario)
    if outcome.violations.isEmpty {
      print(outcome.trace.joined(separator: "\n"))
      print("seed \(seed): no violation; trace \(String(outcome.hash, radix: 16))")
    } else {
      try report(scenario, outcome, campaign)
    }
  }

  private func runMany(_ campaign: Campaign) throws {
    let begun = ContinuousClock.now
    let limit = duration?.duration ?? hours.map { Duration.seconds($0 * 3600) }
    let range = seeds?.range ?? (limit == nil ? 1...100 : 1...UInt64.max)
    let told = Mutex(0)
    let report = campaign.run(range) {
      limit.map { ContinuousClock.now - begun >= $0 } ?? false
    } progress: { report in
      let failed = told.withLock { told in
        defer { told = max(told, report.failures.count) }
        return report.failures.count > told
      }
      guard failed || report.seeds % 1000 == 0 else { return }
      let seeds = failed ? "; failing: \(report.failingSeeds)" : ""
      FileHandle.standardError.write(Data("\(report.line)\(seeds)\n".utf8))
    }
    let took = ContinuousClock.now - begun
    print("\(report.line), \(took.formatted(.units(allowed: [.hours, .minutes, .seconds])))")
    print(
      "\(Output.decimals(ProcessorTime.hours, 3)) CPU hours; in "
        + "\(report.promptnessUnchecked) seeds no device was live at the end, so promptness was not checked"
    )
    guard let failure = report.failure else { return }
    if keepGoing {
      for failure in report.failures { print("seed \(failure.seed): \(failure.violation)") }
      throw ExitCode.failure
    }
    let scenario = campaign.scenario(failure.seed)
    try self.report(scenario, try campaign.simulate(scenario), campaign)
  }

  private func killAll(_ campaign: Campaign) throws {
    let range = seeds?.range ?? 1...2000
    var survivors: [Mutant] = []
    Output.line("mutant                   rule      seeds  first violation")
    let mutants = Mutant.allCases.filter(\.isSimulated)
    for mutant in mutants {
      let name =
        mutant.name.padding(toLength: 25, withPad: " ", startingAt: 0)
        + (mutant.rule ?? "-").padding(toLength: 8, withPad: " ", startingAt: 0)
      if let kill = campaign.kill(mutant, with: range) {
        let count = String(kill.seeds)
        let space = String(repeating: " ", count: max(1, 7 - count.count))
        Output.line("\(name)\(space)\(count)  \(kill.violation.prefix(90))")
      } else {
        survivors.append(mutant)
        Output.line("\(name)      -  not found in \(range.count) seeds")
      }
    }
    print(
      "\(mutants.count - survivors.count) of \(mutants.count) mutants are caught, "
        + "\(Output.decimals(ProcessorTime.hours, 3)) CPU hours")
    if !survivors.isEmpty { throw ExitCode.failure }
  }

  private func report(
    _ scenario: Scenario, _ outcome: Simulation.Outcome, _ campaign: Campaign
  ) throws -> Never {
    var (scenario, outcome) = (scenario, outcome)
    print("seed \(scenario.seed) fails: \(outcome.violations.joined(separator: "; "))")
    if !whole {
      print("reducing it…")
      if let small = campaign.shrink(scenario) { (scenario, outcome) = small }
    }
    print(outcome.trace.joined(separator: "\n"))
    let faults = scenario.faults.map(\.rawValue).sorted().joined(separator: " ")
    print("faults: \(faults.isEmpty ? "none" : faults)")
    print("steps: \(scenario.steps.map { "\($0.index) \($0.kind)" }.joined(separator: ", "))")
    for violation in outcome.violations { print("violation: \(violation)") }
    print("reproduce: bellhop-simulate \(scenario.arguments)\(tier == 1 ? "" : " --tier \(tier)")")
    throw ExitCode.failure
  }
}

enum Output {
  /// Writes a line at once, even to a file, so that a reader sees progress.
  static func line(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

  static func decimals(_ number: Double, _ count: Int) -> String {
    number.formatted(.number.precision(.fractionLength(count)))
  }
}

/// The processor time of this process, in all its threads.
enum ProcessorTime {
  static var hours: Double {
    var usage = rusage()
    guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    return Double(seconds) / 3600
  }
}

extension Campaign.Report {
  var line: String {
    let days = Double(time.components.seconds) / 86_400
    return "\(seeds) seeds, \(operations) operations, \(requests) requests, "
      + "\(days.formatted(.number.precision(.fractionLength(1)))) simulated days"
  }

  var failingSeeds: String { failures.map { String($0.seed) }.joined(separator: " ") }
}

/// A range of seeds: `3-9`, or one number.
struct SeedRange: ExpressibleByArgument {
  var range: ClosedRange<UInt64>

  init?(argument: String) {
    let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
    guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first <= last
    else { return nil }
    range = first...last
  }
}

/// A duration: a number with s, m or h.
struct RunTime: ExpressibleByArgument {
  var duration: Duration

  init?(argument: String) {
    guard let unit = argument.last, let number = Double(argument.dropLast()), number > 0,
      number < 100_000, let seconds = ["s": 1.0, "m": 60, "h": 3600][unit]
    else { return nil }
    duration = .seconds(number * seconds)
  }
}

struct FaultList: ExpressibleByArgument {
  var faults: Set<Fault>

  init?(argument: String) {
    let found = argument.split(separator: ",").map { Fault(rawValue: String($0)) }
    guard !found.contains(nil) else { return nil }
    faults = Set(found.compactMap { $0 })
  }
}

struct StepList: ExpressibleByArgument {
  var indices: Set<Int>

  init?(argument: String) {
    guard let indices = IndexList.parse(argument) else { return nil }
    self.indices = indices
  }
}

struct MutantName: ExpressibleByArgument {
  var mutant: Mutant

  init?(argument: String) {
    guard let found = Mutant.allCases.first(where: { $0.name == argument }) else { return nil }
    mutant = found
  }
}
