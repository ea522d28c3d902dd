internal import BellhopModel

/// The counters of a user and of the apps that one transaction touches. They are read once and
/// written back once.
struct CounterUpdates {
  /// The record of an app, and whether it is stored.
  private struct Entry {
    var record: AppRecord
    let isStored: Bool
    var isChanged = false

    /// Whether the record contains nothing worth storing.
    var isEmpty: Bool { record.use.rows == 0 && !record.isConfigured }
    /// Whether this transaction creates the record.
    var isNew: Bool { !isStored && isChanged && !isEmpty }
  }

  let user: UserID
  private(set) var counters: UserCounters
  private var isChanged = false
  private var apps: [String: Entry] = [:]

  /// - Throws: ``StoreError/notFound(what:)`` for an unknown user.
  init(_ user: UserID, in transaction: any StoreReading) throws {
    guard let counters = try transaction.counters(of: user) else {
      throw StoreError.notFound(what: "user")
    }
    self.user = user
    self.counters = counters
  }

  /// Takes the next sequence. The first one in a start leaves a mark, by which tokens from before a
  /// rollback of the data are detected (SYNC-4).
  ///
  /// - Throws: ``StoreError/busy`` if another process has written for the user in a later start. It
  ///   cannot in the scope of one user, where the user is locked before the start is read.
  mutating func nextSequence(
    _ start: StoreStart, at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> SequenceNumber {
    guard counters.start <= start.ordinal else { throw StoreError.busy }
    let sequence = counters.sequence.next
    // Set before the first write, so that a failed write is attributed to this user.
    transaction.takenSequence = TakenSequence(user: user, sequence: sequence)
    if counters.start != start.ordinal {
      try transaction.insertStartSequence(counters.sequence, start: start.ordinal, of: user)
      counters.start = start.ordinal
    }
    counters.sequence = sequence
    counters.changed = now
    isChanged = true
    return sequence
  }

  mutating func nextShortNumber() -> Int64 {
    counters.shortNumber += 1
    isChanged = true
    return counters.shortNumber
  }

  mutating func raiseFloor(to sequence: SequenceNumber) {
    guard sequence > counters.floor else { return }
    counters.floor = sequence
    isChanged = true
  }

  /// Notes the sequence of a change of a rule.
  mutating func noteRules(_ sequence: SequenceNumber) {
    counters.rules = sequence
    isChanged = true
  }

  /// Returns the app's record; an empty one if the store has none.
  mutating func app(_ app: String, in state: any StoreReading) throws -> AppRecord {
    try entry(app, in: state).record
  }

  /// Whether the store has a record of the app, or gets one with this transaction.
  mutating func knows(_ app: String, in state: any StoreReading) throws -> Bool {
    let entry = try entry(app, in: state)
    return entry.isStored || entry.isNew
  }

  /// The number of apps with a record after this transaction, if none loses its record.
  var appCount: Int { counters.apps + apps.values.count { $0.isNew } }

  private mutating func entry(_ app: String, in state: any StoreReading) throws -> Entry {
    if let entry = apps[app] { return entry }
    let stored = try state.app(app, of: user)
    let entry = Entry(record: stored ?? AppRecord(app: app), isStored: stored != nil)
    apps[app] = entry
    return entry
  }

  /// Adds a write's changes to the counters of the app and the user.
  mutating func count(
    items: Int = 0, tombstones: Int = 0, bytes: Int = 0, of app: String,
    in state: any StoreReading
  ) throws {
    guard items != 0 || tombstones != 0 || bytes != 0 else { return }
    var entry = try entry(app, in: state)
    let change = StorageUse(items: items, tombstones: tombstones, bytes: bytes)
    entry.record.use += change
    entry.isChanged = true
    apps[app] = entry
    counters.use += change
    isChanged = true
  }

  /// Applies the app's new settings, which the caller stores.
  mutating func configure(_ settings: AppSettings, in state: any StoreReading) throws {
    var entry = try entry(settings.app, in: state)
    entry.record.retentionDays = settings.retentionDays
    entry.record.authorization = settings.authorization
    entry.record.repeats = settings.repeatKey
    entry.record.resolutions = settings.resolutions
    entry.record.isConfigured = true
    entry.isChanged = true
    apps[settings.app] = entry
    isChanged = true
  }

  /// Writes back all changes. Call it last.
  mutating func close(in transaction: any StoreTransaction) throws {
    for (app, entry) in apps.sorted(by: { $0.key < $1.key }) where entry.isChanged {
      switch (entry.isStored, entry.isEmpty) {
      case (true, true):
        try transaction.removeApp(app, of: user)
        counters.apps -= 1
      case (false, true): break
      case (let isStored, false):
        try transaction.setUse(entry.record.use, ofApp: app, of: user)
        if !isStored { counters.apps += 1 }
      }
    }
    if isChanged { try transaction.setCounters(counters, of: user) }
  }
}

extension StoreLogic {
  /// Stores a new item, with the time at which it leaves the store.
  func insert(
    _ item: UserNotification, ledger: inout CounterUpdates, in transaction: any StoreTransaction
  ) throws {
    try ledger.count(
      items: 1, bytes: item.content.storedByteCount, of: item.content.app, in: transaction)
    try update(item, ledger: &ledger, in: transaction)
  }

