import BellhopCache
import BellhopModel
package import BellhopStore
import BellhopSync

/// One run: a scenario says what publishers and people do and what goes wrong.
package final class Simulation {
  package struct Outcome: Sendable {
    /// Tells two runs apart.
    package var hash: UInt64
    package var violations: [String]
    package var trace: [String]
    /// What people meant to do.
    package var operations: Int
    /// By all devices.
    package var requests: Int
    /// Virtual.
    package var time: Duration
    /// No device had a live signal channel in the end, so that no change could be awaited in seconds.
    package var isPromptnessUnchecked: Bool
  }

  /// From the end of the faults to a publication of which a signal tells.
  static let calmBefore = Duration.seconds(10)
  /// Then every device has the store's content within this time: a request that times out after 30 s,
  /// a back-off of 60 s, and 20 s until a person signs in. The earliest safety poll comes after 270 s.
  static let contentHealingMax = Duration.seconds(120)
  /// A safety poll and some. Only with one of these does a copied home hear of changes by its original,
  /// and a device of a clock that was set, so that its items belong elsewhere.
  static let pollHealingMax = Duration.seconds(420)
  /// With nothing lost, a change is on every device with a signal channel within this time: a few
  /// latencies, and far less than a poll.
  static let promptnessMax = Duration.seconds(4)
  /// And with at most this many requests of each device: a rebuild with its pages, what the outbox
  /// holds, and polls.
  static let healingRequestsMax = 80

  let world: World
  var titles = 0
  var nextOperation: UInt64 = 0
  /// The last operations of each device, with the named items as they were before.
  var undoable: [Int: (operations: [Operation], before: [UserNotification])] = [:]
  private var isPromptnessUnchecked = false
  private let past: SharedRandom
  /// Decides what happens to an item that a sweep is about to remove.
  private let gap: SharedRandom

  /// Over the store's logic in memory.
  package convenience init(_ scenario: Scenario) throws {
    try self.init(scenario) { clock, random, limits in
      try LogicHost(clock: clock, random: random, limits: limits)
    }
  }

  /// Over a store of the caller's.
  ///
  /// - Parameter host: makes the store, whose time, chance and limits are the simulation's.
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
    // A past to synchronise for the first time, in several pages.
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
    world.note("everything heals")
    world.endFaults()
    for device in world.devices {
      device.isPartitioned = false
      device.cache.failNoWrite()
      device.start()
    }
    // By themselves, or by two rounds that somebody asks for; both have to do.
    if past.chance(0.5) { try healInRounds() } else { try healAlone() }
    world.judge.checkIntents { [world] in world.store.truth.live($0) == nil }
    if world.judge.violations.isEmpty { try checkPromptness() }
  }

  private func run(for time: Duration) {
    world.scheduler.run(until: world.scheduler.clock.elapsed + time)
  }

  private func healAlone() throws {
    for device in world.devices { device.requests = 0 }
    run(for: Self.calmBefore)
    publishCalmly()
    // A home and its copy are one device to the store, and neither hears of the other's changes.
    let alone = world.devices.filter { device in
      world.devices.allSatisfy { $0 === device || $0.id != device.id }
    }
    try agree(alone, within: Self.contentHealingMax, aboutPlaces: !world.wasClockSet)
    try agree(world.devices, within: Self.pollHealingMax, aboutPlaces: true)
    checkRequests()
  }

  private func agree(
    _ devices: [SimulatedDevice], within time: Duration, aboutPlaces: Bool
  ) throws {
    let end = world.scheduler.clock.elapsed + time
    var problem: String? = "nothing was looked at"
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

  /// From now on no token runs out by itself, which would be one more fault.
  private func signInForGood() {
    for device in world.devices where device.isRunning && device.tokenEnds {
      world.signIn(device)
      device.handle(.signedIn)
    }
  }

  private func healInRounds() throws {
    // What is still on its way arrives, and who is signed out, which a device that asks for nothing
    // does not hear of here, signs in.
    for device in world.devices { device.askForRound() }
    run(for: .seconds(90))
    signInForGood()
    run(for: .seconds(10))
    world.sweep()
    for device in world.devices { device.requests = 0 }
    for _ in 1...2 {
      for device in world.devices { device.askForRound() }
      let end = world.scheduler.clock.elapsed + .seconds(60)
      while world.devices.contains(where: \.isInRound), world.scheduler.clock.elapsed < end {
        run(for: .milliseconds(50))
      }
      for device in world.devices where device.isInRound {
        world.judge.violate("device \(device.index): a round does not end: \(device.status)")
      }
    }
    if let problem = try world.disagreement(of: world.devices, aboutPlaces: true) {
      // An item that fell due in between is no disagreement of the rounds.
      run(for: .seconds(7))
      if let still = try world.disagreement(of: world.devices, aboutPlaces: true) {
        world.judge.violate("no agreement after two rounds: \(problem), then \(still)")
      }
    }
    checkRequests()
  }

  /// Publishes while devices exchange what people did. Polls are for what signals missed: nothing may
  /// wait for one here.
  private func checkPromptness() throws {
    signInForGood()
    run(for: .seconds(6))
    for _ in 0..<4 where world.judge.violations.isEmpty {
      let live = world.devices.filter { $0.isRunning && $0.status.connection == .live }
      guard let device = past.pick(live) else {
        isPromptnessUnchecked = true
        return
      }
      publishCalmly()
      run(for: Self.promptnessMax)
      try read(world.store.published.last, on: device)
      run(for: past.milliseconds(20...300))
      publishCalmly()
      run(for: Self.promptnessMax)
      // A home and its copy are one device to the store, and neither hears of the other's changes.
      for other in live
      where other.status.connection == .live
        && !world.devices.contains(where: { $0 !== other && $0.id == other.id })
      {
        if let text = try world.disagreement(of: other, aboutPlaces: false) {
          world.judge.violate("not there in seconds: \(text)")
        }
      }
    }
  }

  private func checkRequests() {
    for device in world.devices where device.requests > Self.healingRequestsMax {
      world.judge.violate("device \(device.index) made \(device.requests) requests to heal")
    }
  }
}
