import BellhopModel
import BellhopRouterSimulation
import BellhopSimulation
import Foundation
import Testing

/// The proof of synchronisation: the engine's core and cache steps against the real store logic.
///
/// It uses one thread and a virtual clock. These tests run a few seeds; `bellhop-simulate` runs any
/// number.
@Suite struct ConvergenceTests {
  @Test("all devices agree with the store after any mixture of faults")
  func devicesConverge() throws {
    let report = Campaign(operations: 200, jobs: 2).run(1...24)
    if let failure = report.failure {
      Issue.record(
        "bellhop-simulate --seed \(failure.seed): \(failure.violations.joined(separator: "; "))")
    }
    // A simulation without any operations proves nothing.
    #expect(report.operations > 24)
    #expect(report.requests > report.seeds)
  }

  @Test("they agree through the real router over SQLite, too")
  func devicesConvergeOverSQLite() async throws {
    // A separate thread: the simulation blocks while the router answers.
    let report = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var campaign = Campaign(operations: 60)
        campaign.simulate = { try RouterSimulation.run($0) }
        continuation.resume(returning: campaign.run(1...3))
      }
    }
    if let failure = report.failure {
      Issue.record(
        "bellhop-simulate --tier 2 --operations 60 --seed \(failure.seed): \(failure.violations)")
    }
    #expect(report.operations > 3)
  }

  /// A failure found by a long run: the broken rule, and the smallest scenario that showed it.
  struct Found: CustomTestStringConvertible {
    let rule: String
    let seed: UInt64
    let devices: Int
    let faults: Set<Fault>
    let steps: String

    var testDescription: String { "seed \(seed): \(rule)" }
    var scenario: Scenario {
      Scenario(seed: seed, devices: devices, processes: 1).without(
        Set(Fault.allCases).subtracting(faults)
      )
      .only(IndexList.parse(steps) ?? [])
    }
  }

  @Test("failures found by long runs do not return", arguments: Found.all)
  func longRuns(found: Found) throws {
    let scenario = found.scenario
    #expect(!scenario.steps.isEmpty)
    let outcome = try Simulation(scenario).run()
    #expect(outcome.violations == [], "bellhop-simulate \(scenario.arguments)")
  }

  @Test("a campaign ends at the first failing seed, or keeps going and lists them all")
  func campaigns() {
    struct Failure: Error {}
    let calm = Scenario(seed: 1, operations: 0)
    var campaign = Campaign(operations: 0)
    campaign.simulate = { scenario in
      if scenario.seed % 3 == 0 { throw Failure() }
      return try Simulation(calm).run()
    }
    let first = campaign.run(1...10)
    #expect(first.seeds == 3)
    #expect(first.failures.map(\.seed) == [3])
    campaign.keepsGoing = true
    campaign.jobs = 2
    let all = campaign.run(1...10)
    #expect(all.seeds == 10)
    #expect(all.failures.map(\.seed) == [3, 6, 9])
    #expect(all.failure?.seed == 3)
  }

  @Test("the same seed gives the same run", arguments: [1, 7, 23] as [UInt64])
  func runsRepeat(seed: UInt64) throws {
    let first = try Simulation(Scenario(seed: seed)).run()
    let second = try Simulation(Scenario(seed: seed)).run()
    #expect(first.hash == second.hash, "seed \(seed)")
    #expect(first.trace == second.trace)
    #expect(try Simulation(Scenario(seed: seed + 1)).run().hash != first.hash)
  }

  @Test(
    "every fault occurs in some scenario, and can be excluded from it", arguments: Fault.allCases)
  func faultsAreDrawn(fault: Fault) {
    let scenarios = (1...60 as ClosedRange<UInt64>).map { Scenario(seed: $0) }
    #expect(scenarios.contains { $0.faults.contains(fault) })
    #expect(scenarios.contains { !$0.faults.contains(fault) })
    for scenario in scenarios { #expect(!scenario.without([fault]).faults.contains(fault)) }
  }

  @Test("a third of the seeds has several processes, which only changes these seeds")
  func processesAreDrawn() {
    for seed in (1...60 as ClosedRange<UInt64>) {
      let (drawn, alone) = (Scenario(seed: seed), Scenario(seed: seed, processes: 1))
      #expect((drawn.processes > 1) == (seed % 3 == 2))
      if drawn.processes == 1 { #expect(drawn == alone) }
      #expect(!alone.steps.contains { [.failOver, .failOverLosing].contains($0.kind) })
      #expect(alone.arguments.contains("--processes 1") == (drawn.processes > 1))
    }
    #expect(Scenario(seed: 5).processes == 3)
  }

  @Test(
    "several processes over one storage agree with all devices",
    arguments: [2, 5, 8, 11, 14, 17, 20] as [UInt64])
  func processesConverge(seed: UInt64) throws {
    let outcome = try Simulation(Scenario(seed: seed)).run()
    #expect(outcome.violations == [], "bellhop-simulate --seed \(seed)")
    #expect(outcome.operations > 0)
  }

  @Test("a failing scenario is minimised, and its arguments reproduce it")
  func shrinking() throws {
    let scenario = Scenario(seed: 5, operations: 120)
    let needed = Set([scenario.steps[17].index, scenario.steps[90].index])
    var shrinker = Shrinker { needed.isSubset(of: Set($0.steps.map(\.index))) }
    let small = shrinker.shrunk(scenario)
    #expect(Set(small.steps.map(\.index)) == needed)
    let arguments = small.arguments
    #expect(arguments.hasPrefix("--seed 5 --devices \(scenario.deviceCount) --operations 120"))
    #expect(arguments.hasSuffix("--only \(IndexList.text(needed))"))
    let again = Scenario(seed: 5, devices: scenario.deviceCount, operations: 120)
      .without(scenario.faults.subtracting(small.faults)).only(needed)
    #expect(again == small)
  }

  @Test(
    "lists of steps are written in short form and parsed again",
    arguments: [[], [3], [1, 2, 3], [0, 2, 3, 4, 9]] as [Set<Int>])
  func indexLists(indices: Set<Int>) {
    let text = indices.isEmpty ? "none" : IndexList.text(indices)
    #expect(IndexList.parse(text) == indices)
  }

  @Test("an invalid list of steps is refused", arguments: ["", "a", "3-", "5-2", "1,,2", "1-2-3"])
  func noIndexList(text: String) { #expect(IndexList.parse(text) == nil) }
}

extension ConvergenceTests.Found {
  static let all = [
    Self(
      rule: latePast, seed: 32376, devices: 5,
      faults: [
        .backupRestored, .crash, .delayed, .diskFull, .duplicated, .epochChanged, .killedAtWrite,
        .partition, .refused, .signalLost, .storeKilled, .tombstonesDropped,
      ],
      steps: "0-1,3,6,8,11,13-14,16-22,24-25,27-29,31-40,42-58,60-61,64-66,68-70,72,80,82-88,92,94,"
        + "98-109,112"),
    Self(
      rule: latePast, seed: 34202, devices: 3,
      faults: [
        .answerLost, .delayed, .duplicated, .homeCopied, .killedAtWrite, .requestLost, .rolledBack,
        .storeKilled,
      ],
      steps: "2-3,5,10-18,20-52,54-59,61-64,66-71,73-81"),
    Self(
      rule: latePast, seed: 34824, devices: 5,
      faults: [.backupRestored, .delayed, .duplicated, .revoked],
      steps: "1-2,4-5,7-18,20-22,25-28,34-38,41,43-44,46-50,52-57,60,62-67,69-75,77-85,87,94-95"),
    Self(
      rule: copiedToken, seed: 35716, devices: 3, faults: [.homeCopied, .tokenExpired],
      steps: "197,199"),
    Self(
      rule: copiedToken, seed: 42683, devices: 3,
      faults: [
        .crash, .homeCopied, .partition, .refused, .signalLost, .storeClock, .tokenExpired,
      ],
      steps: "92-93,95,97-102,108-111,113-115,117-121,123-135,142-159,163-166,168-181,183,185-191,"
        + "193-196,198-199"),
    Self(
      rule: "what expires in a batch no later operation of the batch reaches", seed: 50383,
      devices: 3, faults: [.backupRestored, .partition],
      steps: "8,11,21,24,28,35,42,44,46,48,50,52-53,66,72,74-75,78,80-82,84,106-111,115-126,"
        + "130-132,136-141,148-153,157-158,160-168,175-178,180-183,190-192"),
    Self(
      rule: "what was refused before the operation that it needs stays so", seed: 702979,
      devices: 4,
      faults: [
        .backupRestored, .bulkRace, .crash, .delayed, .duplicated, .epochChanged, .killedAtWrite,
        .partition, .requestLost, .storeKilled, .tombstonesDropped,
      ],
      steps: "0,2,4,7-16,18,21-23,25-34,36-62,64-97,99-100,102-105,108-115,117,119-120,125-126,"
        + "130-138,143-144"),
  ]

  private static let latePast =
    "an answer is of the past in which the store gave it, whatever a copy of its request meets"
  private static let copiedToken =
    "a copied home has a token that runs out, and signs in by itself"
}