  /// Stores an item in place of the previous one. The app is the same; the content may differ.
  func replace(
    _ old: UserNotification, with item: UserNotification, ledger: inout CounterUpdates,
    in transaction: any StoreTransaction
  ) throws {
    try ledger.count(
      bytes: item.content.storedByteCount - old.content.storedByteCount, of: item.content.app,
      in: transaction)
    try update(item, ledger: &ledger, in: transaction)
  }

  /// Stores an item whose registers changed but not its content, with the time at which it leaves
  /// the store.
  func update(
    _ item: UserNotification, ledger: inout CounterUpdates, in transaction: any StoreTransaction
  ) throws {
    let clock = try wallClock(for: item.content, of: ledger.user, in: transaction)
    let app = try ledger.app(item.content.app, in: transaction)
    try transaction.put(item, leaves: leavingTime(of: item, in: app, on: clock), of: ledger.user)
  }

  /// Turns the item into a tombstone.
  func replaceWithTombstone(
    _ item: UserNotification, ledger: inout CounterUpdates, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws {
    let sequence = try ledger.nextSequence(identity.start, at: now, in: transaction)
    try ledger.count(
      items: -1, tombstones: 1, bytes: -item.content.storedByteCount, of: item.content.app,
      in: transaction)
    try removeFiles(of: item, in: transaction, user: ledger.user)
    if item.repeats != nil { try transaction.removeAliases(of: item.id, user: ledger.user) }
    let shown = Mutant.deletionHidden.isOn ? item.state.sequence : sequence
    try transaction.put(Tombstone(of: item, sequence: shown, deleted: now), of: ledger.user)
  }

  /// Returns when the item leaves the store by its expiration or its app's retention; nil for a
  /// pinned one.
  ///
  /// - Parameter clock: The clock of the item's trigger.
  func leavingTime(
    of item: UserNotification, in app: AppRecord, on clock: WallClock
  ) -> Timestamp? {
    if item.state.pinned.value, !Mutant.pinnedItemsLeave.isOn { return nil }
    return endOfStay(of: item, in: app, on: clock)
  }

  /// Returns when an item leaves the store unless a user pins it.
  ///
  /// By retention, a snoozed item leaves no earlier than ``StoreLimits/snoozedStay`` after its
  /// snooze ends, or after it was taken out of a snooze (SYNC-12). An expiration always applies: a
  /// snooze past it is refused.
  ///
  /// - Parameter clock: The clock of the item's trigger.
  func endOfStay(
    of item: UserNotification, in app: AppRecord, on clock: WallClock
  ) -> Timestamp {
    if let expiration = item.content.expiration { return expiration }
    let start =
      Mutant.retentionFromCreation.isOn ? item.created : lastDelivery(of: item, on: clock)
    let end = start.advanced(by: retention(of: app))
    guard let wake = item.endOfSnooze, !Mutant.sleepersLeave.isOn else { return end }
    return max(end, wake.advanced(by: limits.snoozedStay))
  }

  /// Returns the arrival of an item; with a trigger, the next occurrence or else the latest.
  ///
  /// By retention, an item thus never leaves before its last occurrence.
  private func lastDelivery(of item: UserNotification, on clock: WallClock) -> Timestamp {
    guard item.content.trigger != nil else { return item.arrival }
    let now = expiryNow
    return item.nextOccurrence(after: now, on: clock)
      ?? item.latestOccurrence(through: now, on: clock)?.time ?? item.arrival
  }

  /// Returns how long the app's items without an expiration stay.
  func retention(of app: AppRecord) -> Duration {
    app.retentionDays.map { .seconds(Int64($0) * 86_400) } ?? limits.retention
  }
}

extension UserNotification {
  /// The time at which the current snooze ends, or at which an operation ended the last one. It is
  /// nil for an item whose last state was not a snooze.
  fileprivate var endOfSnooze: Timestamp? {
    let action = state.userActionState
    if let until = action.value.snoozedUntil { return until }
    guard action.previous?.kind == .snoozed else { return nil }
    return action.change?.at
  }

  /// Whether the item is snoozed.
  func isSnoozed(at now: Timestamp) -> Bool {
    state.userActionState.value.snoozedUntil.map { $0 > now } ?? false
  }
}
