import BellhopModel

/// The contents of ``MemoryCache`` as a value, so that a crash is an assignment.
struct MemoryContents {
  /// A boxed record, so that copying the dictionary for a transaction copies references only.
  final class Box: Sendable {
    let record: ItemRecord
    init(_ record: ItemRecord) {
      self.record = record
    }
  }

  var state: SyncState
  var items: [NotificationID: Box] = [:]
  var idsByKey: [ArrivalKey: NotificationID] = [:]
  var tombstones: Set<NotificationID> = []
  var apps: [String: (settings: AppSettings, generation: Int64)] = [:]
  var rules: [RuleID: (rule: Rule, generation: Int64)] = [:]
  var outbox: [OutboxEntry] = []
  var nextPosition: Int64 = 1
  var log = MemoryLog()
  var outcomes: [OutcomeRecord] = []

  /// The records of all items, newest first.
  var records: [ItemRecord] {
    idsByKey.keys.sorted(by: >).compactMap { idsByKey[$0].flatMap { items[$0]?.record } }
  }
}

/// A transaction on a copy of the contents, which replaces the cache's contents at commit.
final class MemoryTransaction: CacheTransaction {
  var contents: MemoryContents
  private var noted: NotedChanges
  private let loggedChangesMax: Int64

  init(_ contents: MemoryContents, loggedChangesMax: Int64 = LoggedChanges.entriesMax) {
    self.contents = contents
    self.loggedChangesMax = loggedChangesMax
    noted = NotedChanges(after: contents.state.changeNumber)
  }

  /// Writes everything that was only collected until now. Call it last.
  func finish() {
    guard let row = noted.row(at: state.lookedAt ?? .distantPast) else { return }
    contents.state.changeNumber = row.last
    contents.log.append(row)
    let oldest = row.at.advanced(by: .zero - LoggedChanges.ageMax)
    contents.log.cut { $0.last > row.last - loggedChangesMax && $0.at >= oldest }
  }

  var state: SyncState {
    get { contents.state }
    set { contents.state = newValue }
  }

  // MARK: Items

  func item(_ id: NotificationID) -> ItemRecord? { contents.items[id]?.record }

  func hasItem(at key: ArrivalKey) -> Bool { contents.idsByKey[key] != nil }

  func insert(_ record: ItemRecord) { put(record, change: noted.insert(record)) }

  func replace(_ old: ItemRecord, with new: ItemRecord) { put(new, change: noted.insert(new)) }

  func update(_ old: ItemRecord, to new: ItemRecord) {
    put(new, change: noted.update(old, to: new))
  }

  private func put(_ record: ItemRecord, change: Int64) {
    var record = record
    record.change = change
    contents.items[record.base.id] = MemoryContents.Box(record)
    contents.idsByKey[record.key] = record.base.id
  }

  func remove(_ record: ItemRecord) {
    noted.remove(record)
    contents.items[record.base.id] = nil
    contents.idsByKey[record.key] = nil
  }

  func items(dueAt now: Timestamp, limit: Int) -> [ItemRecord] {
    let due = contents.items.values.map(\.record).filter { record in
      record.placementUntil.map { $0 <= now } ?? false
    }
    let sorted = due.sorted {
      ($0.placementUntil ?? now, $0.key) < ($1.placementUntil ?? now, $1.key)
    }
    return Array(sorted.prefix(limit))
  }

  func nextDue() -> Timestamp? {
    contents.items.values.compactMap(\.record.placementUntil).min()
  }

  func generations(
    below key: ArrivalKey, limit: Int
  ) -> [(key: ArrivalKey, id: NotificationID, generation: Int64)] {
    contents.records.filter { $0.key < key }.prefix(limit).map {
      ($0.key, $0.base.id, $0.generation)
    }
  }

  func unannouncedInTray(limit: Int) -> [ItemRecord] {
    Array(
      contents.records.filter { $0.placement == .tray && $0.isUnannounced }.prefix(limit))
  }

