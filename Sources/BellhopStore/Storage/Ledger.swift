internal import BellhopModel

/// A user's counters during one transaction, and those of the apps it touches: read once, written
/// back once.
struct Ledger {
  /// An app's record, and whether the storage has one.
  private struct Entry {
    var record: AppRecord
    let isStored: Bool
    var isChanged = false

    /// Whether there is anything to have a record of.
    var isEmpty: Bool { record.use.rows == 0 && !record.isConfigured }
    /// Whether this transaction makes the record.
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

  /// Takes the next sequence. The first one in a start leaves a mark, by which tokens from before
  /// a rollback of the data are told (SYNC-4).
  mutating func nextSequence(
    _ start: StoreStart, in transaction: any StoreTransaction
  ) throws -> SequenceNumber {
    let sequence = counters.sequence.next
    // Before the first write: one that fails is known by it to be this user's.
    transaction.takenSequence = TakenSequence(user: user, sequence: sequence)
    if counters.start != start.ordinal {
      try transaction.insertStartSequence(counters.sequence, start: start.ordinal, of: user)
      counters.start = start.ordinal
    }
    counters.sequence = sequence
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

  /// The app's record; an empty one when the store has none.
  mutating func app(_ app: String, in state: any StoreReading) throws -> AppRecord {
    try entry(app, in: state).record
  }

  /// Whether the store has a record of the app, or gets one with this transaction.
  mutating func knows(_ app: String, in state: any StoreReading) throws -> Bool {
    let entry = try entry(app, in: state)
    return entry.isStored || entry.isNew
  }

  /// How many apps have a record once this transaction is over, if none loses its own.
  var appCount: Int { counters.apps + apps.values.count { $0.isNew } }

  private mutating func entry(_ app: String, in state: any StoreReading) throws -> Entry {
    if let entry = apps[app] { return entry }
    let stored = try state.app(app, of: user)
    let entry = Entry(record: stored ?? AppRecord(app: app), isStored: stored != nil)
    apps[app] = entry
    return entry
  }

  /// Counts what a write adds to the app and takes from it.
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

  /// Notes the app's new settings, which the caller stores.
  mutating func configure(_ settings: AppSettings, in state: any StoreReading) throws {
    var entry = try entry(settings.app, in: state)
    entry.record.retentionDays = settings.retentionDays
    entry.record.isConfigured = true
    entry.isChanged = true
    apps[settings.app] = entry
    isChanged = true
  }

  /// Writes back what was changed. To be called last.
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
  /// Stores a new item, with the time it leaves.
  func insert(
    _ item: UserNotification, ledger: inout Ledger, in transaction: any StoreTransaction
  ) throws {
    try ledger.count(
      items: 1, bytes: item.content.storedByteCount, of: item.content.app, in: transaction)
    try update(item, ledger: &ledger, in: transaction)
  }

  /// Stores an item instead of the one that was there. The app is the same, the content need not.
  func replace(
    _ old: UserNotification, with item: UserNotification, ledger: inout Ledger,
    in transaction: any StoreTransaction
  ) throws {
    try ledger.count(
      bytes: item.content.storedByteCount - old.content.storedByteCount, of: item.content.app,
      in: transaction)
    try update(item, ledger: &ledger, in: transaction)
  }

  /// Stores an item whose registers changed and whose content did not, with the time it leaves.
  func update(
    _ item: UserNotification, ledger: inout Ledger, in transaction: any StoreTransaction
  ) throws {
    let leaves = leavingTime(of: item, in: try ledger.app(item.content.app, in: transaction))
    try transaction.put(item, leaves: leaves, of: ledger.user)
  }

  /// Turns the item into a tombstone.
  func bury(
    _ item: UserNotification, ledger: inout Ledger, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws {
    let sequence = try ledger.nextSequence(identity.start, in: transaction)
    try ledger.count(
      items: -1, tombstones: 1, bytes: -item.content.storedByteCount, of: item.content.app,
      in: transaction)
    try removeFiles(of: item, in: transaction, user: ledger.user)
    let shown = Mutant.deletionHidden.isOn ? item.state.sequence : sequence
    try transaction.put(Tombstone(of: item, sequence: shown, deleted: now), of: ledger.user)
  }

  /// When the item leaves by its expiration or by its app's retention; nil for a kept one.
  func leavingTime(of item: UserNotification, in app: AppRecord) -> Timestamp? {
    if item.state.kept.value, !Mutant.keptItemsLeave.isOn { return nil }
    return endOfStay(of: item, in: app)
  }

  /// When an item leaves unless a user keeps it.
  ///
  /// By retention, a snoozed item does not leave before its snooze is over and
  /// ``StoreLimits/snoozedStay`` has passed since, nor before that time after it was taken out of a
  /// snooze (SYNC-12). An expiration is obeyed: a snooze past it is refused.
  func endOfStay(of item: UserNotification, in app: AppRecord) -> Timestamp {
    if let expiration = item.content.expiration { return expiration }
    let start = Mutant.retentionFromCreation.isOn ? item.created : item.arrival
    let end = start.advanced(by: retention(of: app))
    guard let wake = item.endOfSnooze, !Mutant.sleepersLeave.isOn else { return end }
    return max(end, wake.advanced(by: limits.snoozedStay))
  }

  /// How long items of the app stay that name no expiration.
  func retention(of app: AppRecord) -> Duration {
    app.retentionDays.map { .seconds(Int64($0) * 86_400) } ?? limits.retention
  }
}

extension UserNotification {
  /// When the present snooze is over, or when an operation ended the last one; nil for an item whose
  /// last state was not a snooze.
  fileprivate var endOfSnooze: Timestamp? {
    let action = state.userActionState
    if let until = action.value.snoozedUntil { return until }
    guard action.previous?.kind == .snoozed else { return nil }
    return action.change?.at
  }

  /// Whether the item sleeps.
  func isSnoozed(at now: Timestamp) -> Bool {
    state.userActionState.value.snoozedUntil.map { $0 > now } ?? false
  }
}
