import BellhopCache
import BellhopModel
import BellhopSync

/// One run: a seed decides what publishers and people do and what goes wrong.
final class Simulation {
  struct Outcome {
    var hash: UInt64
    var violations: [String]
    var trace: [String]
    var operations: Int
    var requestsAfterHealing: Int
  }

  /// What people and publishers do in one run.
  static let stepsCount = 120
  /// After the faults end, all must agree within this time.
  static let healingMax = Duration.seconds(400)
  /// And with at most this many requests of each device.
  static let healingRequestsMax = 60

  private let world: World
  private var published: [NotificationID] = []
  private var titles = 0
  private var nextOperation: UInt64 = 0
  /// The last operation of each device, with the item as it was before.
  private var undoable: [Int: (operation: Operation, before: UserNotification)] = [:]
  private var random: SharedRandom { world.random }

  init(seed: UInt64, devices: Int = 3) throws {
    world = try World(seed: seed, devices: devices)
  }

  func run() throws -> Outcome {
    // A past to synchronise for the first time, in several pages.
    for _ in 0..<random.number(0...25) { try publish() }
    for device in world.devices {
      world.scheduler.after(random.milliseconds(0...30_000)) { device.start() }
    }
    for _ in 0..<Self.stepsCount {
      world.scheduler.run(until: world.scheduler.clock.elapsed + pause())
      try step()
      if !world.judge.violations.isEmpty { break }
    }
    try heal()
    return Outcome(
      hash: world.trace.hash, violations: world.judge.violations, trace: world.trace.lines,
      operations: Int(nextOperation),
      requestsAfterHealing: world.devices.map(\.requests).max() ?? 0)
  }

  private func pause() -> Duration {
    random.chance(0.7) ? random.milliseconds(1...800) : random.milliseconds(800...15_000)
  }

  // MARK: What happens

  private func step() throws {
    switch random.number(0...99) {
    case 0..<22: try publish()
    case 22..<30: try replace()
    case 30..<76: try handleSomething()
    case 76..<80: try configure()
    case 80..<84: try world.store.sweep()
    case 84..<90: togglePartition()
    case 90..<95: crash()
    case 95: try changeEpoch()
    case 96: try world.store.restart()
    case 97: try revoke()
    default: world.scheduler.run(until: world.scheduler.clock.elapsed + .seconds(90))
    }
  }

  private func publish() throws {
    titles += 1
    var content = Content(
      app: random.pick(["ci", "nas", "mail", "alias-of-nas"]) ?? "ci",
      appNotificationID: random.chance(0.6) ? "job-\(random.number(0...7))" : nil,
      visual: VisualContent(title: "title \(titles)"))
    if random.chance(0.15) { content.expiration = later(20...300) }
    if random.chance(0.1) { content.deliverAt = later(5...60) }
    if let deliver = content.deliverAt, let expires = content.expiration, deliver >= expires {
      content.deliverAt = nil
    }
    if random.chance(0.1) { content.displayTimeToLive = .seconds(random.number(5...60)) }
    try publish(content)
  }

  private func replace() throws {
    guard let id = random.pick(published), let old = world.store.item(id),
      let appID = old.content.appNotificationID
    else { return }
    titles += 1
    try publish(
      Content(
        app: old.content.app, appNotificationID: appID,
        visual: VisualContent(title: "title \(titles)")))
  }

  private func publish(_ content: Content) throws {
    let item = try world.store.publish(content, isQuiet: random.chance(0.15))
    if !published.contains(item.id) { published.append(item.id) }
    world.note("published \(content.visual?.title ?? "") as #\(item.shortNumber)")
  }

  private func configure() throws {
    let app = random.pick(["ci", "nas", "mail", "never-published"]) ?? "ci"
    var change = AppSettingsChange()
    switch random.number(0...5) {
    case 0: change.displayName = random.chance(0.3) ? .clear : .set("name \(titles)")
    case 1: change.mute = random.pick([.off, .forever, .until(later(5...400))])
    case 2: change.sound = random.chance(0.5)
    case 3: change.retentionDays = random.chance(0.5) ? .clear : .set(random.number(1...9))
    case 4: change.aliases = random.chance(0.5) ? [] : ["alias-of-\(app)"]
    default:
      change.quietHours = random.chance(0.3) ? .clear : quietHours().map { .set($0) } ?? .clear
    }
    world.note("\(app) is configured: \(change)")
    try world.store.configure(app, change)
  }

