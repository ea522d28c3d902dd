import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync

/// Checks of what a device holds and shows.
extension SimulatedDevice {
  /// How often the store's data had been put back when base came from it; nil while a rebuild mixes
  /// what is new with what is older.
  var past: Int? {
    guard let state = try? cache.syncState(), state.firstSync == nil, !state.needsSweep else {
      return nil
    }
    return state.token.flatMap { world.store.timeline(of: $0) }
  }

  /// How often the store's data had been put back when the device's token came from it.
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

  /// Checks that each item shows base with the waiting operations applied, by rules of the
  /// simulation's own (SYNC-13), and that it is where it belongs once the device has settled (SYNC-11).
  func checkShown(isSettled: Bool) {
    guard let state = try? cache.syncState(), !state.needsOverlay, !state.needsSweep,
      let waiting = try? cache.waitingOperations(limit: .max)
    else { return }
    // A device that notices late that its clock was set back is not asked to be more exact.
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
        } else if !PlainRules.isSame(.live(item.notification), expected) {
          world.judge.violate("\(name) does not show what is pending")
        }
      }
      // A rebuild begins no sweep of its own until it ends, which looks at every item again.
      guard isSettled, state.firstSync == nil else { continue }
      let places =
        item.isPendingDelete
        ? [.gone] : Set(times.map { PlainPlacement.of(item.notification, at: $0) })
      if !places.contains(item.placement) {
        world.judge.violate("\(name) is in \(item.placement) instead of \(places) at \(now)")
      }
    }
  }

  /// The item after the waiting operations.
  private func plainly(_ item: CachedItem, _ waiting: [WaitingOperation]) -> StoredRow {
    var base = item.notification
    base.state = item.base
    var rows: [NotificationID: StoredRow] = [base.id: .live(base)]
    for waiting in waiting {
      let operation = waiting.operation
      // Base contains it, and perhaps what others did since.
      if waiting.stage == .answered, let answered = answeredAt[operation.id],
        answered <= base.state.sequence
      {
        continue
      }
      guard case .live(let current)? = rows[base.id], PlainRules.isMeant(current, by: operation)
      else { continue }
      _ = PlainRules.apply(operation.on(base.id), on: base.id, to: &rows, at: now)
    }
    return rows[base.id] ?? .live(base)
  }
}
