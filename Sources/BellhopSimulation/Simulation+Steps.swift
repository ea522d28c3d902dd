import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync

/// What the steps of a scenario do.
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
    case .quit, .partition, .crash, .killAtWrite, .fillDisk, .setClock, .copyHome, .revoke,
      .shortenToken:
      try performOnDevice(step.kind, random)
    case .killStore, .changeEpoch, .backUp, .restore, .rollBack, .setStoreClock,
      .dropTombstones:
      try performOnStore(step.kind, random)
    }
  }

  // MARK: Faults of devices

  private func performOnDevice(_ kind: Scenario.Kind, _ random: SharedRandom) throws {
    guard let device = random.pick(world.devices) else { return }
    let losesPower = random.chance(0.5)
    let downtime = random.milliseconds(10...20_000)
    switch kind {
    case .quit where random.chance(0.4) && device.quitSecondScreen(): break
    case .quit:
      world.note("device \(device.index) quits")
      device.quit()
      let asked = device.incarnation
      world.scheduler.after(random.milliseconds(100...6000)) { [world] in
        guard device.incarnation == asked else { return }
        device.crash(losesPower: false)
        world.scheduler.after(downtime) { device.start() }
      }
    case .partition:
      device.isPartitioned.toggle()
      world.note("device \(device.index) is \(device.isPartitioned ? "cut off" : "back")")
      if !device.isPartitioned, random.chance(0.5) { device.resume() }
    case .crash:
      device.crash(losesPower: losesPower)
      world.scheduler.after(downtime) { device.start() }
    case .killAtWrite:
      guard device.isRunning else { return }
      device.failWrite(
        after: random.number(0...12), kills: true, afterCommit: random.chance(0.5),
        losesPower: losesPower, downtime: downtime)
    case .fillDisk:
      guard device.isRunning else { return }
      device.failWrite(
        after: random.number(0...12), kills: false, afterCommit: false, losesPower: false,
        downtime: .zero)
    case .setClock:
      let change = clockChange(random, upTo: 366 * 86_400)
      world.note("the clock of device \(device.index) is set by \(change)")
      device.setClock(by: change)
    case .copyHome:
      guard world.devices.count < 7 else { return }
      try world.copyHome(of: device)
      world.note("the home of device \(device.index) is copied")
      world.devices.last?.start()
    case .revoke:
      world.note("device \(device.index) is signed out")
      world.store.perform { try $0.revoke(device.id) }
    case .shortenToken:
      let expires = world.scheduler.clock.now.advanced(by: random.milliseconds(500...60_000))
      world.signIn(device, expires: expires)
    default: break
    }
  }

  /// Seconds or days, forwards or backwards.
  private func clockChange(_ random: SharedRandom, upTo most: Int) -> Duration {
    let seconds = random.chance(0.5) ? random.number(1...600) : random.number(600...most)
    return .seconds(random.chance(0.5) ? seconds : -seconds)
  }

  // MARK: Faults of the store

  private func performOnStore(_ kind: Scenario.Kind, _ random: SharedRandom) throws {
    switch kind {
    case .killStore:
      let isAfterCommit = random.chance(0.5)
      world.note("the store will be killed \(isAfterCommit ? "after" : "before") its next commit")
      world.store.host.killAtNextWrite(afterCommit: isAfterCommit)
    case .changeEpoch:
      world.note("the store begins another epoch")
      try world.store.beginEpoch()
    case .backUp:
      world.note("the store is backed up")
      try world.store.backUp()
    case .restore:
      world.note("the backup is restored")
      try world.store.goBack(inSilence: false)
    case .rollBack:
      world.note("the store's data is rolled back")
      try world.store.goBack(inSilence: true)
    case .setStoreClock:
      let change = clockChange(random, upTo: 2 * 86_400)
      world.note("the store's clock is set by \(change)")
      world.scheduler.clock.step(by: change)
    case .dropTombstones:
      // As if their life were over: a sweep after a time in which nobody looked.
      world.sweep()
      world.scheduler.run(until: world.scheduler.clock.elapsed + random.milliseconds(0...3000))
      world.sweep()
    default: break
    }
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
    publish(content, isQuiet: random.chance(0.15))
  }

  private func publish(_ content: Content, isQuiet: Bool) {
    var content = content
    // Without a draw, so that seeds stay what they are.
    if titles % 3 == 0 { content.extras.actions = Self.actions }
    // Some are long, so that a page is full before it has many rows.
    if titles % 5 == 0 { content.visual?.body = String(repeating: "word ", count: 24) }
    world.note("'\(content.visual?.title ?? "")' is published")
    world.store.perform { try $0.publish(content, isQuiet: isQuiet) }
  }

  /// Publishes an item that nothing moves but people.
  func publishCalmly() {
    titles += 1
    publish(
      Content(app: "ci", visual: VisualContent(title: "title \(titles)")), isQuiet: false)
  }

  private static let actions: [ContentExtras.Action] = [
    .init(id: "rerun", title: "Rerun"), .init(id: "answer", title: "Answer", kind: .reply),
  ]

  private func replace(_ random: SharedRandom) {
    guard let id = pick(random, random.chance(0.8)) else { return }
    replace(id, isQuiet: { random.chance(0.15) })
  }

  /// Publishes an item again, where its publisher can name it.
  func replace(_ id: NotificationID, isQuiet: () -> Bool) {
    guard let old = world.store.truth.live(id), let appID = old.content.appNotificationID else {
      return
    }
    titles += 1
    publish(
      Content(
        app: old.content.app, appNotificationID: appID,
        visual: VisualContent(title: "title \(titles)")),
      isQuiet: isQuiet())
  }

  private func withdraw(_ random: SharedRandom) {
    guard let old = pick(random, true).flatMap({ world.store.truth.live($0) }),
      let appID = old.content.appNotificationID
    else { return }
    world.note("#\(old.shortNumber) is withdrawn")
    world.store.perform { try $0.withdraw(app: old.content.app, appNotificationID: appID) }
  }

  /// Recent items more often: people look at the top of the list.
  func pick(_ random: SharedRandom, _ isRecent: Bool) -> NotificationID? {
    let all = world.store.published
    return random.pick(isRecent ? Array(all.suffix(8)) : all)
  }
}
