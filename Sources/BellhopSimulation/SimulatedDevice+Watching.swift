import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync

/// Checks of the items that a device holds and shows.
extension SimulatedDevice {
  /// The number of reversions of the store's data when the device's base came from it.
  ///
  /// Nil while a rebuild mixes new rows with older ones.
  var past: Int? {
    guard let state = try? cache.syncState(), state.firstSync == nil, !state.needsSweep else {
      return nil
    }
    return state.token.flatMap { world.store.timeline(of: $0) }
  }

  /// The number of reversions of the store's data when the device's token came from it.
  var tokenPast: Int? {
    (try? cache.syncState())?.token.flatMap { world.store.timeline(of: $0) }
  }

  func checkBase() {
    judging { try watch.checkAtToken(cache: cache, store: world.store) }
  }

  func judging(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      world.judge.violate("device \(index) can't be read: \(error)")
    }
    for violation in watch.takeViolations() { world.judge.violate("device \(index): \(violation)") }
  }

  /// Checks that each item shows the base with the waiting operations applied (SYNC-13).
  ///
  /// The check uses the simulation's own rules. Once the device has settled, each item must also
  /// have the right placement (SYNC-11).
  func checkShown(isSettled: Bool) {
    guard let state = try? cache.syncState(), !state.needsOverlay, !state.needsSweep,
      let waiting = try? cache.waitingOperations(limit: .max)
    else { return }
    checkLocalItems(waiting)
    // A device may notice late that its clock was set back, and need not be more exact than that.
    let times = (-3...3).map { now.advanced(by: .seconds($0)) }
    for item in cache.allItems() {
      let name = "device \(index): #\(item.notification.shortNumber)"
      let expected = plainly(item, waiting)
      switch expected {
      case .tombstone:
        if !item.isPendingDelete { world.judge.violate("\(name) shows no pending delete") }
      case .live:
        if item.isPendingDelete {
          world.judge.violate("\(name) shows a delete that is not pending")
        } else if case .live(let expected) = expected,
          !PlainRules.isSame(.live(item.notification), .live(counted(expected, as: item)))
        {
          world.judge.violate("\(name) does not show what is pending")
        }
      }
      // A rebuild starts no sweep of its own before its end, when it checks every item again.
      guard isSettled, state.firstSync == nil else { continue }
      let labels = Set(
        times.map { PlainOccurrence.label(item.notification, at: $0, zone: zone.offset) })
      if let shown = item.version.occurrence, !item.isPendingDelete, !labels.contains(shown) {
        world.judge.violate("\(name) shows the occurrence \(shown) instead of \(labels) at \(now)")
      }
      let places =
        item.isPendingDelete
        ? [.gone]
        : Set(times.map { PlainPlacement.of(item.notification, at: $0, zone: zone.offset) })
      if !places.contains(item.placement) {
        world.judge.violate("\(name) is in \(item.placement) instead of \(places) at \(now)")
      }
    }
  }

  /// Checks that the device has each item that it publishes, exactly as it publishes it.
  private func checkLocalItems(_ waiting: [WaitingOperation]) {
    var publications: [NotificationID: Operation] = [:]
    for waiting in waiting where PlainPublication.content(of: waiting.operation) != nil {
      let id = PlainPublication.id(of: waiting.id)
      publications[id] = waiting.operation
      // A store that had it once may have deleted it since.
      guard waiting.stage != .answered, !world.store.hasHad(id) else { continue }
      judging {
        if try cache.item(id) == nil {
          world.judge.violate("device \(index): \(id) waits to be published, and is not here")
        }
      }
    }
    for item in cache.allItems() where base(of: item).state.sequence == .zero {
      if publications[item.id].flatMap(PlainPublication.local) != base(of: item) {
        world.judge.violate("device \(index): \(item.id) is not what it publishes")
      }
    }
  }

  /// Returns the item as the base has it.
  func base(of item: CachedItem) -> UserNotification { item.stored }

  /// Returns an item with its registers as they count for the occurrence that a cached item shows.
  func counted(_ item: UserNotification, as shown: CachedItem) -> UserNotification {
    shown.version.occurrence.map { PlainOccurrence.counted(item, for: $0) } ?? item
  }

  /// Returns the item with the waiting operations applied.
  private func plainly(_ item: CachedItem, _ waiting: [WaitingOperation]) -> StoredRow {
    let base = base(of: item)
    var rows: [NotificationID: StoredRow] = [base.id: .live(base)]
    var isPublished = base.state.sequence > .zero
    for waiting in waiting {
      let operation = waiting.operation
      guard isPublished else {
        isPublished = PlainPublication.id(of: operation.id) == base.id
        continue
      }
      // The base contains the operation, and perhaps later changes by other devices.
      if waiting.stage == .answered, let answered = answeredAt[operation.id],
        answered <= base.state.sequence
      {
        continue
      }
      guard case .live(let current)? = rows[base.id] else { continue }
      if let crossed = PlainCrossing.crossed(current, by: PlainCrossing.claimed(by: operation)) {
        rows[base.id] = .live(crossed)
      }
      guard PlainRules.isMeant(current, by: operation) else { continue }
      _ = PlainRules.apply(
        operation.on(base.id), on: base.id, to: &rows, at: waiting.madeAt, zone: zone.offset)
    }
    return rows[base.id] ?? .live(base)
  }
}