  func triggeredIDs() -> [NotificationID] {
    contents.records.filter { $0.base.content.trigger != nil }.map(\.base.id)
  }

  // MARK: Tombstones

  func hasTombstone(_ id: NotificationID) -> Bool { contents.tombstones.contains(id) }
  func addTombstone(_ id: NotificationID) { contents.tombstones.insert(id) }
  func removeTombstones() { contents.tombstones = [] }

  // MARK: Settings of apps

  func appSettings(of app: String) -> (settings: AppSettings, generation: Int64)? {
    contents.apps[app]
  }

  func put(_ settings: AppSettings, generation: Int64) {
    contents.apps[settings.app] = (settings, generation)
  }

  func removeAppSettings(olderThan generation: Int64) {
    contents.apps = contents.apps.filter { $0.value.generation >= generation }
  }

  // MARK: Rules

  func rules() -> [(rule: Rule, generation: Int64)] { Array(contents.rules.values) }

  func rule(_ id: RuleID) -> (rule: Rule, generation: Int64)? { contents.rules[id] }

  func put(_ rule: Rule, generation: Int64) { contents.rules[rule.id] = (rule, generation) }

  func removeRule(_ id: RuleID) { contents.rules[id] = nil }

  func removeRules(olderThan generation: Int64) {
    contents.rules = contents.rules.filter { $0.value.generation >= generation }
  }

  // MARK: Outbox

  func isOutboxEmpty() -> Bool { contents.outbox.isEmpty }

  func entries(naming id: NotificationID) -> [OutboxEntry] {
    contents.outbox.filter { $0.operation.notificationIDs.contains(id) }
  }

  func entries(configuring app: String?) -> [OutboxEntry] {
    contents.outbox.filter { entry in
      entry.operation.app.map { app == nil || $0 == app } ?? false
    }
  }

  func entriesChangingRules() -> [OutboxEntry] {
    contents.outbox.filter { $0.operation.rule != nil }
  }

  func entry(_ id: OperationID) -> OutboxEntry? {
    contents.outbox.first { $0.operation.id == id }
  }

  func append(_ entry: OutboxEntry) {
    var entry = entry
    entry.position = contents.nextPosition
    contents.nextPosition += 1
    contents.outbox.append(entry)
  }

  func update(_ entry: OutboxEntry) {
    guard let index = contents.outbox.firstIndex(where: { $0.position == entry.position })
    else { return }
    contents.outbox[index] = entry
  }

  func remove(_ entry: OutboxEntry) {
    contents.outbox.removeAll { $0.position == entry.position }
  }

  func heldEntries() -> [OutboxEntry] { contents.outbox.filter { $0.number == nil } }

  func unansweredEntries(limit: Int) -> [OutboxEntry] {
    let entries = contents.outbox.filter { $0.number != nil && $0.answered == nil }
    return Array(entries.sorted { ($0.number ?? 0) < ($1.number ?? 0) }.prefix(limit))
  }

  func sealedEntries() -> [OutboxEntry] {
    // The answered ones may be of an earlier lineage: they were sealed before.
    let sealed = contents.outbox.filter { $0.number != nil }
    let answered = sealed.filter { $0.answered != nil }
    let unanswered = sealed.filter { $0.answered == nil }
    return answered.sorted { ($0.number ?? 0) < ($1.number ?? 0) }
      + unanswered.sorted { ($0.number ?? 0) < ($1.number ?? 0) }
  }

  func answeredEntries(through sequence: SequenceNumber) -> [OutboxEntry] {
    contents.outbox.filter { entry in entry.answered.map { $0 <= sequence } ?? false }
  }

  func outboxCounts() -> OutboxCounts {
    let held = contents.outbox.count { $0.number == nil }
    let settling = contents.outbox.count { $0.answered != nil }
    return OutboxCounts(
      held: held, waiting: contents.outbox.count - held - settling, settling: settling)
  }
}
