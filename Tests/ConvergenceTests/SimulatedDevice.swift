import BellhopCache
import BellhopModel
import BellhopSync
import BellhopTestSupport

/// One install of a client: the real core and the real cache steps, stepped by events.
final class SimulatedDevice {
  let index: Int
  let id: DeviceID
  let cache: MemoryCache
  private let world: World
  private let steps: CacheSteps
  private let policy: EnginePolicy
  private var core: EngineCore
  /// Counts starts: an answer to an earlier one reaches nobody.
  private(set) var incarnation = 0
  private(set) var isRunning = false
  private(set) var requests = 0
  private var signalRun = 0
  private var timer = 0
  /// Whether the person keeps this device away from the network.
  var isPartitioned = false
  private(set) var crashes = 0

  init(index: Int, policy: EnginePolicy, world: World) {
    self.index = index
    self.world = world
    self.policy = policy
    id = DeviceID("device-\(index)")
    let random = world.random
    cache = MemoryCache(
      identity: CacheIdentity(
        account: AccountName("alice"), newLineage: { Lineage("first-\(random.word())") }))
    steps = CacheSteps(
      cache: cache, newLineage: { Lineage("later-\(random.word())") }, announces: true)
    core = EngineCore(policy: policy, random: { random.unit() })
  }

  var now: Timestamp { world.scheduler.clock.now }
  var status: EngineStatus { core.status }

  // MARK: Life

  func start() {
    guard !isRunning else { return }
    isRunning = true
    incarnation += 1
    signalRun += 1
    let random = world.random
    core = EngineCore(policy: policy, random: { random.unit() })
    world.note("device \(index) starts")
    if let event = local({ (news) throws(CacheError) in try steps.start(now: now, &news) }) {
      handle(event)
    }
    tidy()
  }

  /// The process is killed; with `losesPower` also what the disk had not synced.
  func crash(losesPower: Bool) {
    guard isRunning else { return }
    world.note("device \(index) crashes\(losesPower ? " and loses power" : "")")
    isRunning = false
    incarnation += 1
    crashes += 1
    if losesPower {
      cache.loseUnsynced()
      world.judge.lostUnsynced(on: index)
    }
  }

  func resume() { if isRunning { handle(.resumed) } }

  func resetRequests() { requests = 0 }

  // MARK: What the person does

  /// Writes an operation to the outbox, as any process on the machine may.
  func perform(_ operation: Operation, sealAfter: Duration?) {
    _ = local { (_) throws(CacheError) in
      try cache.enqueue([operation], now: now, sealAfter: sealAfter)
    }
    settle()
  }

  func cancel(_ id: OperationID) -> Bool {
    let cancelled = local { (_) throws(CacheError) in try cache.cancel(id, now: now) }
    settle()
    return cancelled.flatMap { $0 } != nil
  }

  private func settle() {
    guard isRunning else { return }
    let summary = local { (news) throws(CacheError) in
      try steps.summary(sealAll: false, now: now, &news)
    }
    if let summary { handle(.settled(summary)) }
  }

  // MARK: Stepping

  func handle(_ event: EngineCore.Event) {
    var events = [event]
    while !events.isEmpty, isRunning {
      let next = events.removeFirst()
      let actions = core.handle(next, at: world.scheduler.clock.elapsed, now: now)
      for action in actions {
        if let answer = perform(action) { events.append(answer) }
      }
    }
    arm()
  }

  private func arm() {
    timer += 1
    guard isRunning,
      let wake = core.wakeAt(at: world.scheduler.clock.elapsed, now: now)
    else { return }
    let armed = timer
    world.scheduler.after(wake - world.scheduler.clock.elapsed) { [self] in
      if armed == timer, isRunning { handle(.woke) }
    }
  }

  private func perform(_ action: EngineCore.Action) -> EngineCore.Event? {
    switch action {
    case .register:
      request("register") { [self] in
        world.store.register(id)
      } then: { [self] author in
        do throws(CacheError) {
          try cache.setAuthor(author)
          return .registered
        } catch {
          return .cacheFailed(error.description)
        }
      } orElse: {
        .registrationFailed($0)
      }
    case .openSignals: openSignals()
    case .closeSignals: signalRun += 1
    case .roundEnded: break
    default: return performOnCache(action)
    }
    return nil
  }

