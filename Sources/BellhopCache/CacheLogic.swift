import BellhopModel

/// The rules of the cache, applied in one transaction of any storage.
///
/// They implement SYNC-9, SYNC-11, SYNC-13, SYNC-14 and SYNC-16.
struct CacheLogic<Transaction: CacheTransaction> {
  let transaction: Transaction
  private let identity: CacheIdentity
  /// The time zones of this device.
  var wallClock: WallClock { identity.wallClock }
  /// The run of the process that makes this transaction.
  var owner: OutboxOwner { identity.owner }
  /// The counts at which repeats are announced again.
  var repeatRings: RepeatRings { identity.repeatRings }
  /// The number of the form in which this version reads items.
  var form: Int64 { identity.form }

  init(_ transaction: Transaction, _ identity: CacheIdentity) {
    self.transaction = transaction
    self.identity = identity
  }

  /// The age at which the cache marks a crossing as announced without a ring.
  private static var lateCrossing: Duration { .seconds(15 * 60) }

  /// Returns whether the arrival of an item is not announced at `now`.
  ///
  /// A rule silences it, its app may neither show alerts nor play sounds, or a crossing delivered it
  /// long ago.
  func isSilent(_ record: ItemRecord, at now: Timestamp) throws -> Bool {
    if case .crossing(let time)? = record.occurrence?.label,
      now >= time.advanced(by: Self.lateCrossing)
    {
      return true
    }
    if record.isSilenced { return true }
    guard let settings = try shownSettings(of: record.effective.app) else { return false }
    let granted = settings.announcement(at: now, on: wallClock)
    return !granted.alert && !granted.sound
  }

  /// Updates the shown state of an item. Does nothing if the item does not exist.
  ///
  /// It removes an item that no operation in the outbox publishes any more, and that the store has not
  /// sent: the store refused it, or it has replaced another item.
  ///
  /// - Returns: Whether anything changed.
  @discardableResult
  func refresh(_ id: NotificationID, now: Timestamp) throws -> Bool {
    guard let old = try transaction.item(id) else { return false }
    let entries = try entries(meaning: id)
    if old.isLocal, !isPublished(id, by: entries) {
      // Held operations on it stay: the store knows which item they mean.
      try transaction.remove(old)
      return true
    }
    let new = try shown(old, entries, now: now)
    guard new != old else { return false }
    try put(new, replacing: old)
    return true
  }

  /// Returns the record with its shown state at `now`, under the key of its arrival then.
  func shown(
    _ record: ItemRecord, _ entries: [OutboxEntry], now: Timestamp
  ) throws -> ItemRecord {
    let before = record
    var record = record
    record.show(entries, at: now, on: wallClock)
    // An operation that is sent again makes what base may already contain.
    if record.own?.operation != before.own?.operation, !record.isDelivered(like: before) {
      record.noteSchedule(at: now)
    }
    if !record.key.isOf(record.arrival) {
      record.key = try freeKey(at: record.arrival, number: record.base.shortNumber)
    }
    return record
  }

  /// Stores a record with the same content, under its key.
  ///
  /// An occurrence of the trigger gives an item a new key, which moves it to the top of the lists.
  func put(_ new: ItemRecord, replacing old: ItemRecord) throws {
    guard new.key != old.key else { return try transaction.update(old, to: new) }
    try transaction.remove(old)
    try transaction.insert(new)
  }

  func refresh(_ ids: [NotificationID], now: Timestamp) throws {
    for id in ids { try refresh(id, now: now) }
    if !ids.isEmpty { noteCheck(at: now) }
  }

  /// The smallest step of the clock that counts.
  ///
  /// Smaller steps justify neither a write nor another check of all items.
  private static var clockStepMin: Duration { .seconds(1) }

  /// Records that items were placed according to `now`.
  func noteCheck(at now: Timestamp) {
    if let known = transaction.state.lookedAt, now < known.advanced(by: Self.clockStepMin) {
      return
    }
    transaction.state.lookedAt = now
  }

  /// Returns whether the clock was set back since items were last placed.
  private func isClockSetBack(_ now: Timestamp) -> Bool {
    guard let known = transaction.state.lookedAt, !Mutant.clockSetBackUnnoticed.isOn
    else { return false }
    return now.advanced(by: Self.clockStepMin) < known
  }

  /// Whether the device's time zone is another one than when items were last placed, or was not
  /// recorded then.
  private var isZoneNew: Bool {
    transaction.state.zoneMark != wallClock.ownZoneMark && !Mutant.zoneChangeUnnoticed.isOn
  }

