import BellhopCache
import BellhopModel
package import BellhopNetwork
import BellhopStore
import BellhopSync

/// A store, its devices and the network between them, on one thread with a virtual clock.
final class World {
  let scenario: Scenario
  let scheduler: Scheduler
  let judge = Judge()
  let store: SimulatedStore
  private(set) var devices: [SimulatedDevice] = []
  var rates: FaultRates
  private(set) var trace = Trace()
  /// Whether a clock of the store or of a device was set.
  var wasClockSet = false
  /// The random numbers for signals and races.
  private let random: SharedRandom
  /// The random numbers for events in the middle of a sweep.
  private let gaps: SharedRandom
  /// Publishes an item while a bulk operation is in progress.
  var publishBetween: () -> Void = {}
  /// Publishes an item again, or pins it, when a sweep is about to remove it.
  var renew: (NotificationID) -> Void = { _ in }

  init(
    _ scenario: Scenario,
    host: (WorldClock, SharedRandom, StoreLimits) throws -> any StoreHost
  ) throws {
    self.scenario = scenario
    let clock = WorldClock()
    scheduler = Scheduler(clock: clock)
    random = SharedRandom(seed: scenario.seed &* 7 &+ 3)
    gaps = SharedRandom(seed: scenario.seed &* 13 &+ 7)
    rates = FaultRates(of: scenario.faults, by: SharedRandom(seed: scenario.seed &* 5 &+ 1))
    let limits = SimulatedStore.limits(of: scenario)
    let host = try host(clock, SharedRandom(seed: scenario.seed &* 3 &+ 2), limits)
    try (host as? SharedHost)?.open(on: scheduler)
    store = SimulatedStore(host: host, limits: limits, clock: clock, judge: judge)
    for _ in 0..<scenario.deviceCount {
      // Some devices poll; the seed decides which.
      var policy = random.chance(0.7) ? EnginePolicy() : .polling
      if scenario.hasDevelopment, devices.isEmpty { policy.environment = .development }
      try addDevice(policy: policy, copying: nil)
    }
    scheduler.isLive = { [unowned self] in
      judge.violate("the world does not come to rest: too many events in one second")
    }
    if let shared = store.shared {
      follow(shared)
    } else {
      store.signal = { [unowned self] in raiseSignals(except: $0) }
    }
    judge.held = { [unowned self] in Set(devices.flatMap(\.outbox)) }
    store.restarted = { [unowned self] in
      for device in devices { device.connectionLost() }
    }
  }

  private func addDevice(policy: EnginePolicy, copying original: SimulatedDevice?) throws {
    let id = original?.id ?? DeviceID("device-\(devices.count)")
    let token = try original?.token ?? store.host.signIn(id, expires: nil)
    devices.append(
      SimulatedDevice(
        index: devices.count, policy: policy, world: self, token: token, copying: original))
  }

  /// Releases the devices and all planned events.
  ///
  /// They refer to the world, which refers to them; otherwise a campaign of thousands of runs would
  /// keep them all in memory.
  func dissolve() {
    store.shared?.dissolve()
    devices = []
    scheduler.forgetAll()
  }

  /// Adds a second machine with a copy of the device's home directory.
  func copyHome(of device: SimulatedDevice) throws {
    try addDevice(policy: device.policy, copying: device)
    judge.copied(from: device.index)
  }

  func note(_ text: String) { trace.add(text, at: scheduler.clock.elapsed) }

  /// Ends all faults of the network.
  func endFaults() {
    rates = .none
    store.shared?.endFaults()
  }

  /// Signs the device in. Its copies have the token as well.
  ///
  /// - Parameter then: Called when it has the token, or when the store was killed.
  func signIn(
    _ device: SimulatedDevice, expires: Timestamp? = nil, then: @escaping () -> Void = {}
  ) {
    note("device \(device.index) is signed in")
    store.signIn(device, expires: expires) { token in
      if let token {
        device.token = token
        device.tokenEnds = expires != nil
      }
      then()
    }
  }

  // MARK: Network

