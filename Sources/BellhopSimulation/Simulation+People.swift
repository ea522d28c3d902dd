import BellhopCache
import BellhopModel

/// Actions of users at their devices.
extension Simulation {
  /// Returns the cached item if the user can see it and act on it.
  func visible(_ id: NotificationID, on device: SimulatedDevice) throws -> CachedItem? {
    guard let item = try device.cache.item(id), !item.isPendingDelete, item.placement != .gone
    else { return nil }
    return item
  }

  /// Configures an app, on a device or at the store.
  func configure(_ random: SharedRandom) throws {
    var app = random.pick(["ci", "nas", "mail", "never-published"]) ?? "ci"
    let device = random.chance(0.7) ? random.pick(world.devices) : nil
    var change = settings(of: app, random, at: device?.now ?? world.scheduler.clock.now)
    if hasPermissions {
      change = AppSettingsChange()
      if titles % 3 == 0 {
        // The authorization of apps that publish for the first time.
        app = AppSettings.everyApp
        change.authorization = random.pick([.authorized, .notDetermined, .provisional])
      } else {
        change.authorization = random.pick(AppAuthorization.allCases)
      }
    }
    if world.scenario.hasTriggers, titles % 3 == 0 {
      app = AppSettings.everyApp
      change = AppSettingsChange()
      change.timeZone = random.pick([.clear, .set("Sim/East"), .set("Sim/West")])
    }
    if world.scenario.hasPlaces, titles % 3 != 0 {
      app = AppSettings.everyApp
      change = AppSettingsChange()
      change.places = [Self.office: try placeChange(random, on: device)]
    }
    guard let device else {
      // With another app's alias, the store would reject the call without any effect.
      if change.aliases?.contains(Self.sharedAlias) == true { return }
      world.note("\(app) is configured: \(change)")
      return world.store.perform { try $0.configure(app, change) }
    }
    let id = operationID()
    world.note("device \(device.index): \(app) is configured as \(id.low): \(change)")
    let operation = Operation(id: id, target: .app(app), mutation: .configure(change))
    world.judge.intended(operation, on: device.index, shown: [], of: device.past)
    device.perform([operation], sealAfter: nil)
  }

  /// Returns a change to the office: a device arrives or leaves, or the place is added or removed.
  private func placeChange(
    _ random: SharedRandom, on device: SimulatedDevice?
  ) throws -> PlaceChange {
    guard let device else { return random.chance(0.9) ? .add : .remove }
    let place = try device.cache.appSettings(of: AppSettings.everyApp)?.places[Self.office]
    guard let place else { return .add }
    let others = place.devices.keys.filter { $0 != device.id }
    return .report(
      PlaceReport(
        isInside: random.chance(0.5), at: device.now, isCrossing: others.isEmpty))
  }

  /// An alias that several apps request, but only one can have.
  private static let sharedAlias = "alias-of-all"

  private func settings(
    of app: String, _ random: SharedRandom, at now: Timestamp
  ) -> AppSettingsChange {
    var change = AppSettingsChange()
    switch random.number(0...6) {
    case 0: change.displayName = random.chance(0.3) ? .clear : .set("name \(titles)")
    case 1:
      let until = now.advanced(by: .seconds(random.number(5...400)))
      change.mute = random.pick([.off, .forever, .until(until)])
    case 2: change.sound = random.chance(0.5)
    case 3: change.alert = random.chance(0.5)
    case 4 where hasCategories: change.responses = random.pick(AppResponses.allCases)
    case 4: change.retentionDays = random.chance(0.5) ? .clear : .set(random.number(1...9))
    case 5: change.aliases = random.pick([[], ["alias-of-\(app)"], [Self.sharedAlias]])
    default:  // open: Int
      let hours = LocalTime(minutes: random.number(0...700)).flatMap { from in
        LocalTime(minutes: 720).map { QuietHours(from: from, to: $0, days: [.monday]) }
      }
      change.quietHours = random.chance(0.3) ? .clear : hours.map { .set($0) } ?? .clear
    }
    return change
  }

  func operationID() -> OperationID {
    nextOperation += 1
    return OperationID(high: 0x0190_0000_0000_7000, low: nextOperation)
  }

  private func command(_ random: SharedRandom, on device: SimulatedDevice) -> ItemCommand {
    switch random.number(0...19) {
    case 0..<4: .read
    case 4..<6: .unread
    case 6..<11: .dismiss
    case 11..<13: .activate
    case 13..<15: .restore
    case 15..<17: .snooze(until: device.now.advanced(by: .seconds(random.number(5...400))))
    case 17: .pin
    case 18: .unpin
    default: .delete  // open: Int
    }
  }

