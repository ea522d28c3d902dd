import BellhopModel

/// What the rules of the cache need from a storage, inside one transaction.
///
/// The rules themselves are ``CacheLogic``, written once for every storage.
protocol CacheTransaction: AnyObject, OutcomeRecords, BulkRecords {
  var state: SyncState { get set }

  // MARK: Items

  func item(_ id: NotificationID) throws -> ItemRecord?
  func hasItem(at key: ArrivalKey) throws -> Bool
  func insert(_ record: ItemRecord) throws
  /// Same key; content, base and shown may differ.
  func replace(_ old: ItemRecord, with new: ItemRecord) throws
  /// Same key and content; only base registers, shown, placement and announcement differ.
  func update(_ old: ItemRecord, to new: ItemRecord) throws
  func remove(_ record: ItemRecord) throws
  /// Items whose placement ends at `now` or earlier, earliest first.
  func items(dueAt now: Timestamp, limit: Int) throws -> [ItemRecord]
  func nextDue() throws -> Timestamp?
  /// At most `limit` items below the key, highest first, as keys with generations.
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
  /// Stores the settings instead of those that were there.
  func put(_ settings: AppSettings, generation: Int64) throws
  /// Removes what the rebuild that ends with this generation did not bring again.
  func removeAppSettings(olderThan generation: Int64) throws

  // MARK: Outbox

  /// Whether the outbox holds nothing at all, answered entries included.
  func isOutboxEmpty() throws -> Bool
  /// In the order made.
  func entries(naming id: NotificationID) throws -> [OutboxEntry]
  /// Those that change settings, of one app or of all, in the order made.
  func entries(configuring app: String?) throws -> [OutboxEntry]
  func entry(_ id: OperationID) throws -> OutboxEntry?
  /// The position of the entry is given by the storage.
  func append(_ entry: OutboxEntry) throws
  func update(_ entry: OutboxEntry) throws
  func remove(_ entry: OutboxEntry) throws
  /// Not sealed, in the order made.
  func heldEntries() throws -> [OutboxEntry]
  /// Sealed and not answered, by number.
  func unansweredEntries(limit: Int) throws -> [OutboxEntry]
  /// Sealed: the answered ones, then the others, each by number.
  func sealedEntries() throws -> [OutboxEntry]
  /// Answered with a change counter not above `sequence`.
  func answeredEntries(through sequence: SequenceNumber) throws -> [OutboxEntry]
  func outboxCounts() throws -> OutboxCounts
}