  /// Carries a request to the store and the response back, or fails on the way.
  ///
  /// A response comes with the store's date, to the second.
  func exchange<Answer>(
    _ name: String, of device: SimulatedDevice,
    _ body: @escaping (_ answer: @escaping (Result<Answer, TransportError>) -> Void) -> Void,
    _ finish: @escaping (Result<Answer, TransportError>, Timestamp?) -> Void
  ) {
    let random = device.random
    let there = latency(random)
    let back = latency(random)
    let isLost = random.chance(rates[.requestLost])
    let isRefused = random.chance(rates[.refused])
    let isAnswerLost = random.chance(rates[.answerLost])
    let isDuplicated = random.chance(rates[.duplicated])
    guard !device.isPartitioned else {
      return scheduler.after(.milliseconds(3)) {
        finish(.failure(.offline(.noRoute(.simulated))), nil)
      }
    }
    if isLost {
      note("\(name) of device \(device.index) is lost")
      return scheduler.after(.seconds(30)) { finish(.failure(.timedOut), nil) }
    }
    if isRefused {
      let error = store.host.refusal(refusal(random))
      return scheduler.after(there + back) { finish(.failure(error), nil) }
    }
    if isDuplicated {
      // The copy may arrive before the original, or long after later requests.
      scheduler.after(random.milliseconds(1...40_000)) { [self] in
        note("a copy of \(name) of device \(device.index) arrives")
        body { _ in }
      }
    }
    scheduler.after(there) {
      body { [self] result in
        answer(name, result, to: device, isLost: isAnswerLost, after: back, finish)
      }
    }
  }

  private func answer<Answer>(
    _ name: String, _ result: Result<Answer, TransportError>, to device: SimulatedDevice,
    isLost: Bool, after back: Duration,
    _ finish: @escaping (Result<Answer, TransportError>, Timestamp?) -> Void
  ) {
    let random = device.random
    let date = Timestamp(seconds: scheduler.clock.now.milliseconds / 1000)
    let isCut = isLost || device.isPartitioned
    if isCut { note("the answer to \(name) of device \(device.index) is lost") }
    let (isSilent, part) = (random.chance(0.5), random.unit())
    let cut = isCut && !isSilent ? store.host.cutAnswer(at: part) : .timedOut
    if cut == nil { judge.violate("a part of the answer to \(name) was accepted as complete") }
    let failure = cut ?? .timedOut
    let wait = isCut ? random.milliseconds(10...30_000) : back
    scheduler.after(wait) {
      if isCut { finish(.failure(failure), nil) } else { finish(result, date) }
    }
  }

  private func latency(_ random: SharedRandom) -> Duration {
    let quick = random.milliseconds(1...80)
    let slow = random.milliseconds(200...20_000)
    return random.chance(rates[.delayed]) ? slow : quick
  }

  private func refusal(_ random: SharedRandom) -> Refusal {
    switch random.number(0...4) {
    case 0: .tooMany(random.number(1...20))
    case 1: .tooMany(nil)
    case 2: .unavailable(random.number(1...20))
    case 3: .unavailable(nil)
    default: .broken  // open: Int
    }
  }

  /// Raises signals as the hub does.
  ///
  /// The device that made a change, and its copies, receive no signal. The signals of the other
  /// devices enclose the changes since their previous signal.
  private func raiseSignals(except source: DeviceID?) {
    let (epoch, sequence) = (store.epoch, store.sequence)
    for device in devices {
      let before = device.signalled
      device.signalled = sequence
      if device.id == source { continue }
      let enclosed = before < sequence ? store.enclosure(after: before) : nil
      let signal = SignalEvent.changed(epoch, sequence, enclosed)
      let isLost = random.chance(rates[.signalLost])
      let count = random.chance(rates[.duplicated]) ? 2 : 1
      let waits = (0..<count).map { _ in latency(random) }
      if device.isPartitioned || isLost { continue }
      let connection = device.signalRun
      for wait in waits { scheduler.after(wait) { device.hear(signal, on: connection) } }
    }
  }

  /// Connects the devices to the processes of a store.
  private func follow(_ shared: SharedHost) {
    shared.storage.rates = rates
    shared.note = { [unowned self] in note($0) }
    shared.heard = { [unowned self] in carry($0, to: devices[$1], on: $2) }
    shared.streamEnded = { [unowned self] index, connection in
      guard devices.indices.contains(index) else { return }
      let device = devices[index]
      scheduler.after(random.milliseconds(1...80)) {
        if device.signalRun == connection { device.connectionLost() }
      }
    }
  }