  func handle(_ random: SharedRandom) throws {
    guard let device = random.pick(world.devices),
      var id = pick(random, random.chance(0.7)), var item = try visible(id, on: device)
    else { return }
    var command = command(random, on: device)
    if nextOperation % 9 == 4, publish(on: device) { return }
    if nextOperation % 3 == 2, let own = try ownItem(on: device) { (id, item) = (own.id, own) }
    if let occurrence = item.version.occurrence, occurrence != .beforeFirst,
      random.chance(cancelsOften ? 0.5 : 0.15)
    {
      command = random.chance(0.7) ? .cancel : .resume
    }
    var operation = Operation(
      id: operationID(), onShown: id, item.version, mutation: command.mutation)
    if let new = newSchedule(of: item, on: device) {
      operation.mutation = .reschedule(new, at: device.now)
      return try perform(operation, words: "\(new)", on: device, shown: [item.notification])
    }
    let category = try device.cache.category(of: item.notification)
    let actions = item.notification.actions(with: category)
    if command == .activate, !actions.isEmpty { choose(actions, &operation) }
    try perform(operation, words: "\(command)", on: device, shown: [item.notification])
  }

  /// Returns another schedule for an item that the user delivers at another time.
  ///
  /// Nil for most. No random number is drawn, so that the meaning of seeds does not change.
  private func newSchedule(of item: CachedItem, on device: SimulatedDevice) -> Schedule? {
    guard world.scenario.hasTriggers, nextOperation % 3 == 0 else { return nil }
    let content = item.notification.content
    guard content.trigger != nil else {
      guard item.placement == .scheduled else { return nil }
      let delay = Int64(titles % 13) * 7 + 5
      return .once(at: device.now.advanced(by: .seconds(delay)))
    }
    if item.notification.waitsForPlace { return nil }
    let kind = titles % 2 == 0 ? soon : .interval(seconds: titles % 5 == 0 ? 60 : 80)
    return (try? Trigger(kind, repeats: titles % 7 != 0)).map(Schedule.trigger)
  }

  /// Pins an item on a running device that shows it.
  ///
  /// The request reaches the store at once. The response is lost, so that the device sends it again
  /// later.
  ///
  /// - Returns: False if no device shows the item.
  func pin(_ id: NotificationID, _ random: SharedRandom) -> Bool {
    let devices = world.devices.filter { $0.isRunning && !$0.isPartitioned }
    let showing = devices.compactMap { device in
      (try? visible(id, on: device)).flatMap { $0 }.map { (device, $0) }
    }
    guard let (device, item) = random.pick(showing) else { return false }
    let operation = Operation(
      id: operationID(), onShown: id, item.version, mutation: ItemCommand.pin.mutation)
    perform(
      [operation], words: "pin #\(item.notification.shortNumber) in the middle of a sweep",
      on: device, shown: [item.notification], of: device.past)
    device.sendLosingAnswer()
    return true
  }

  /// Marks an item as read, if the device has it.
  func read(_ id: NotificationID?, on device: SimulatedDevice) throws {
    guard let id, let item = try visible(id, on: device) else { return }
    let operation = Operation(
      id: operationID(), onShown: id, item.version, mutation: ItemCommand.read.mutation)
    try perform(operation, words: "read", on: device, shown: [item.notification])
  }

  /// Changes an operation to choose an action of the item; a second choice counts like the first.
  private func choose(_ actions: [ContentExtras.Action], _ operation: inout Operation) {
    let action = actions[Int(operation.id.low) % actions.count]
    let text = action.kind == .reply ? "answer \(operation.id.low)" : nil
    operation.mutation = .set(
      StateChange(
        readState: .read, userActionState: .activated,
        choice: ActionChoice(action, text: text)))
  }

  /// Handles several items in one operation, as marks do.
  func handleSeveral(_ random: SharedRandom) throws {
    guard let device = random.pick(world.devices) else { return }
    var items: [CachedItem] = []
    for _ in 0..<random.number(2...6) {
      guard let id = pick(random, random.chance(0.5)), !items.contains(where: { $0.id == id }),
        let item = try visible(id, on: device)
      else { continue }
      items.append(item)
    }
    if let own = try ownItem(on: device) { items.append(own) }
    guard items.count > 1 else { return }
    try perform(
      Operation(
        id: operationID(), onShown: items.map { ($0.id, $0.version) },
        mutation: (random.chance(0.2) ? .pin : command(random, on: device)).mutation),
      words: "several", on: device, shown: items.map(\.notification))
  }

  /// The maximum number of items that an operation names, low enough for a short list to exceed it.
  private static let namedMax = 3

