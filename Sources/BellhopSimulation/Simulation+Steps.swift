import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync

/// The implementation of a scenario's steps.
extension Simulation {
  func perform(_ step: Scenario.Step) throws {
    let random = SharedRandom(seed: step.seed)
    switch step.kind {
    case .publish: publish(random)
    case .replace: replace(random)
    case .withdraw: withdraw(random)
    case .handle: try handle(random)
    case .handleSeveral: try handleSeveral(random)
    case .handleMatching: try handleMatching(random)
    case .undo: undo(random)
    case .configure: try configure(random)
    case .expire: world.sweep()
    case .wait:
      world.scheduler.run(
        until: world.scheduler.clock.elapsed + random.milliseconds(20_000...120_000))
    case .quit: onDevice(random) { quit($0, random) }
    case .partition: onDevice(random) { partition($0.device, random) }
    case .crash: onDevice(random) { crash($0) }
    case .killAtWrite: onDevice(random) { killAtWrite($0, random) }
    case .fillDisk: onDevice(random) { fillDisk(of: $0.device, random) }
    case .setClock: onDevice(random) { setClock(of: $0.device, random) }
    case .copyHome: try onDevice(random) { try copyHome(of: $0.device) }
    case .revoke: onDevice(random) { signOut($0.device) }
    case .shortenToken: onDevice(random) { shortenToken(of: $0.device, random) }
    case .killStore: killStore(random)
    case .changeEpoch:
      world.note("the store begins another epoch")
      try world.store.beginEpoch()
    case .backUp:
      world.note("the store is backed up")
      try world.store.backUp()
    case .restore:
      world.note("the backup is restored")
      try world.store.revertToBackup(silently: false)
    case .rollBack:
      world.note("the store's data is rolled back")
      try world.store.revertToBackup(silently: true)
    case .setStoreClock: setStoreClock(random)
    case .dropTombstones: dropTombstones(random)
    case .failOver: try failOver(random, losing: 0)
    case .failOverLosing: try failOver(random, losing: random.number(1...SharedStorage.lagMax))
    }
  }

  // MARK: Faults of devices

  /// A device that a fault affects, with the details of a crash.
  private struct Chosen {
    let device: SimulatedDevice
    let losesPower: Bool
    let downtime: Duration
  }

  /// Applies a fault to a random device.
  ///
  /// Draws all of ``Chosen`` for every kind of step, so that the meaning of seeds does not change.
  private func onDevice(_ random: SharedRandom, _ body: (Chosen) throws -> Void) rethrows {
    guard let device = random.pick(world.devices) else { return }
    let losesPower = random.chance(0.5)
    let downtime = random.milliseconds(10...20_000)
    try body(Chosen(device: device, losesPower: losesPower, downtime: downtime))
  }

  private func quit(_ chosen: Chosen, _ random: SharedRandom) {
    let device = chosen.device
    if random.chance(0.4), device.quitSecondScreen() { return }
    world.note("device \(device.index) quits")
    device.quit()
    let asked = device.incarnation
    world.scheduler.after(random.milliseconds(100...6000)) { [world] in
      guard device.incarnation == asked else { return }
      device.crash(losesPower: false)
      world.scheduler.after(chosen.downtime) { device.start() }
    }
  }

  private func partition(_ device: SimulatedDevice, _ random: SharedRandom) {
    device.isPartitioned.toggle()
    world.note("device \(device.index) is \(device.isPartitioned ? "cut off" : "back")")
    if !device.isPartitioned, random.chance(0.5) { device.resume() }
  }

  private func crash(_ chosen: Chosen) {
    chosen.device.crash(losesPower: chosen.losesPower)
    world.scheduler.after(chosen.downtime) { chosen.device.start() }
  }

  private func killAtWrite(_ chosen: Chosen, _ random: SharedRandom) {
    guard chosen.device.isRunning else { return }
    chosen.device.failWrite(
      after: random.number(0...12), kills: true, afterCommit: random.chance(0.5),
      losesPower: chosen.losesPower, downtime: chosen.downtime)
  }

  private func fillDisk(of device: SimulatedDevice, _ random: SharedRandom) {
    guard device.isRunning else { return }
    device.failWrite(
      after: random.number(0...12), kills: false, afterCommit: false, losesPower: false,
      downtime: .zero)
  }

  private func setClock(of device: SimulatedDevice, _ random: SharedRandom) {
    let change = clockChange(random, upTo: 366 * 86_400)
    world.note("the clock of device \(device.index) is set by \(change)")
    device.setClock(by: change)
    if world.scenario.hasTriggers {
      device.zone.travel()
      world.note("device \(device.index) is in a zone at \(device.zone.offset) s from UTC")
    }
    world.wasClockSet = true
  }

  private func copyHome(of device: SimulatedDevice) throws {
    guard world.devices.count < 7 else { return }
    try world.copyHome(of: device)
    world.note("the home of device \(device.index) is copied")
    world.devices.last?.start()
  }

