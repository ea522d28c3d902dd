import BellhopModel

/// The entries of the log of changes that one transaction made.
struct LoggedChanges: Hashable, Sendable {
  /// The number of the last entry; the others have the numbers before it.
  var last: Int64
  var at: Timestamp
  var ids: [NotificationID]
  /// What remains of those items that the transaction removed.
  var removed: [RemovedItem]

  /// The number of the first entry.
  var first: Int64 { last - Int64(ids.count) + 1 }

  /// So many entries are kept, or a few more, unless a cache is told otherwise: 16 bytes each.
  static let entriesMax: Int64 = 100_000
  /// As long as a store keeps tombstones at least (SYNC-12).
  static let ageMax: Duration = .seconds(30 * 86_400)
}

/// What a transaction has changed so far, as readers of changes are told of it.
struct NotedChanges {
  private(set) var last: Int64
  private var ids: [NotificationID] = []
  private var removed: [NotificationID: RemovedItem] = [:]

  init(after last: Int64) { self.last = last }

  /// The number that the new or replaced record gets.
  mutating func insert(_ record: ItemRecord) -> Int64 {
    // It may only have moved to another place.
    if !removed.isEmpty { removed[record.base.id] = nil }
    return note(record.base.id)
  }

  /// The number of the updated record: its old one when nobody would see the difference.
  mutating func update(_ old: ItemRecord, to new: ItemRecord) -> Int64 {
    old.looksLike(new) ? old.change : note(new.base.id)
  }

  mutating func remove(_ record: ItemRecord) {
    _ = note(record.base.id)
    removed[record.base.id] = RemovedItem(record.base)
  }

  private mutating func note(_ id: NotificationID) -> Int64 {
    ids.append(id)
    last += 1
    return last
  }

  /// The transaction's row of the log; nil when nothing changed.
  func row(at time: Timestamp) -> LoggedChanges? {
    guard !ids.isEmpty else { return nil }
    return LoggedChanges(
      last: last, at: time, ids: ids, removed: removed.values.sorted { $0.id < $1.id })
  }
}
