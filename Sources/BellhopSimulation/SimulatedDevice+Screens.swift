import BellhopCache
import BellhopModel
import BellhopSync

/// Actions of the user at the screens of the machine.
extension SimulatedDevice {
  /// Writes operations to the outbox, as any process on the machine may do.
  func perform(_ operations: [Operation], sealAfter: Duration?) {
    let now = now
    let ids = operations.map(\.id)
    let low = ids.first?.low ?? 0
    // A command waits for the disk before it sends; a screen sends while the disk syncs. No random
    // number is drawn, so that the meaning of seeds does not change.
    let isAwaited = low % 3 == 0
    let screen = hasSecondScreen && low % 5 == 4 ? secondScreen : cache
    if screen === secondScreen { doneOnSecond.formUnion(ids) }
    let done = local { (_) throws(CacheError) in
      try screen.enqueue(
        operations, now: now, sealAfter: sealAfter, durability: isAwaited ? .now : .later)
    }
    if done == nil {
      for id in ids { world.judge.uncertain(id) }
    } else {
      if isAwaited {
        unsynced = []
      } else {
        unsynced += ids
        syncLater(.milliseconds(Self.syncTimes[Int(low) % Self.syncTimes.count]))
      }
      // The process may have been killed here.
      noteShown(operations)
    }
    settle()
  }

  private func noteShown(_ operations: [Operation]) {
    // A screen shows the effect of a bulk operation at once.
    if operations.contains(where: \.isBulkTarget) { tidy() }
    for operation in operations {
      let items = operation.isBulkTarget ? world.store.published : operation.notificationIDs
      judging { try watch.shown.made(operation, on: items, in: cache) }
      if operation.setsSchedule, world.scenario.mayClocksGoBack {
        watch.mayRingAgain(operation.notificationIDs)
      }
    }
  }

  /// Syncs the disk after a delay, concurrently with everything else.
  private func syncLater(_ time: Duration) {
    let asked = incarnation
    world.scheduler.after(time) { [self] in
      guard asked == incarnation, isRunning else { return }
      cache.sync()
      unsynced = []
    }
  }

  func cancel(_ id: OperationID) -> Bool {
    let now = now
    let cancelled = local { (_) throws(CacheError) in try cache.cancel(id, now: now) }
    // A write that failed may still have taken effect.
    if cancelled == nil { world.judge.uncertain(id) }
    settle()
    return cancelled.flatMap { $0 } != nil
  }

  /// Quits the second screen of the machine.
  ///
  /// - Returns: False if there is no second screen.
  func quitSecondScreen() -> Bool {
    guard isRunning, hasSecondScreen else { return false }
    world.note("device \(index): the second screen quits")
    let (now, done) = (now, doneOnSecond)
    let isOnFirst = { (id: OperationID) in !done.contains(id) }
    keepingHeld(where: isOnFirst) {
      _ = local { (_) throws(CacheError) in try secondScreen.seal(.own, now: now) }
    }
    settle()
    return true
  }

  /// Runs the end of a screen, and checks that deletes of the other screen stay held for their
  /// grace period.
  func keepingHeld(where isOthers: (OperationID) -> Bool, _ body: () -> Void) {
    let held = heldIDs().filter(isOthers)
    body()
    for id in held.subtracting(heldIDs()) where isRunning {
      world.judge.violate("device \(index): \(id) was sealed by a screen that did not make it")
    }
  }

  /// The deletes within their grace period.
  private func heldIDs() -> Set<OperationID> {
    let waiting = (try? cache.waitingOperations(limit: .max)) ?? []
    // If the end is later than any grace period, a clock was set, and all deletes are sealed.
    let end = now.advanced(by: policy.deleteGrace)
    return Set(
      waiting.filter {
        if case .held(let until) = $0.stage { until > now && until <= end } else { false }
      }.map(\.id))
  }
}