  private func quietHours() -> QuietHours? {
    guard let from = LocalTime(minutes: random.number(0...700)),
      let to = LocalTime(minutes: random.number(701...1439))
    else { return nil }
    return QuietHours(from: from, to: to, days: [.monday])
  }

  private func later(_ seconds: ClosedRange<Int>) -> Timestamp {
    world.scheduler.clock.now.advanced(by: .seconds(random.number(seconds)))
  }

  private func togglePartition() {
    guard let device = random.pick(world.devices) else { return }
    device.isPartitioned.toggle()
    world.note("device \(device.index) is \(device.isPartitioned ? "cut off" : "back")")
  }

  private func crash() {
    guard let device = random.pick(world.devices) else { return }
    device.crash(losesPower: random.chance(0.5))
    world.scheduler.after(random.milliseconds(10...20_000)) { device.start() }
  }

  private func changeEpoch() throws {
    world.note("the store begins another epoch")
    try world.store.beginEpoch()
  }

  private func revoke() throws {
    guard let device = random.pick(world.devices) else { return }
    world.note("device \(device.index) is revoked and signs in again")
    try world.store.revoke(device.id)
  }

  // MARK: What people do

  private func handleSomething() throws {
    guard let device = random.pick(world.devices) else { return }
    if random.chance(0.12) { return undo(on: device) }
    // Recent ones more often: people look at the top of the list.
    let recent = random.chance(0.7) ? Array(published.suffix(8)) : published
    guard let id = random.pick(recent), let item = try device.cache.item(id),
      !item.isPendingDelete, item.placement != .gone
    else { return }
    let verb = verb()
    let operation = Operation(
      id: operationID(), target: .item(id), mutation: verb.mutation,
      seen: item.notification.state.contentSequence)
    let title = item.notification.content.visual?.title
    world.note("device \(device.index): \(verb) of '\(title ?? "")'")
    world.judge.intended(operation, on: device.index, shownTitle: title)
    undoable[device.index] = (operation, item.notification)
    device.perform(operation, sealAfter: verb == .delete ? .seconds(5) : nil)
  }

  private func undo(on device: SimulatedDevice) {
    guard let (operation, before) = undoable.removeValue(forKey: device.index) else { return }
    if operation.mutation == .delete {
      if device.cancel(operation.id) { world.judge.cancelled(operation.id) }
      return
    }
    guard let back = operation.undo(id: operationID(), before: before) else { return }
    world.note("device \(device.index): undo")
    world.judge.intended(back, on: device.index, shownTitle: nil)
    device.perform(back, sealAfter: nil)
  }

  private func verb() -> Verb {
    switch random.number(0...19) {
    case 0..<4: .read
    case 4..<6: .unread
    case 6..<11: .dismiss
    case 11..<13: .activate
    case 13..<15: .restore
    case 15..<17: .snooze(until: later(5...400))
    case 17: .keep
    case 18: .unkeep
    default: .delete
    }
  }

  private func operationID() -> OperationID {
    nextOperation += 1
    return OperationID(high: 0x0190_0000_0000_7000, low: nextOperation)
  }

  // MARK: Healing

  private func heal() throws {
    world.note("everything heals")
    world.faults = .none
    for device in world.devices {
      device.isPartitioned = false
      device.start()
      device.resetRequests()
      device.resume()
    }
    let end = world.scheduler.clock.elapsed + Self.healingMax
    var problem: String? = "nothing was looked at"
    while problem != nil, world.scheduler.clock.elapsed < end {
      world.scheduler.run(until: world.scheduler.clock.elapsed + .seconds(5))
      try world.store.sweep()
      world.scheduler.run(until: world.scheduler.clock.elapsed + .seconds(1))
      problem = try world.disagreement(over: published)
    }
    if let problem { world.judge.violate("no agreement: \(problem)") }
    for device in world.devices where device.requests > Self.healingRequestsMax {
      world.judge.violate("device \(device.index) made \(device.requests) requests to heal")
    }
    let crashed = Set(world.devices.filter { $0.crashes > 0 }.map(\.index))
    world.judge.checkIntents(in: world.store, crashed: crashed)
  }
}
