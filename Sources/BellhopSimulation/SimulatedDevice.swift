import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync

/// One install of a client: the real core and the real cache steps, stepped by events.
final class SimulatedDevice {
  let index: Int
  let id: DeviceID
  let cache: MemoryCache
  let world: World
  let steps: CacheSteps
  let policy: EnginePolicy
  /// Of everything that this device's engine and network do.
  let random: SharedRandom
  private(set) var core: EngineCore
  var watch = BaseWatch()
  /// Counts starts: an answer to an earlier one reaches nobody.
  private(set) var incarnation = 0
  private(set) var isRunning = false
  /// How often everything on the machine ended at once.
  private(set) var powerLosses = 0
  /// Requests since the last ``resetRequests()``.
  var requests = 0
  var signalRun = 0
  /// How far the store has told this device, or knows that it knows.
  var signalled = SequenceNumber.zero
  private var timer = 0
  var pageAhead = PageAhead<AskedAhead> { _ in }
  /// Whether the person keeps this device away from the network.
  var isPartitioned = false
  /// What the person signed in with.
  var token: String
  /// Whether it runs out by itself.
  var tokenEnds = false
  private var isSigningIn = false
  /// What the person did since the disk was last known to have it all.
  var unsynced: [OperationID] = []
  /// In milliseconds: some longer than the exchange that follows, so that its answers come before.
  static let syncTimes = [0, 5, 50, 400, 2000, 5000, 10_000]
  let hasSecondScreen: Bool
  /// The cache as a second screen has it open, and what was done there.
  let secondScreen: MemoryCache
  var doneOnSecond: Set<OperationID>
  /// The change counters with which the store answered operations of this device.
  var answeredAt: [OperationID: SequenceNumber] = [:]
  /// This machine's clock, as somebody set it.
  private var clockStep = Duration.zero
  var storeClock = StoreClock()
  private var isMeasured = false
  private var clockOffset = Duration.zero
  /// Whether a write that fails ends the process, and takes the power with it.
  private var doom: (isPlanned: Bool, losesPower: Bool, downtime: Duration) = (
    false, false, .zero
  )
  private var wantsRound = false
  private(set) var roundsEnded = 0

  init(
    index: Int, policy: EnginePolicy, world: World, token: String,
    copying original: SimulatedDevice?
  ) {
    self.index = index
    self.world = world
    self.policy = policy
    self.token = token
    let random = SharedRandom(seed: world.scenario.seed &* 31 &+ UInt64(index) &+ 17)
    self.random = random
    hasSecondScreen = random.chance(0.3)
    id = original?.id ?? DeviceID("device-\(index)")
    cache =
      original?.cache.copy()
      ?? MemoryCache(
        identity: CacheIdentity(
          account: AccountName("alice"), owner: OutboxOwner("first screen"),
          newLineage: { Lineage("first-\(random.word())") }))
    secondScreen = cache.opened(by: OutboxOwner("second screen"))
    doneOnSecond = original?.doneOnSecond ?? []
    answeredAt = original?.answeredAt ?? [:]
    steps = CacheSteps(
      cache: cache, newLineage: { Lineage("later-\(random.word())") }, announces: true)
    core = EngineCore(policy: policy, random: { random.unit() })
    clockStep = original?.clockStep ?? .zero
    tokenEnds = original?.tokenEnds ?? false
  }

  var elapsed: Duration { world.scheduler.clock.elapsed }
  /// What this machine's clock says.
  var localTime: Timestamp { world.scheduler.clock.trueTime.advanced(by: clockStep) }
  /// The store's time, as this device knows it.
  var now: Timestamp { localTime.advanced(by: clockOffset) }
  var status: EngineStatus { core.status }

  /// The operations in the outbox, answered or not.
  var outbox: Set<OperationID> {
    Set(((try? cache.waitingOperations(limit: .max)) ?? []).map(\.id))
  }

  // MARK: Life