  /// Starts a check of all items if the clock was set back or the time zone changed.
  private func noticeClock(_ now: Timestamp) {
    let isZoneChanged = isZoneNew && transaction.state.zoneMark != nil
    if isZoneNew { transaction.state.zoneMark = wallClock.ownZoneMark }
    guard isClockSetBack(now) || isZoneChanged else { return }
    transaction.state.lookedAt = now
    transaction.state.sweepBelow = ArrivalKey(rawValue: .max)
  }

  /// Returns a free key for an item: its arrival and short number, moved up if taken.
  func freeKey(at arrival: Timestamp, number: Int64) throws -> ArrivalKey {
    let floor = ArrivalKey(floorOf: arrival).rawValue
    var tie = number & ArrivalKey.tieMask
    while try transaction.hasItem(at: ArrivalKey(rawValue: floor | tie)) {
      tie = (tie + 1) & ArrivalKey.tieMask
    }
    return ArrivalKey(rawValue: floor | tie)
  }

  /// Removes an item, and the held operations that name no other item.
  ///
  /// Sealed operations stay: the store expects their numbers, and answers `gone`.
  func removeItem(
    _ record: ItemRecord, now: Timestamp, lost: inout [RejectedOperation]
  ) throws {
    try transaction.remove(record)
    guard try !transaction.isOutboxEmpty() else { return }
    for entry in try transaction.entries(naming: record.base.id)
    where entry.number == nil && entry.operation.notificationIDs.count == 1 {
      try transaction.remove(entry)
      // A delete needs no outcome: the item is gone, as the user wanted.
      if entry.operation.mutation != .delete {
        try keepOutcome(of: entry, .gone, number: record.base.shortNumber, now: now)
        lost.append(RejectedOperation(operation: entry.operation, result: .gone))
      }
    }
  }

  // MARK: Time

  func pendingWork(now: Timestamp) throws -> PendingWork? {
    let nextSeal = try transaction.heldEntries().map { $0.sealAt ?? now }.min()
    let nextDue = try transaction.nextDue()
    let isNothingDue = [nextSeal, nextDue].allSatisfy { $0.map { $0 > now } ?? true }
    guard isNothingDue, !isClockSetBack(now), !isZoneNew else { return nil }
    return PendingWork(
      nextSeal: nextSeal, nextDue: nextDue, outbox: try transaction.outboxCounts(),
      needsSweep: transaction.state.needsSweep || transaction.state.needsOverlay)
  }

  func moveDueItems(now: Timestamp, limit: Int) throws -> DueItemsOutcome {
    noticeClock(now)
    var outcome = DueItemsOutcome(changed: [], arrivals: [], nextDue: nil)
    for old in try transaction.items(dueAt: now, limit: limit) {
      if Mutant.turnOverLeftOut.isOn { break }
      var new = try shown(old, entries(meaning: old.base.id), now: now)
      let isDelivered =
        (old.placement == .scheduled || old.occurrence?.label != new.occurrence?.label)
        && new.placement == .tray && new.isUnannounced
      if isDelivered, try isSilent(new, at: now) { new.noteAnnounced() }
      try put(new, replacing: old)
      outcome.changed.append(old.base.id)
      if isDelivered, new.isUnannounced { outcome.arrivals.append(new.arrivalValue) }
    }
    if !outcome.changed.isEmpty { noteCheck(at: now) }
    outcome.nextDue = try transaction.nextDue()
    outcome.needsSweep = transaction.state.needsSweep || transaction.state.needsOverlay
    return outcome
  }

  // MARK: Announcing

  func claimAnnouncements(_ arrivals: [Arrival]) throws -> [Arrival] {
    var granted: [Arrival] = []
    for arrival in arrivals {
      guard let record = try transaction.item(arrival.id),
        record.isUnannounced || Mutant.announcedTwice.isOn,
        record.base.state.meaningSequence == arrival.meaning, record.ringStep == arrival.step,
        record.occurrence?.label == arrival.occurrence
      else { continue }
      granted.append(try claim(record))
    }
    return granted
  }

  func claimTrayAnnouncements(limit: Int) throws -> [Arrival] {
    try transaction.unannouncedInTray(limit: limit).filter(\.isUnannounced).map { try claim($0) }
  }

  private func claim(_ record: ItemRecord) throws -> Arrival {
    var claimed = record
    claimed.noteAnnounced()
    try transaction.update(record, to: claimed)
    return claimed.arrivalValue
  }
}
