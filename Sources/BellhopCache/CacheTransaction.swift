import BellhopModel

/// The storage operations that the cache's rules need, inside one transaction.
///
/// The rules themselves are ``CacheLogic``, written once for every storage.
protocol CacheTransaction: AnyObject, OutcomeRecords, BulkRecords {
  var state: SyncState { get set }

  // MARK: Items

  func item(_ id: NotificationID) throws -> ItemRecord?
  func hasItem(at key: ArrivalKey) throws -> Bool
  func insert(_ record: ItemRecord) throws
  /// Replaces an item under the same key. Content, base and shown state may differ.
  func replace(_ old: ItemRecord, with new: ItemRecord) throws
  /// Updates an item under the same key, with the same content.
  ///
  /// Only the base registers, shown state, placement and announcement differ, and the fields that
  /// rules change with the registers.
  func update(_ old: ItemRecord, to new: ItemRecord) throws
  func remove(_ record: ItemRecord) throws
  /// Returns items whose placement ends at `now` or earlier, earliest first.
  func items(dueAt now: Timestamp, limit: Int) throws -> [ItemRecord]
  func nextDue() throws -> Timestamp?
  /// Returns at most `limit` items below the key, highest first, as keys with generations.
  func generations(
    below key: ArrivalKey, limit: Int
  ) throws -> [(key: ArrivalKey, id: NotificationID, generation: Int64)]
  func unannouncedInTray(limit: Int) throws -> [ItemRecord]

  // MARK: Tombstones of a first synchronisation

  func hasTombstone(_ id: NotificationID) throws -> Bool
  func addTombstone(_ id: NotificationID) throws
  func removeTombstones() throws

  // MARK: Settings of apps

  func appSettings(of app: String) throws -> (settings: AppSettings, generation: Int64)?
  /// Stores the settings of an app, replacing earlier ones.
  func put(_ settings: AppSettings, generation: Int64) throws
  /// Removes settings of older generations, which the ending rebuild did not bring again.
  func removeAppSettings(olderThan generation: Int64) throws

  // MARK: Rules

  /// Returns the rules of base with their generations, in no particular order.
  ///
  /// It leaves out a row that only a later version can read.
  func rules() throws -> [(rule: Rule, generation: Int64)]
  /// Returns a rule of base; nil also for a row that only a later version can read.
  func rule(_ id: RuleID) throws -> (rule: Rule, generation: Int64)?
  /// Stores a rule, replacing the earlier row.
  func put(_ rule: Rule, generation: Int64) throws
  func removeRule(_ id: RuleID) throws
  /// Removes rules of older generations, which the ending rebuild did not bring again.
  func removeRules(olderThan generation: Int64) throws

  // MARK: Outbox

  /// Returns whether the outbox contains no entries at all, not even answered ones.
  func isOutboxEmpty() throws -> Bool
  /// Returns the entries that name an item, in the order made.
  func entries(naming id: NotificationID) throws -> [OutboxEntry]
  /// Returns the entries that change settings, of one app or of all, in the order made.
  func entries(configuring app: String?) throws -> [OutboxEntry]
  /// Returns the entries that change rules, in the order made.
  func entriesChangingRules() throws -> [OutboxEntry]
  func entry(_ id: OperationID) throws -> OutboxEntry?
  /// Appends an entry. The storage assigns its position.
  func append(_ entry: OutboxEntry) throws
  func update(_ entry: OutboxEntry) throws
  func remove(_ entry: OutboxEntry) throws
  /// Returns the entries that are not sealed, in the order made.
  func heldEntries() throws -> [OutboxEntry]
  /// Returns the sealed entries that are not answered, by number.
  func unansweredEntries(limit: Int) throws -> [OutboxEntry]
  /// Returns the ids of items with a trigger.
  func triggeredIDs() throws -> [NotificationID]
  /// Returns the sealed entries: the answered ones, then the others, each by number.
  func sealedEntries() throws -> [OutboxEntry]
  /// Returns the entries answered with a change counter up to `sequence`.
  func answeredEntries(through sequence: SequenceNumber) throws -> [OutboxEntry]
  func outboxCounts() throws -> OutboxCounts
}