  func start() {
    guard !isRunning else { return }
    isRunning = true
    incarnation += 1
    signalRun += 1
    let random = random
    core = EngineCore(policy: policy, random: { random.unit() })
    pageAhead.dropHeld()
    storeClock = StoreClock()
    isMeasured = false
    world.note("device \(index) starts")
    clockOffset = (try? cache.syncState().clockOffset) ?? .zero
    checkBase()
    let now = now
    tellUntold()
    guard isRunning else { return }
    if let event = local({ (news) throws(CacheError) in try steps.start(now: now, &news) }) {
      handle(event)
    } else if isRunning {
      // As the engine does: it goes on, and tries the cache again.
      handle(.started(LocalSummary(), .paging))
      handle(.cacheFailed("the cache failed"))
    }
    tidy()
  }

  /// The process is killed; with `losesPower` also what the disk had not synced.
  func crash(losesPower: Bool) {
    guard isRunning else { return }
    let loss = unsynced.isEmpty ? "" : ", \(unsynced.count) operations not synced"
    world.note("device \(index) is killed\(losesPower ? " and loses power\(loss)" : "")")
    isRunning = false
    incarnation += 1
    isSigningIn = false
    wantsRound = false
    cache.failNoWrite()
    if losesPower {
      powerLosses += 1
      // Nobody was told that they are kept.
      for id in unsynced { world.judge.uncertain(id) }
      unsynced = []
      cache.loseUnsynced()
      watch.forget()
    }
  }

  /// Ends as a program ends: what it holds is sealed first.
  func quit() {
    guard isRunning else { return }
    keepingHeld(where: doneOnSecond.contains) { handle(.flushRequested) }
  }

  func resume() { if isRunning { handle(.resumed) } }

  func setClock(by change: Duration) { clockStep += change }

  /// Lets the write after the next `count` to the cache fail. With `kills` the process ends there.
  func failWrite(
    after count: Int, kills: Bool, afterCommit: Bool, losesPower: Bool, downtime: Duration
  ) {
    doom = (kills, losesPower, downtime)
    let error = CacheError.io(path: "memory", detail: kills ? "killed" : "full")
    cache.failWrite(after: count, keeping: kills && afterCommit, error)
  }

  /// Asks for a round; ``roundsEnded`` counts it when it is over.
  func askForRound() {
    guard isRunning else { return }
    wantsRound = true
    handle(.syncRequested)
  }

  var isInRound: Bool { wantsRound }

  func settle() {
    guard isRunning else { return }
    let now = now
    let summary = local { (news) throws(CacheError) in
      try steps.summary(now: now, &news)
    }
    if isRunning { handle(summary.map { .settled($0) } ?? .cacheFailed("the cache failed")) }
  }

  // MARK: Stepping

  /// What one event may lead to at once.
  private static let stepsMax = 1000

  func handle(_ event: EngineCore.Event) {
    var events = [event]
    var count = 0
    while !events.isEmpty, isRunning {
      count += 1
      guard count <= Self.stepsMax else {
        world.judge.violate("device \(index) goes round in circles at \(events[0])")
        crash(losesPower: false)
        return
      }
      let next = events.removeFirst()
      let actions = core.handle(next, at: elapsed, now: now)
      for action in actions where isRunning {
        if let answer = perform(action) { events.append(answer) }
      }
    }
    arm()
    signInIfAsked()
    if let contradiction = cache.contradiction() {
      world.judge.violate("device \(index): \(contradiction)")
    }
    var isSettled = false
    if case .settled = event { isSettled = isRunning }
    checkShown(isSettled: isSettled)
  }

  private func arm() {
    timer += 1
    guard isRunning, let wake = core.wakeAt(at: elapsed, now: now) else { return }
    let armed = timer
    world.scheduler.after(wake - elapsed) { [self] in
      if armed == timer, isRunning { handle(.woke) }
    }
  }

  /// The person sees that the store wants it, and does it sooner or later.
  private func signInIfAsked() {
    guard isRunning, !isSigningIn else { return }
    switch core.status.connection {
    case .signInAgain, .signedOut: break
    case .connecting, .live, .polling, .firstSync, .offline: return
    }
    isSigningIn = true
    let asked = incarnation
    world.scheduler.after(random.milliseconds(500...20_000)) { [self] in
      guard asked == incarnation, isRunning else { return }
      isSigningIn = false
      world.signIn(self)
      handle(.signedIn)
    }
  }