  private func performOnCache(_ action: EngineCore.Action) -> EngineCore.Event? {
    let step = local { (news) throws(CacheError) in
      try steps.perform(action, now: now, &news)
    }
    guard let step else { return .cacheFailed("the cache failed") }
    switch step {
    case .event(let event): return event
    case .pull(let asked, let generation):
      request("pull") { [self] in
        world.store.pull(asked)
      } then: { [self] answer in
        take(answer, to: asked, generation)
      } orElse: {
        .pullFailed($0)
      }
    case .send(let batch):
      request("send") { [self] in
        world.store.send(batch, from: id)
      } then: { [self] answer in
        let summary = local { (news) throws(CacheError) in
          try steps.take(answer, to: batch, now: now, &news)
          return try steps.summary(sealAll: false, now: now, &news)
        }
        return summary.map { .sent($0) } ?? .sendFailed(.cache("the cache failed"))
      } orElse: {
        .sendFailed($0)
      }
    case .none: break
    }
    return nil
  }

  private func take(
    _ answer: PullAnswer, to asked: ChangeChunk.Request, _ generation: Int64
  ) -> EngineCore.Event {
    let chunks = ChangeChunk.chunks(
      of: answer.changes, request: asked, generation: generation, end: answer.end)
    world.note("device \(index) takes \(answer.changes.count) changes of \(asked.words)")
    let event = local { (news) throws(CacheError) -> EngineCore.Event in
      var applied = 0
      var isCurrent = true
      for chunk in chunks where isCurrent {
        let outcome = try steps.take(chunk, now: now, &news)
        applied += outcome.changed.count
        isCurrent = outcome.isCurrent
        world.judge.committed(
          outcome.changed, on: index, cache: cache, store: world.store)
      }
      return try steps.finish(
        answer, applied: applied, isCurrent: isCurrent, now: now, &news)
    }
    tidy()
    return event ?? .pullFailed(.cache("the cache failed"))
  }

  private func tidy() {
    while local({ (news) throws(CacheError) in try steps.tidy(now: now, &news) }) == true {}
  }

  /// Runs a step; nil when the cache fails.
  private func local<Value>(
    _ body: (inout CacheSteps.News) throws(CacheError) -> Value
  ) -> Value? {
    var news = CacheSteps.News()
    defer { world.judge.rejected(news.rejected) }
    return try? body(&news)
  }

  // MARK: Network

  private func request<Answer>(
    _ name: String, _ body: @escaping () -> Result<Answer, TransportError>,
    then: @escaping (Answer) -> EngineCore.Event,
    orElse: @escaping (TransportError) -> EngineCore.Event
  ) {
    requests += 1
    let asked = incarnation
    world.exchange(name, of: self, body) { [self] result in
      guard asked == incarnation else { return }
      switch result {
      case .success(let answer):
        world.note("device \(index) \(name) answered")
        handle(then(answer))
      case .failure(let error):
        world.note("device \(index) \(name) failed: \(error)")
        handle(orElse(error))
      }
    }
  }

  private func openSignals() {
    signalRun += 1
    let run = signalRun
    requests += 1
    let asked = incarnation
    func isThis() -> Bool { run == signalRun && asked == incarnation && isRunning }
    world.scheduler.after(world.random.milliseconds(5...200)) { [self] in
      guard isThis() else { return }
      guard world.isReachable(self) else { return handle(.signalsEnded(.offline("no way"))) }
      handle(.signal(.opened))
      guard isThis() else { return }
      handle(.signal(.changed(world.store.epoch, world.store.sequence)))
      beat(while: isThis)
    }
  }

  private func beat(while isThis: @escaping () -> Bool) {
    world.scheduler.after(.seconds(25)) { [self] in
      guard isThis() else { return }
      // In a partition the beats are missing, and only the silence says so.
      if world.isReachable(self) { handle(.signal(.heartbeat)) }
      beat(while: isThis)
    }
  }

  /// A signal on its way to this device; nobody hears it without an open channel.
  func hear(_ epoch: Epoch, _ sequence: SequenceNumber) {
    guard isRunning, policy == EnginePolicy() else { return }
    handle(.signal(.changed(epoch, sequence)))
  }
}

extension ChangeChunk.Request {
  /// Which pull it is, for the trace.
  fileprivate var words: String {
    switch self {
    case .page(nil): "the first page"
    case .page: "a page"
    case .delta: "a delta"
    }
  }
}