  private func signOut(_ device: SimulatedDevice) {
    world.note("device \(device.index) is signed out")
    world.store.perform { try $0.revoke(device.id) }
  }

  private func shortenToken(of device: SimulatedDevice, _ random: SharedRandom) {
    let expires = world.scheduler.clock.now.advanced(by: random.milliseconds(500...60_000))
    world.signIn(device, expires: expires)
  }

  /// Returns seconds or days, forwards or backwards.
  private func clockChange(_ random: SharedRandom, upTo most: Int) -> Duration {
    let seconds = random.chance(0.5) ? random.number(1...600) : random.number(600...most)
    return .seconds(random.chance(0.5) ? seconds : -seconds)
  }

  // MARK: Faults of the store

  private func killStore(_ random: SharedRandom) {
    let isAfterCommit = random.chance(0.5)
    world.note("the store will be killed \(isAfterCommit ? "after" : "before") its next commit")
    world.store.host.killAtNextWrite(afterCommit: isAfterCommit)
  }

  private func setStoreClock(_ random: SharedRandom) {
    var change = clockChange(random, upTo: 2 * 86_400)
    // With several processes, the store does not let a user's time go back by a few seconds.
    if world.store.shared != nil, change < .zero { change = min(change, .seconds(-60)) }
    world.note("the store's clock is set by \(change)")
    world.scheduler.clock.step(by: change)
    world.wasClockSet = true
  }

  /// Promotes a standby. A process may stay with the former primary for some seconds.
  private func failOver(_ random: SharedRandom, losing count: Int) throws {
    world.note("a standby is promoted\(count > 0 ? ", which lacks \(count) commits" : "")")
    let time = random.milliseconds(1000...12_000)
    let isStranded = random.chance(world.rates[.formerPrimary])
    try world.store.failOver(losing: count, stranding: isStranded ? time : nil)
  }

  private func dropTombstones(_ random: SharedRandom) {
    // As if the tombstones' life had ended: two sweeps with a pause in between.
    world.sweep()
    world.scheduler.run(until: world.scheduler.clock.elapsed + random.milliseconds(0...3000))
    world.sweep()
  }

  // MARK: Publishers

  func publish(_ random: SharedRandom) {
    titles += 1
    let now = world.scheduler.clock.now
    func later(_ seconds: ClosedRange<Int>) -> Timestamp {
      now.advanced(by: .seconds(random.number(seconds)))
    }
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
    content.trigger = trigger(for: content)
    content.extras.environment = environment(of: content)
    publish(content, isQuiet: random.chance(0.15))
  }

  /// Returns the environment of a publication; nil for most.
  ///
  /// An app id always has the same one, because a live item keeps its environment. No random number
  /// is drawn.
  private func environment(of content: Content) -> RegistrationEnvironment? {
    guard world.scenario.hasDevelopment else { return nil }
    let isDevelopment =
      content.appNotificationID.map { ["job-1", "job-5"].contains($0) } ?? (titles % 3 == 1)
    return isDevelopment ? .development : nil
  }

  /// Returns the trigger of a publication; nil for most.
  ///
  /// No random number is drawn, and only a quarter of the seeds has triggers, so that the others
  /// keep their meaning.
  private func trigger(for content: Content) -> Trigger? {
    guard world.scenario.hasTriggers, titles % 3 == 1, content.deliverAt == nil,
      content.expiration == nil
    else { return nil }
    if world.scenario.hasPlaces, titles % 2 == 0 { return crossing(for: content.app) }
    let kind = titles % 2 == 0 ? soon : .interval(seconds: titles % 7 == 0 ? 60 : 75)
    return try? Trigger(kind, repeats: titles % 5 != 0)
  }

  /// Returns a trigger for the office, once there is such a place; allows the app to use it.
  private func crossing(for app: String) -> Trigger? {
    let settings = world.store.truth.settings
    guard settings.of(AppSettings.everyApp).places[Self.office] != nil else { return nil }
    let app = settings.landing(of: app)
    if !settings.of(app).usesPlaces {
      var change = AppSettingsChange()
      change.usesPlaces = true
      world.store.perform { try $0.configure(app, change) }
      // The store may have been killed.
      guard world.store.truth.settings.of(app).usesPlaces else { return nil }
    }
    let direction: PlaceCrossing.Direction = titles % 4 == 0 ? .exit : .entry
    return try? Trigger(
      .place(PlaceCrossing(direction, of: Self.office)), repeats: titles % 5 != 0)
  }

  /// The only place of the user.
  static let office = "office"

  /// A minute of every hour that comes in about two minutes: in a zone, or in that of each device.
  var soon: Trigger.Kind {
    let minute = (world.scheduler.clock.now.milliseconds / 60_000 + 2) % 60
    return (try? CalendarPattern(minute: Int(minute))).map {
      .calendar($0, timeZone: titles % 8 == 0 ? "Sim/East" : nil)
    } ?? .interval(seconds: 60)
  }

