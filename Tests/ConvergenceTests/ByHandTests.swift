import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync
import BellhopWire
import Testing

@testable import BellhopSimulation

/// Requirements on the simulation itself, step by step instead of by a seed.
@Suite struct ByHandTests {
  /// One device and its store, with one item, in a world without spontaneous events.
  private struct Bench {
    let world: World
    let item: NotificationID
    private var operations: UInt64 = 0

    var device: SimulatedDevice { world.devices[0] }

    init(seed: UInt64 = 1, expires: Duration? = nil) throws {
      let calm = Scenario(seed: seed, devices: 1, operations: 0).without(Set(Fault.allCases))
      let world = try World(calm) { clock, random, limits in
        try LogicHost(clock: clock, random: random, limits: limits)
      }
      self.world = world
      var content = Content(app: "ci", visual: VisualContent(title: "one"))
      content.expiration = expires.map { world.scheduler.clock.now.advanced(by: $0) }
      world.store.perform { try $0.publish(content, isQuiet: false) }
      item = try #require(world.store.published.first)
      device.start()
      run(for: .seconds(30))
    }

    func run(for time: Duration) {
      world.scheduler.run(until: world.scheduler.clock.elapsed + time)
    }

    /// Lets time pass, a millisecond at a time, until the condition holds.
    func run(until isSo: () -> Bool) throws {
      let end = world.scheduler.clock.elapsed + .seconds(120)
      while !isSo() {
        try #require(world.scheduler.clock.elapsed < end)
        run(for: .milliseconds(1))
      }
    }

    /// Acts on the item as the device shows it.
    mutating func act(_ command: ItemCommand) throws -> (
      operation: Operation, before: UserNotification
    ) {
      let before = try #require(try device.cache.item(item)).notification
      let operation = Operation(
        id: nextID(), target: .item(item), mutation: command.mutation,
        seen: before.state.contentSequence)
      perform(operation, shown: [before])
      return (operation, before)
    }

    func perform(_ operation: Operation, shown: [UserNotification] = []) {
      world.judge.intended(operation, on: 0, shown: shown, of: device.past)
      device.perform([operation], sealAfter: nil)
    }

    mutating func nextID() -> OperationID {
      operations += 1
      return OperationID(high: 1, low: operations)
    }
  }

  @Test("a copied home has a token that expires together with the original's")
  func copiedToken() throws {
    let bench = try Bench()
    let (world, device) = (bench.world, bench.device)
    world.signIn(device, expires: world.scheduler.clock.now.advanced(by: .seconds(60)))
    try world.copyHome(of: device)
    #expect(world.devices.map(\.tokenEnds) == [true, true])
    #expect(world.devices[1].token == device.token)
    world.signIn(device)
    #expect(world.devices.map(\.tokenEnds) == [false, true], "the copy still has the old one")
  }

  @Test(
    "an answer belongs to the history in which the store gave it, even if its request is duplicated"
  )
  func answersOfLostPasts() throws {
    // Chance decides the order of arrival.
    var copiesBetween = 0
    for seed in 1...40 as ClosedRange<UInt64> {
      var bench = try Bench(seed: seed)
      let judge = bench.world.judge
      try bench.world.store.backUp()
      // Without this operation's number, which is lost, the duplicate has no effect.
      _ = try bench.act(.read)
      bench.run(for: .seconds(10))
      bench.world.rates = FaultRates([.delayed: 1, .duplicated: 1])
      let late = try bench.act(.dismiss).operation.id
      try bench.run { judge.intents[late]?.results.isEmpty == false }
      try bench.world.store.revertToBackup(silently: true)
      let lines = bench.world.trace.lines.count
      try bench.run { judge.intents[late]?.isAnswered == true }
      let intent = try #require(judge.intents[late])
      let isHeld = bench.device.outbox.contains(late)
      #expect(intent.mayBeLost || !intent.results.isEmpty || isHeld, "seed \(seed)")
      #expect(judge.violations == [], "seed \(seed)")
      let since = bench.world.trace.lines.dropFirst(lines)
      if intent.results.isEmpty, since.contains(where: { $0.contains("a copy of send") }) {
        copiesBetween += 1
      }
    }
    #expect(copiesBetween > 0, "in no seed a copy came between")
  }

