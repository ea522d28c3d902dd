import BellhopCache
import BellhopModel
package import BellhopStore
import BellhopSync

/// One run of a scenario, which plans the actions of publishers and users, and the faults.
package final class Simulation {
  package struct Outcome: Sendable {
    /// The hash of the trace, which distinguishes two runs.
    package var hash: UInt64
    package var violations: [String]
    package var trace: [String]
    /// The number of operations that users intended.
    package var operations: Int
    /// The number of requests of all devices.
    package var requests: Int
    /// The virtual time.
    package var time: Duration
    /// Whether no device had a live signal channel at the end, so that promptness was not checked.
    package var isPromptnessUnchecked: Bool
  }

  /// The time from the end of the faults to the publication that triggers a signal.
  static let quietPeriod = Duration.seconds(10)
  /// The maximum time until every device then has the store's content.
  ///
  /// It covers a request that times out after 30 s, a back-off of 60 s, and 20 s until a user signs
  /// in. The earliest safety poll comes after 270 s.
  static let contentHealingMax = Duration.seconds(120)
  /// The additional time with several processes: 30 s until a comparison, and a start of a process.
  static let repairMax = Duration.seconds(60)
  /// The maximum time until all devices agree, including a safety poll.
  ///
  /// Two cases need the poll: a copied home directory, to learn of changes by its original, and a
  /// device of which a clock was set, to move its items.
  static let pollHealingMax = Duration.seconds(420)
  /// The maximum time until a change is on every device with a signal channel, without faults.
  ///
  /// It covers a few latencies, and is far less than a poll.
  static let promptnessMax = Duration.seconds(4)
  /// The maximum number of requests of each device until it has healed.
  ///
  /// It covers a rebuild with its pages, the operations in the outbox, and polls.
  static let healingRequestsMax = 80

  let world: World
  var titles = 0
  var nextOperation: UInt64 = 0
  /// The last operations of each device, with the named items in their earlier state.
  var undoable: [Int: (operations: [Operation], before: [UserNotification])] = [:]
  /// The items that each device publishes, oldest first.
  var ownItems: [Int: [NotificationID]] = [:]
  private var isPromptnessUnchecked = false
  private let past: SharedRandom
  /// The random numbers that decide what happens to an item that a sweep is about to remove.
  private let gap: SharedRandom

  /// Creates a run over the store's logic in memory, or over several processes with the service.
  package convenience init(_ scenario: Scenario) throws {
    try self.init(scenario) { clock, random, limits in
      guard scenario.processes > 1 else {
        return try LogicHost(clock: clock, random: random, limits: limits)
      }
      return SharedHost(
        clock: clock, random: random, limits: limits, count: scenario.processes,
        seed: scenario.seed)
    }
  }

  /// Creates a run over the given store.
  ///
  /// - Parameter host: Makes the store, with the simulation's time, random numbers and limits.
  package init(
    _ scenario: Scenario,
    host: (WorldClock, SharedRandom, StoreLimits) throws -> any StoreHost
  ) throws {
    world = try World(scenario, host: host)
    past = SharedRandom(seed: scenario.seed &* 11 &+ 5)
    gap = SharedRandom(seed: scenario.seed &* 17 &+ 9)
    world.publishBetween = { [unowned self] in publish(past) }
    world.renew = { [unowned self] id in
      if !gap.chance(0.5) || !pin(id, gap) { replace(id, isQuiet: { false }) }
    }
  }

  deinit { world.dissolve() }

  package func run() throws -> Outcome {
    // Items for the first synchronisation, in several pages.
    for _ in 0..<past.number(0...25) { publish(past) }
    for device in world.devices {
      world.scheduler.after(past.milliseconds(0...30_000)) { device.start() }
    }
    let requests = { [world] in world.devices.reduce(0) { $0 + $1.requests } }
    for step in world.scenario.steps {
      world.scheduler.run(until: world.scheduler.clock.elapsed + step.wait)
      try perform(step)
      if !world.judge.violations.isEmpty { break }
    }
    let requestsMade = requests()
    if world.judge.violations.isEmpty { try heal() }
    return Outcome(
      hash: world.trace.hash, violations: world.judge.violations, trace: world.trace.lines,
      operations: Int(nextOperation), requests: requestsMade + requests(),
      time: world.scheduler.clock.elapsed, isPromptnessUnchecked: isPromptnessUnchecked)
  }

  // MARK: Healing

  private func heal() throws {
    world.note("all faults end")
    world.endFaults()
    for device in world.devices {
      device.isPartitioned = false
      device.cache.failNoWrite()
      device.start()
    }
    // Devices must heal both by themselves and by two requested rounds.
    if past.chance(0.5) { try healInRounds() } else { try healByThemselves() }
    world.judge.checkIntents { [world] in world.store.truth.live($0) == nil }
    if world.judge.violations.isEmpty { try checkPromptness() }
  }

  private func run(for time: Duration) {
    world.scheduler.run(until: world.scheduler.clock.elapsed + time)
  }

  private func healByThemselves() throws {
    for device in world.devices { device.requests = 0 }
    run(for: Self.quietPeriod)
    publishPlainItem()
    // A home directory and its copy are one device to the store, and neither learns of the other's
    // changes.
    let alone = world.devices.filter { device in
      world.devices.allSatisfy { $0 === device || $0.id != device.id }
    }
    let repair: Duration = world.store.shared == nil ? .zero : Self.repairMax
    try agree(alone, within: Self.contentHealingMax + repair, aboutPlaces: !world.wasClockSet)
    try agree(world.devices, within: Self.pollHealingMax, aboutPlaces: true)
    checkRequests()
  }

  private func agree(
    _ devices: [SimulatedDevice], within time: Duration, aboutPlaces: Bool
  ) throws {
    let end = world.scheduler.clock.elapsed + time
    var problem: String? = "nothing was compared"
    while problem != nil, world.scheduler.clock.elapsed < end, world.judge.violations.isEmpty {
      run(for: .seconds(5))
      world.sweep()
      run(for: .seconds(1))
      problem = try world.disagreement(of: devices, aboutPlaces: aboutPlaces)
    }
    if let problem, world.judge.violations.isEmpty {
      world.judge.violate("no agreement within \(time): \(problem)")
    }
  }

  /// Renews tokens that expire by themselves: from now on, an expiry would be one more fault.
  private func signInForGood() {
    for device in world.devices where device.isRunning && device.tokenEnds {
      world.signIn(device) { device.handle(.signedIn) }
    }
  }

  private func healInRounds() throws {
    // Responses on their way arrive, and users of signed-out devices sign in. Without a request, a
    // device does not learn here that it is signed out.
    for device in world.devices { device.askForRound() }
    run(for: .seconds(90))
    signInForGood()
    run(for: .seconds(10))
    world.sweep()
    // A sweep of one of several processes takes many transactions.
    if world.store.shared != nil { run(for: .seconds(20)) }
    for device in world.devices { device.requests = 0 }
    for _ in 1...2 {
      for device in world.devices { device.askForRound() }
      let end = world.scheduler.clock.elapsed + .seconds(60)
      while world.devices.contains(where: \.isInRound), world.scheduler.clock.elapsed < end {
        run(for: .milliseconds(50))
      }
      for device in world.devices where device.isInRound {
        world.judge.violate("device \(device.index): a round does not finish: \(device.status)")
      }
    }
    if let problem = try world.disagreement(of: world.devices, aboutPlaces: true) {
      // An item that fell due in between is not a disagreement of the rounds.
      run(for: .seconds(7))
      if let still = try world.disagreement(of: world.devices, aboutPlaces: true) {
        world.judge.violate("no agreement after two rounds: \(problem), then \(still)")
      }
    }
    checkRequests()
  }

  /// Publishes while devices exchange changes by users, and checks that no change waits for a poll.
  ///
  /// Polls are only for missed signals.
  private func checkPromptness() throws {
    world.store.shared?.connect()
    signInForGood()
    run(for: .seconds(6))
    for _ in 0..<4 where world.judge.violations.isEmpty {
      let live = world.devices.filter { $0.isRunning && $0.status.connection == .live }
      guard let device = past.pick(live) else {
        isPromptnessUnchecked = true
        return
      }
      publishPlainItem()
      run(for: Self.promptnessMax)
      try read(world.store.published.last, on: device)
      run(for: past.milliseconds(20...300))
      publishPlainItem()
      run(for: Self.promptnessMax)
      // A home directory and its copy are one device to the store, and neither learns of the
      // other's changes.
      for other in live
      where other.status.connection == .live
        && !world.devices.contains(where: { $0 !== other && $0.id == other.id })
      {
        if let text = try world.disagreement(of: other, aboutPlaces: false) {
          world.judge.violate("not delivered within seconds: \(text)")
        }
      }
    }
  }

  private func checkRequests() {
    for device in world.devices where device.requests > Self.healingRequestsMax {
      world.judge.violate("device \(device.index) made \(device.requests) requests to recover")
    }
  }
}
