import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync
import Synchronization

/// The time zone of a simulated machine, which has a constant offset from UTC.
final class DeviceZone: Sendable {
  private static let offsets = [0, 70, -130]
  private let place: Mutex<Int>

  init(_ place: Int) { self.place = Mutex(place) }

  /// The offset from UTC, in seconds.
  var offset: Int { Self.offsets[place.withLock { $0 } % Self.offsets.count] }

  var wallClock: WallClock {
    WallClock { [self] instant, zone in
      zone == nil ? offset : WallClock.simulated.offsetSeconds(instant, zone)
    }
  }

  /// Moves the machine to another zone.
  func travel() { place.withLock { $0 += 1 } }
}

/// A simulated client installation: the real core and the real cache steps, driven by events.
final class SimulatedDevice {
  let index: Int
  let id: DeviceID
  let cache: MemoryCache
  let world: World
  let steps: CacheSteps
  let policy: EnginePolicy
  /// The random numbers for everything that this device's engine and network do.
  let random: SharedRandom
  private(set) var core: EngineCore
  var watch = BaseWatch()
  /// The number of starts; responses to requests of an earlier start are dropped.
  private(set) var incarnation = 0
  private(set) var isRunning = false
  /// The number of power losses, each of which ends everything on the machine.
  private(set) var powerLosses = 0
  /// The number of requests since the last reset.
  var requests = 0
  var signalRun = 0
  /// The index of the store process to which it is connected.
  var process = 0
  /// The sequence up to which the store has signalled changes to this device.
  var signalled = SequenceNumber.zero
  private var timer = 0
  var pageAhead = PrefetchedPage<PrefetchedAnswer> { _ in }
  /// Whether the user keeps this device off the network.
  var isPartitioned = false
  /// The access token from the user's last sign-in.
  var token: String
  /// Whether the token expires by itself.
  var tokenEnds = false
  private var isSigningIn = false
  /// The operations since the disk was last known to have synced all of them.
  var unsynced: [OperationID] = []
  /// The possible sync times in milliseconds: some are longer than the exchange that follows.
  static let syncTimes = [0, 5, 50, 400, 2000, 5000, 10_000]
  let hasSecondScreen: Bool
  /// The cache as opened by a second screen.
  let secondScreen: MemoryCache
  var doneOnSecond: Set<OperationID>
  /// The change counters in the store's responses to operations of this device.
  var answeredAt: [OperationID: SequenceNumber] = [:]
  /// The adjustment of this machine's clock by faults.
  private var clockStep = Duration.zero
  /// The time zone of this machine; a copied home moves with the original.
  let zone: DeviceZone
  var storeClock = StoreClock()
  private var isMeasured = false
  private var clockOffset = Duration.zero
  /// Whether a failing write ends the process, and whether the power fails with it.
  private var plannedCrash: (isPlanned: Bool, losesPower: Bool, downtime: Duration) = (
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
    let zone = original?.zone ?? DeviceZone(world.scenario.hasTriggers ? index : 0)
    self.zone = zone
    id = original?.id ?? DeviceID("device-\(index)")
    cache =
      original?.cache.copy()
      ?? MemoryCache(
        identity: CacheIdentity(
          account: AccountName("alice"), wallClock: zone.wallClock,
          owner: OutboxOwner("first screen"),
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
  /// The time of this machine's clock.
  var localTime: Timestamp { world.scheduler.clock.trueTime.advanced(by: clockStep) }
  /// The store's time, as this device knows it.
  var now: Timestamp { localTime.advanced(by: clockOffset) }
  var status: EngineStatus { core.status }

  /// The operations in the outbox, answered or not.
  var outbox: Set<OperationID> {
    Set(((try? cache.waitingOperations(limit: .max)) ?? []).map(\.id))
  }

  /// The device as a process of the store knows it.
  var sender: SharedHost.Sender {
    SharedHost.Sender(index: index, id: id, token: token, process: process)
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
    tellUnreported()
    guard isRunning else { return }
    if let event = local({ (news) throws(CacheError) in try steps.start(now: now, &news) }) {
      handle(event)
    } else if isRunning {
      // As the engine does: continues, and tries the cache again.
      handle(.started(LocalSummary(), .paging))
      handle(.cacheFailed("the cache failed"))
    }
    tidy()
  }

  /// Kills the process; with `losesPower`, unsynced writes are lost as well.
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
      // The user has not been shown that these operations are stored.
      for id in unsynced { world.judge.uncertain(id) }
      unsynced = []
      cache.loseUnsynced()
      watch.forget()
    }
  }

  /// Quits as the program does: seals held operations first.
  func quit() {
    guard isRunning else { return }
    keepingHeld(where: doneOnSecond.contains) { handle(.flushRequested) }
  }

  func resume() { if isRunning { handle(.resumed) } }

  func setClock(by change: Duration) { clockStep += change }

  /// Makes the write to the cache after the next `count` fail; with `kills`, the process ends
  /// there.
  func failWrite(
    after count: Int, kills: Bool, afterCommit: Bool, losesPower: Bool, downtime: Duration
  ) {
    plannedCrash = (kills, losesPower, downtime)
    let error = CacheError.io(path: "memory", detail: kills ? "killed" : "full")
    cache.failWrite(after: count, keeping: kills && afterCommit, error)
  }

  /// Requests a round; ``roundsEnded`` counts it when it ends.
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

  /// The maximum number of steps that one event may cause at once.
  private static let stepsMax = 1000

  func handle(_ event: EngineCore.Event) {
    var events = [event]
    var count = 0
    while !events.isEmpty, isRunning {
      count += 1
      guard count <= Self.stepsMax else {
        world.judge.violate("device \(index) repeats itself at \(events[0])")
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

  /// Signs the user in after a while, if the store requests it.
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
      // A store with one process answers before the call returns.
      let isLater = world.store.shared != nil
      isSigningIn = isLater
      world.signIn(self) { [self] in
        if isLater {
          guard asked == incarnation, isRunning else { return }
          isSigningIn = false
        }
        handle(.signedIn)
      }
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
      world.note("device \(index) needs no request")
      return take(answer, to: asked, generation)
    case .send(let batch): send(batch)
    case .none: break
    }
    return nil
  }

  /// Runs a step; nil if the cache fails, which may have ended the process.
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
      if plannedCrash.isPlanned {
        plannedCrash.isPlanned = false
        crash(losesPower: plannedCrash.losesPower)
        world.scheduler.after(plannedCrash.downtime) { [self] in start() }
      } else {
        hear(news)
      }
      return nil
    }
  }

  /// Shows rejected operations from before the process was killed, as a screen does at its start.
  private func tellUnreported() {
    if let rejected = try? cache.unreportedRejections() { tell(rejected) }
  }

  /// Shows rejected operations to the user, and only then marks them as shown.
  private func tell(_ rejected: [RejectedOperation]) {
    guard !rejected.isEmpty else { return }
    world.judge.rejected(rejected)
    _ = local { (_) throws(CacheError) in try cache.markReported(rejected.map(\.operation.id)) }
  }

  private func hear(_ news: CacheSteps.News) {
    tell(news.rejected)
    guard isRunning else { return }
    judging { try watch.rang(for: news.arrivals, cache: cache, store: world.store) }
    guard hasSecondScreen, !news.arrivals.isEmpty else { return }
    // Another screen of the machine learns of the change, and would announce it as well (SYNC-16).
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
      // Defer until the current event is handled: its summary is from before the sweep.
      let swept = incarnation
      world.scheduler.after(.zero) { [self] in if swept == incarnation { settle() } }
    }
    judging { try watch.committed([], cache: cache, store: world.store) }
  }

  /// Measures the clock as the engine does: small differences are not worth a transaction.
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