  private func perform(_ action: EngineCore.Action) -> EngineCore.Event? {
    switch action {
    case .register: register()
    case .openSignals: openSignals()
    case .closeSignals: signalRun += 1
    case .roundEnded(let outcome):
      if wantsRound {
        wantsRound = false
        roundsEnded += 1
        world.note("device \(index): the round ended: \(outcome)")
      }
    case .pullFirstSync, .pullChanges, .takeEnclosed, .send, .settle, .rebuildBase, .renumber,
      .startNewLineage, .refuseFirst:
      return performOnCache(action)
    }
    return nil
  }

  private func performOnCache(_ action: EngineCore.Action) -> EngineCore.Event? {
    let now = now
    let step = local { (news) throws(CacheError) in
      try steps.perform(action, now: now, &news)
    }
    guard let step else { return EngineCore.failure(of: action, "the cache failed") }
    switch step {
    case .event(let event): return event
    case .pull(let asked, let generation): pull(asked, generation)
    case .take(let answer, let asked, let generation):
      world.note("device \(index) needs not ask")
      return take(answer, to: asked, generation)
    case .send(let batch): send(batch)
    case .none: break
    }
    return nil
  }

  /// Runs a step; nil when the cache fails, which may have ended the process.
  func local<Value>(
    _ body: (inout CacheSteps.News) throws(CacheError) -> Value
  ) -> Value? {
    var news = CacheSteps.News()
    do throws(CacheError) {
      let value = try body(&news)
      hear(news)
      return value
    } catch {
      world.note("device \(index): \(error)")
      if doom.isPlanned {
        doom.isPlanned = false
        crash(losesPower: doom.losesPower)
        world.scheduler.after(doom.downtime) { [self] in start() }
      } else {
        hear(news)
      }
      return nil
    }
  }

  /// What a killed process could not say is told at the next start, as a screen does it.
  private func tellUntold() { if let untold = try? cache.untold() { tell(untold) } }

  /// The person is told, and only then that is remembered.
  private func tell(_ rejected: [RejectedOperation]) {
    guard !rejected.isEmpty else { return }
    world.judge.rejected(rejected)
    _ = local { (_) throws(CacheError) in try cache.markTold(rejected.map(\.operation.id)) }
  }

  private func hear(_ news: CacheSteps.News) {
    tell(news.rejected)
    guard isRunning else { return }
    judging { try watch.rang(for: news.arrivals, cache: cache, store: world.store) }
    guard hasSecondScreen, !news.arrivals.isEmpty else { return }
    // Another screen of the machine hears of the change, and would ring as well (SYNC-16).
    let claimed = local { (_) throws(CacheError) in
      try cache.claimAnnouncements(news.arrivals) + cache.claimTrayAnnouncements(limit: 3)
    }
    judging { try watch.rang(for: claimed ?? [], cache: cache, store: world.store) }
  }

  func tidy() {
    let needsSweep = (try? cache.syncState().needsSweep) ?? false
    while isRunning {
      let now = now
      let hasMore = local { (news) throws(CacheError) in try steps.tidy(now: now, &news) }
      if hasMore != true { break }
    }
    if needsSweep {
      // After what is being handled, whose summary is of the time before the sweep.
      let swept = incarnation
      world.scheduler.after(.zero) { [self] in if swept == incarnation { settle() } }
    }
    judging { try watch.committed([], cache: cache, store: world.store) }
  }

  /// As the engine does: small differences of the clocks are not worth a transaction.
  func noteClock(date: Timestamp, sent: Timestamp) {
    storeClock.observe(date: date, sent: sent, received: localTime)
    let difference = storeClock.offset - clockOffset
    let step = Duration.milliseconds(50)
    guard difference > step || difference < .zero - step else { return }
    clockOffset = storeClock.offset
    let offset = clockOffset
    _ = local { (_) throws(CacheError) in try cache.setClockOffset(offset) }
  }
}