  private func publish(_ content: Content, isQuiet: Bool) {
    var content = content
    // No random number is drawn, so that the meaning of seeds does not change.
    if titles % 3 == 0 { content.extras.actions = Self.actions }
    // Some are long, so that a page reaches its byte limit before its row limit.
    if titles % 5 == 0 { content.visual?.body = String(repeating: "word ", count: 24) }
    if hasCategories { addCategory(to: &content) }
    if hasPermissions {
      if titles % 3 == 1 { content.extras.badge = titles % 5 }
      if titles % 4 == 2, content.appNotificationID == nil { content.app = "new-\(titles)" }
    }
    world.note("'\(content.visual?.title ?? "")' is published")
    let settings = world.store.truth.settings
    let isDenied = settings.of(settings.landing(of: content.app)).authorization == .denied
    world.store.perform { store in
      do {
        try store.publish(content, isQuiet: isQuiet)
      } catch StoreError.accessDenied where isDenied {
        world.note("the app is denied")
      } catch TransportError.forbidden where isDenied {
        world.note("the app is denied")
      }
    }
  }

  /// Publishes an item that only users move.
  func publishPlainItem() {
    titles += 1
    publish(
      Content(app: "ci", visual: VisualContent(title: "title \(titles)")), isQuiet: false)
  }

  /// Whether users decide which apps may notify, and apps set badges.
  var hasPermissions: Bool { world.scenario.seed % 8 == 6 }

  /// Whether apps have categories, whose actions change.
  var hasCategories: Bool { world.scenario.seed % 8 == 3 }

  /// Names the app's category in every second item, after changing its actions now and then.
  private func addCategory(to content: inout Content) {
    let settings = world.store.truth.settings
    let app = settings.landing(of: content.app)
    if titles % 4 == 0 {
      var rerun = Self.actions[0]
      rerun.title += " \(titles % 3)"
      let category = Category(
        id: "question", actions: [rerun, Self.actions[1]],
        options: [Category.Option.customDismissAction.rawValue])
      world.note("\(app) registers a category with \(rerun.title)")
      world.store.perform { try $0.register(category, app: app) }
    }
    if titles % 2 == 0, world.store.truth.settings.hasCategory("question", app: app) {
      content.extras.category = "question"
    }
    if titles % 3 != 1 { content.extras.awaitsResponse = true }
  }

  private static let actions: [ContentExtras.Action] = [
    .init(id: "rerun", title: "Rerun"), .init(id: "answer", title: "Answer", kind: .reply),
  ]

  /// Whether triggers are often cancelled: in half of the seeds that have any.
  var cancelsOften: Bool { world.scenario.seed % 8 == 5 }

  /// Cancels what is still to be delivered of an item, or removes what was, for its publisher.
  private func changeRequest(_ random: SharedRandom) {
    let truth = world.store.truth
    let items = world.store.published.compactMap { truth.live($0) }.filter { item in
      // A name that became an alias since names another app.
      truth.settings.landing(of: item.content.app) == item.content.app
        && (item.content.trigger != nil || item.content.deliverAt != nil)
    }
    guard let item = random.pick(items) else { return }
    let isCancelled = random.chance(0.5)
    world.note("#\(item.shortNumber) is \(isCancelled ? "cancelled" : "removed") by its app")
    world.store.perform { store in
      if isCancelled {
        try store.cancelRequest(item.id, app: item.content.app)
      } else {
        try store.removeDelivered(item.id, app: item.content.app)
      }
    }
  }

  private func replace(_ random: SharedRandom) {
    if cancelsOften, random.chance(0.3) { return changeRequest(random) }
    guard let id = pick(random, random.chance(0.8)) else { return }
    replace(id, isQuiet: { random.chance(0.15) })
  }

  /// Publishes an item again, if its publisher can name it.
  func replace(_ id: NotificationID, isQuiet: () -> Bool) {
    guard let old = world.store.truth.live(id), let appID = old.content.appNotificationID else {
      return
    }
    titles += 1
    var content = Content(
      app: old.content.app, appNotificationID: appID,
      visual: VisualContent(title: "title \(titles)"))
    content.extras.environment = environment(of: content)
    publish(content, isQuiet: isQuiet())
  }

  private func withdraw(_ random: SharedRandom) {
    guard let old = pick(random, true).flatMap({ world.store.truth.live($0) }),
      let appID = old.content.appNotificationID
    else { return }
    world.note("#\(old.shortNumber) is withdrawn")
    world.store.perform { try $0.withdraw(app: old.content.app, appNotificationID: appID) }
  }

  /// Returns a random item, more often a recent one: users handle the top of the list.
  func pick(_ random: SharedRandom, _ isRecent: Bool) -> NotificationID? {
    let all = world.store.published
    return random.pick(isRecent ? Array(all.suffix(8)) : all)
  }
}
