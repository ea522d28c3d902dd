import BellhopCache
import BellhopModel
import BellhopSync

/// What goes wrong, each with its probability for one request or one signal.
struct Faults: Hashable {
  var requestLost = 0.0
  var answerLost = 0.0
  var duplicated = 0.0
  var delayed = 0.0
  var refused = 0.0
  var signalLost = 0.0

  static let none = Faults()

  /// A subset of the faults, chosen by the seed.
  static func chosen(by random: SharedRandom) -> Faults {
    func some(_ most: Double) -> Double { random.chance(0.6) ? random.unit() * most : 0 }
    return Faults(
      requestLost: some(0.2), answerLost: some(0.25), duplicated: some(0.25),
      delayed: some(0.3), refused: some(0.2), signalLost: some(0.5))
  }
}

/// A store, its devices and the network between them, on one thread with a virtual clock.
final class World {
  let scheduler = Scheduler()
  let random: SharedRandom
  let judge = Judge()
  let store: SimulatedStore
  private(set) var devices: [SimulatedDevice] = []
  var faults: Faults
  private(set) var trace = Trace()

  init(seed: UInt64, devices count: Int) throws {
    random = SharedRandom(seed: seed)
    faults = Faults.chosen(by: random)
    store = try SimulatedStore(clock: scheduler.clock, random: random)
    store.judge = judge
    for index in 0..<count {
      let policy = random.chance(0.7) ? EnginePolicy() : .polling
      devices.append(SimulatedDevice(index: index, policy: policy, world: self))
    }
    store.signal = { [unowned self] in raiseSignals() }
  }

  func note(_ text: String) { trace.add(text, at: scheduler.clock.elapsed) }

  func isReachable(_ device: SimulatedDevice) -> Bool { !device.isPartitioned }

  // MARK: Network

  /// Carries a request to the store and its answer back, or fails on the way.
  func exchange<Answer>(
    _ name: String, of device: SimulatedDevice,
    _ body: @escaping () -> Result<Answer, TransportError>,
    _ finish: @escaping (Result<Answer, TransportError>) -> Void
  ) {
    let there = latency()
    let back = latency()
    guard isReachable(device) else {
      scheduler.after(.milliseconds(3)) { finish(.failure(.offline("no route"))) }
      return
    }
    if random.chance(faults.requestLost) {
      note("\(name) of device \(device.index) is lost")
      scheduler.after(.seconds(30)) { finish(.failure(.timedOut)) }
      return
    }
    if random.chance(faults.refused) {
      let error = refusal()
      scheduler.after(there + back) { finish(.failure(error)) }
      return
    }
    let isAnswerLost = random.chance(faults.answerLost)
    if random.chance(faults.duplicated) {
      // The copy may arrive before the original or long after what followed it.
      scheduler.after(random.milliseconds(1...40_000)) { [self] in
        note("a copy of \(name) of device \(device.index) arrives")
        _ = body()
      }
    }
    scheduler.after(there) { [self] in
      let result = body()
      let isCut = isAnswerLost || !isReachable(device)
      if isCut { note("the answer to \(name) of device \(device.index) is lost") }
      let wait = isCut ? random.milliseconds(10...30_000) : back
      let failure: TransportError = random.chance(0.5) ? .timedOut : .badAnswer("cut off")
      scheduler.after(wait) { finish(isCut ? .failure(failure) : result) }
    }
  }

  private func latency() -> Duration {
    random.chance(faults.delayed) ? random.milliseconds(200...20_000) : random.milliseconds(1...80)
  }

  private func refusal() -> TransportError {
    switch random.number(0...3) {
    case 0: .throttled(retryAfter: .seconds(random.number(1...20)))
    case 1: .throttled(retryAfter: nil)
    case 2: .server(status: 503, message: "not now")
    default: .server(status: 500, message: "broken")
    }
  }

  private func raiseSignals() {
    let (epoch, sequence) = (store.epoch, store.sequence)
    for device in devices where isReachable(device) && !random.chance(faults.signalLost) {
      for _ in 0..<(random.chance(faults.duplicated) ? 2 : 1) {
        scheduler.after(latency()) { device.hear(epoch, sequence) }
      }
    }
  }

  // MARK: Agreement

  /// What keeps the devices from being equal to the store; nil when all are.
  func disagreement(over ids: [NotificationID]) throws -> String? {
    let live = try store.liveItems()
    let settings = try store.appSettings()
    let (counters, rows) = try store.counted()
    if counters != rows {
      return "the store counts \(counters as Any) where there are \(rows)"
    }
    for device in devices {
      let counts = try device.cache.outboxCounts()
      if counts.unsent + counts.settling > 0 {
        return "device \(device.index) holds \(counts)"
      }
      if try device.cache.syncState().firstSync != nil {
        return "device \(device.index) is in its first synchronisation"
      }
      let known = try device.cache.appSettings()
      if known != settings {
        return "device \(device.index) has settings \(known) instead of \(settings)"
      }
      for id in ids {
        let cached = try device.cache.item(id)
        if let text = difference(cached?.notification, live[id], base: cached?.base) {
          return "device \(device.index) disagrees: \(text)"
        }
      }
    }
    return nil
  }

  private func difference(
    _ shown: UserNotification?, _ stored: UserNotification?, base: ItemState?
  ) -> String? {
    guard let shown else { return stored.map { "\($0.shortNumber) is missing" } }
    guard let stored else {
      let what = store.isTombstone(shown.id) ? "deleted" : "forgotten"
      return "#\(shown.shortNumber), \(what) by the store, is still shown: \(shown.state)"
    }
    if shown.content != stored.content {
      return "#\(shown.shortNumber) shows \(shown.content) instead of \(stored.content)"
    }
    if shown != stored || base != stored.state {
      return "#\(shown.shortNumber) shows \(shown.state) over \(base.map { "\($0)" } ?? "") "
        + "instead of \(stored.state)"
    }
    return nil
  }
}