  /// Handles a whole list, as a screen does.
  ///
  /// The screen counts the items for the confirmation, and changes them after the user has
  /// confirmed.
  func handleMatching(_ random: SharedRandom) throws {
    guard let device = random.pick(world.devices) else { return }
    var filter = ListFilter()
    let app = random.chance(0.7) ? random.pick(["ci", "nas", "mail"]) : nil
    if let app { filter.terms.append(ListFilter.Term(.app([ListFilter.NamePattern(app)]))) }
    let isUnread = random.chance(0.3)
    if isUnread { filter.terms.append(ListFilter.Term(.state([.unread]))) }
    let command: ItemCommand =
      random.pick([.dismiss, .read, .restore, .delete, .unread]) ?? .dismiss
    guard command != .delete || random.chance(0.3) else { return }
    let thinking = random.milliseconds(0...4000)
    let place: CacheList = random.chance(0.7) ? .tray : .history
    let list = WholeList(
      filter.terms.isEmpty ? place : .narrowed(place, filter), of: device.cache,
      namedMax: Self.namedMax)
    let extent = try list.extent()
    guard extent.items.count > 0 else { return }
    let isListed = { (item: CachedItem) in
      !item.isPendingDelete && (app == nil || item.notification.content.app == app)
        && (!isUnread || item.notification.state.readState.value == .unread)
        && (place == .tray
          ? item.placement == .tray : [.tray, .handled, .snoozed].contains(item.placement))
    }
    let before = device.cache.allItems()
    let (past, asked) = (device.tokenPast, device.incarnation)
    world.scheduler.after(thinking) { [unowned self] in
      guard device.incarnation == asked else { return }
      let listed = listed(before, then: device.cache.allItems(), where: isListed)
      let first = nextOperation
      let ids = (0...extent.items.count / Self.namedMax + 1).map { _ in operationID() }
      let operations = try? list.operations(command.mutation, bound: extent.bound, ids: ids)
      nextOperation = first + UInt64(operations?.count ?? 0)
      guard let operations, !operations.isEmpty else { return }
      let words = "\(command) of \(extent.items.count) in \(app ?? "every app")"
      perform(
        operations, words: words, on: device, shown: listed.shown, unlisted: listed.unlisted,
        isWholeList: true, of: past)
    }
  }

  /// Returns the items that a list has shown, and the others that the device had.
  ///
  /// The list has shown the items that it contained at the time of the question or of the user's
  /// confirmation. The placement of items is checked when devices settle. A user who deleted an
  /// item, and can still undo that, has seen it. An item that has expired by the device's clock is
  /// in no list, although a store whose clock was set back still has it: a predicate cannot express
  /// when an item expires.
  private func listed(
    _ before: [CachedItem], then now: [CachedItem], where isListed: (CachedItem) -> Bool
  ) -> (shown: [UserNotification], unlisted: [UserNotification]) {
    let known = Set(before.map(\.id))
    let listed = Set(
      (before + now).filter { isListed($0) || $0.isPendingDelete || $0.placement == .gone }
        .map(\.id))
    return (
      before.filter { listed.contains($0.id) }.map(\.notification),
      now.filter { known.contains($0.id) && !listed.contains($0.id) }.map(\.notification)
    )
  }

  private func perform(
    _ operation: Operation, words: String, on device: SimulatedDevice, shown: [UserNotification]
  ) throws {
    let numbers = shown.map { "#\($0.shortNumber)" }.joined(separator: " ")
    perform([operation], words: "\(words) \(numbers)", on: device, shown: shown, of: device.past)
    undoable[device.index] = ([operation], shown)
  }

  private func perform(
    _ operations: [Operation], words: String, on device: SimulatedDevice,
    shown: [UserNotification], unlisted: [UserNotification] = [], isWholeList: Bool = false,
    of past: Int?
  ) {
    let ids = operations.map { "\($0.id.low)" }.joined(separator: " ")
    world.note("device \(device.index): \(words) as \(ids)")
    for operation in operations {
      world.judge.intended(
        operation, on: device.index, shown: shown, unlisted: unlisted, isWholeList: isWholeList,
        of: past)
    }
    undoable[device.index] = (operations, [])
    let isHeld = operations.first?.mutation == .delete
    device.perform(operations, sealAfter: isHeld ? .seconds(5) : nil)
  }

  func undo(_ random: SharedRandom) {
    guard let device = random.pick(world.devices),
      let (operations, before) = undoable.removeValue(forKey: device.index)
    else { return }
    // A process that was killed in the middle undoes no further operations.
    let asked = device.incarnation
    for operation in operations where device.incarnation == asked && device.isRunning {
      undo(operation, before, on: device)
    }
  }

  private func undo(
    _ operation: Operation, _ before: [UserNotification], on device: SimulatedDevice
  ) {
    if operation.mutation == .delete {
      if device.cancel(operation.id) {
        world.note("device \(device.index): \(operation.id.low) is taken back")
        world.judge.cancelled(operation.id)
      }
      return
    }
    let back: Operation?
    if operation.isBulkTarget || before.count != 1 {
      back = Operation(
        id: operationID(), target: .setBy(operation.id), mutation: .restorePrevious)
    } else {
      back = before.first.flatMap { operation.undo(id: operationID(), before: $0) }
    }
    guard let back else { return }
    world.note("device \(device.index): undo of \(operation.id.low) as \(back.id.low)")
    world.judge.intended(back, on: device.index, shown: [], of: device.past)
    device.perform([back], sealAfter: nil)
  }
}
