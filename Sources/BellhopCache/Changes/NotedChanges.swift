import BellhopModel

/// The entries of the change log that one transaction made.
struct LoggedChanges: Hashable, Sendable {
  /// The number of the last entry. The other entries have the numbers before it.
  var last: Int64
  var at: Timestamp
  var ids: [NotificationID]
  /// The summaries of the items that the transaction removed.
  var removed: [RemovedItem]

  /// The number of the first entry.
  var first: Int64 { last - Int64(ids.count) + 1 }

  /// The default number of entries that the log keeps, or slightly more: 16 bytes each.
  static let entriesMax: Int64 = 100_000
  /// The maximum age of an entry. A store keeps tombstones at least as long (SYNC-12).
  static let ageMax: Duration = .seconds(30 * 86_400)
}

/// The changes of a transaction so far, as readers of changes receive them.
struct NotedChanges {
  private(set) var last: Int64
  private var ids: [NotificationID] = []
  private var removed: [NotificationID: RemovedItem] = [:]

  init(after last: Int64) { self.last = last }

  /// Records a new or replaced item, and returns its change number.
  mutating func insert(_ record: ItemRecord) -> Int64 {
    // The item may only have moved to another key.
    if !removed.isEmpty { removed[record.base.id] = nil }
    return note(record.base.id)
  }

  /// Records an updated item, and returns its change number: the old one if no user sees a
  /// difference.
  mutating func update(_ old: ItemRecord, to new: ItemRecord) -> Int64 {
    old.looksLike(new) ? old.change : note(new.base.id)
  }

  mutating func remove(_ record: ItemRecord) {
    _ = note(record.base.id)
    removed[record.base.id] = RemovedItem(record.notification)
  }

  private mutating func note(_ id: NotificationID) -> Int64 {
    ids.append(id)
    last += 1
    return last
  }

  /// Returns the transaction's row of the log, or nil if nothing changed.
  func row(at time: Timestamp) -> LoggedChanges? {
    guard !ids.isEmpty else { return nil }
    return LoggedChanges(
      last: last, at: time, ids: ids, removed: removed.values.sorted { $0.id < $1.id })
  }
}