  /// Carries a signal of a process to a device.
  private func carry(_ signal: Signal, to device: SimulatedDevice, on connection: Int) {
    let event = SignalEvent.changed(signal.epoch, signal.sequence)
    let isLost = random.chance(rates[.signalLost])
    let count = random.chance(rates[.duplicated]) ? 2 : 1
    let waits = (0..<count).map { _ in latency(random) }
    if device.isPartitioned || isLost { return }
    for wait in waits { scheduler.after(wait) { device.hear(event, on: connection) } }
  }

  /// Lets other writes occur between the chunks of a bulk operation.
  func race() {
    if random.chance(rates[.bulkRace]) { publishBetween() }
  }

  /// Sweeps the store. A publisher may renew an item that is about to leave, and a user may pin it.
  func sweep() {
    store.sweep { [unowned self] leaving in
      if gaps.chance(rates[.bulkRace]), let id = gaps.pick(leaving) { renew(id) }
    }
  }

  // MARK: Agreement

  /// Returns the first difference between the devices and the store; nil if there is none.
  ///
  /// - Parameter aboutPlaces: As for one device.
  func disagreement(of devices: [SimulatedDevice], aboutPlaces: Bool) throws -> String? {
    let settings = try store.appSettings()
    if let error = try store.countingError() { return error }
    for device in devices {
      if let text = try disagreement(of: device, over: settings, aboutPlaces: aboutPlaces) {
        return text
      }
    }
    return nil
  }

  /// Returns the first difference between a device and the store; nil if there is none.
  ///
  /// - Parameter aboutPlaces: Whether to check placements by the store's clock. A device learns
  ///   that the clock was set with the response to its next request.
  func disagreement(of device: SimulatedDevice, aboutPlaces: Bool) throws -> String? {
    try disagreement(of: device, over: try store.appSettings(), aboutPlaces: aboutPlaces)
  }

  private func disagreement(
    of device: SimulatedDevice, over settings: [AppSettings], aboutPlaces: Bool
  ) throws -> String? {
    let name = "device \(device.index)"
    let counts = try device.cache.outboxCounts()
    if counts.unsent + counts.settling > 0 { return "\(name) holds \(counts)" }
    let state = try device.cache.syncState()
    if state.firstSync != nil { return "\(name) is in its first synchronisation" }
    if state.needsSweep { return "\(name) has not swept" }
    let known = try device.cache.appSettings()
    if known != settings { return "\(name) has settings \(known) instead of \(settings)" }
    if let left = device.cache.allItems().first(where: { $0.base.sequence == .zero }) {
      return "\(name) still has \(left.id) to itself"
    }
    for id in store.published {
      let cached = try device.cache.item(id)
      let stored = store.truth.live(id, for: device.policy.environment)
      if let text = difference(
        cached, stored, aboutPlaces: aboutPlaces, zone: device.zone.offset)
      {
        return "\(name): \(text)"
      }
    }
    return nil
  }

  private func difference(
    _ cached: CachedItem?, _ stored: UserNotification?, aboutPlaces: Bool, zone: Int
  ) -> String? {
    guard let cached else { return stored.map { "#\($0.shortNumber) is missing" } }
    let shown = cached.notification
    guard let stored else {
      let what = store.truth.isTombstone(shown.id) ? "deleted" : "forgotten"
      return "#\(shown.shortNumber), \(what) by the store, is still here"
    }
    if shown.content != stored.content {
      return "#\(shown.shortNumber) shows \(shown.content) instead of \(stored.content)"
    }
    // An occurrence may just have come on one side, and not yet on the other.
    let now = scheduler.clock.now
    let times = [-3, 0, 3].map { now.advanced(by: .seconds($0)) }
    let labels =
      aboutPlaces
      ? times.map { PlainOccurrence.label(stored, at: $0, zone: zone) }
      : [cached.version.occurrence ?? .beforeFirst]
    let versions = labels.map { PlainOccurrence.counted(stored, for: $0) }
    if !versions.contains(shown) || cached.base != stored.state {
      return "#\(shown.shortNumber) shows \(shown.state) over \(cached.base) "
        + "instead of \(stored.state)"
    }
    guard aboutPlaces else { return nil }
    // The same applies to its placement.
    let places = Set(times.map { PlainPlacement.of(stored, at: $0, zone: zone) })
    if !places.contains(cached.placement) {
      return "#\(shown.shortNumber) is in \(cached.placement) instead of \(places)"
    }
    return nil
  }
}

extension NetworkPeer {
  /// The address of every simulated store.
  package static let simulated = NetworkPeer.socket(path: "/simulated")
}