  @Test("an answer that the device rejects does not count as received")
  func answersOfLineagesBefore() throws {
    var bench = try Bench()
    let judge = bench.world.judge
    let operation = try bench.act(.dismiss).operation
    try bench.run { judge.intents[operation.id]?.results.isEmpty == false }
    // The answer is on its way.
    try bench.device.cache.renumber(.unanswered, lineage: Lineage("other"), from: 1)
    try bench.run {
      bench.world.trace.lines.contains { $0.hasSuffix("send 1+1 answered") }
    }
    #expect(judge.intents[operation.id]?.isAnswered == false)
    try bench.run { judge.intents[operation.id]?.isAnswered == true }
    #expect(judge.intents[operation.id]?.results == [.applied, .alreadyApplied])
  }

  @Test("in one batch, an operation cannot reach an item that expires once it is no longer pinned")
  func endedInTheBatch() throws {
    var bench = try Bench(expires: .seconds(60))
    _ = try bench.act(.pin)
    bench.run(for: .seconds(60))
    #expect(bench.world.store.truth.live(bench.item)?.state.pinned.value == true)
    bench.device.isPartitioned = true
    let (unpin, before) = try bench.act(.unpin)
    let undo = try #require(unpin.undo(id: bench.nextID(), before: before))
    bench.perform(undo)
    let sequence = bench.world.store.sequence
    let all = Operation(
      id: bench.nextID(), target: .matching(Predicate(), through: sequence),
      mutation: ItemCommand.read.mutation)
    bench.perform(all)
    bench.device.isPartitioned = false
    bench.device.resume()
    bench.run(for: .seconds(30))
    let results = [unpin, undo, all].map { bench.world.judge.intents[$0.id]?.results.first }
    #expect(results == [.applied, .gone, .applied])
    #expect(bench.world.judge.intents[undo.id]?.wasRejected == true)
    #expect(bench.world.judge.violations == [])
  }

  @Test(
    "an operation refused before the one it depends on stays refused, in a batch with all items too"
  )
  func refusedAhead() throws {
    var bench = try Bench()
    let (world, device) = (bench.world, bench.device)
    let before = try #require(try device.cache.item(bench.item)).notification
    let dismissal = Operation(
      id: bench.nextID(), target: .item(bench.item), mutation: ItemCommand.dismiss.mutation,
      seen: before.state.contentSequence)
    let undo = try #require(dismissal.undo(id: bench.nextID(), before: before))
    let all = Operation(
      id: bench.nextID(), target: .matching(Predicate(), through: world.store.sequence),
      mutation: ItemCommand.read.mutation)
    func send(_ operations: [Operation], in lineage: String) throws -> [OperationResult] {
      let numbered = operations.indices.map {
        NumberedOperation(number: Int64($0 + 1), operation: operations[$0])
      }
      let batch = OutboxBatch(lineage: Lineage(lineage), operations: numbered)
      return try world.store.send(batch, from: device, with: device.token) {}.get().results
    }
    for operation in [dismissal, undo, all] {
      world.judge.intended(operation, on: 0, shown: [before], of: device.past)
    }
    // As a device that learns only afterwards that the store has lost the dismissal.
    #expect(try send([undo], in: "one") == [.superseded])
    #expect(try send([all, dismissal, undo], in: "two") == [.applied, .applied, .superseded])
    let state = try #require(world.store.truth.live(bench.item)).state
    #expect(state.userActionState.value == .dismissed)
    #expect(world.judge.violations == [])
  }

  @Test("a signal from a closed connection is not received on the next one")
  func signalsOfConnectionsBefore() throws {
    // Chance decides the order of arrival, and which devices are connected instead of polling.
    var listening = 0
    for seed in 1...40 as ClosedRange<UInt64> {
      let bench = try Bench(seed: seed)
      let (world, device) = (bench.world, bench.device)
      guard device.policy.channel == .signal else { continue }
      listening += 1
      try world.store.backUp()
      world.rates = FaultRates([.delayed: 1])
      let content = Content(app: "ci", visual: VisualContent(title: "more"))
      for _ in 1...5 { world.store.perform { try $0.publish(content, isQuiet: false) } }
      try world.store.revertToBackup(silently: true)
      world.rates = FaultRates([:])
      bench.run(for: .seconds(60))
      world.store.perform { try $0.publish(content, isQuiet: false) }
      let new = try #require(world.store.published.last)
      bench.run(for: .seconds(5))
      #expect(try device.cache.item(new) != nil, "seed \(seed)")
      #expect(world.judge.violations == [], "seed \(seed)")
    }
    #expect(listening > 0)
  }
}
