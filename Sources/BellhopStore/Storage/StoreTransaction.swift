package import BellhopModel

/// The keys of a store's metadata.
package enum MetadataKey: String, Sendable {
  case epoch
  /// The key of the tokens' MAC: 32 random bytes.
  case tokenKey
  /// The value of ``StoreLimits/retention`` in milliseconds, for items of apps without their own
  /// retention.
  case retention
  /// The last accepted wall-clock time; see ``ClockRecord``.
  case clock
  /// The time of the last test write to the storage.
  case probe
  /// The state of the copy whose target this storage is; see ``CopyProgress``.
  case copyProgress
  /// The mark of a moved store, see ``MoveMark``; empty after the store was revived.
  case movedTo
}

/// Read access to one committed state of a store. It must not be used outside the call that
/// provides it.
package protocol StoreReading: AnyObject, ListReading, BulkWorkReading, SignInReading,
  SubscriptionReading, AppReading, StatisticsRecords, FileReading, ResponseReading,
  ProcessReading, BlobHoldReading, DeviceGrantReading, AttemptReading, StreamReading, RepeatReading,
  RuleReading
{
  /// The key of the data's life; nil in a storage that only one process serves.
  ///
  /// It is a fact about the database server, known without a query. It is the same in all
  /// transactions until a failover, which may have replaced the data by an earlier state. With a key,
  /// the logic calls ``latestStart()`` in every read and write, and ``counters(of:)`` in every write
  /// for one user. So a backend may fetch both with the statement that locks the user.
  var lifeKey: LifeKey? { get }

  func metadata(_ key: MetadataKey) throws -> [UInt8]?
  func start(_ id: UniqueID<StoreStart>) throws -> StoreStart?
  /// Returns the start with the highest ordinal.
  func latestStart() throws -> StoreStart?

  /// Returns the users in the order they were added.
  func users() throws -> [User]
  func user(_ id: UserID) throws -> User?
  func user(named name: String) throws -> User?
  func counters(of user: UserID) throws -> UserCounters?
  /// Returns the user's sequence before the first write of the next start after `ordinal`.
  ///
  /// The next start is the first later one that wrote for the user; the result is nil if none did.
  func sequence(of user: UserID, beforeStartAfter ordinal: Int64) throws -> SequenceNumber?

  func row(_ id: NotificationID, of user: UserID) throws -> StoredRow?
  /// Returns the live item with this app notification id, expired or not.
  func item(app: String, appNotificationID: String, of user: UserID) throws -> UserNotification?
  func item(number: Int64, of user: UserID) throws -> UserNotification?
  /// Returns live items, newest arrival first.
  func items(_ query: ItemQuery, of user: UserID) throws -> [UserNotification]
  /// Returns the live items with a trigger, at most ``StoreLimits/triggersMax``, by short number.
  func triggeredItems(of user: UserID) throws -> [UserNotification]
  /// Returns rows with a higher sequence than `after`, in sequence order.
  func rows(of user: UserID, after: SequenceNumber, limit: PageLimit) throws -> [StoredRow]
  /// Returns live items that must leave the store by now, of any user.
  func leaving(by now: Timestamp, limit: Int) throws -> [UserItem]
  /// Returns tombstones from before `time`, of any user.
  func tombstones(deletedBefore time: Timestamp, limit: Int) throws -> [UserItem]

  func device(_ id: DeviceID, of user: UserID) throws -> Device?
  /// Returns the devices in the order they were registered.
  func devices(of user: UserID) throws -> [Device]
  /// Returns tokens whose hash begins with the same eight bytes, with their hashes. The caller
  /// compares the rest in constant time.
  func accessTokens(hashedLike hash: [UInt8]) throws -> [(token: AccessToken, hash: [UInt8])]
  func accessToken(_ id: AccessTokenID, of user: UserID) throws -> AccessToken?
  /// Returns the tokens in the order they were made, including ended ones. Their number is bounded
  /// but large.
  func accessTokens(of user: UserID) throws -> [AccessToken]
  /// Returns the tokens that were not revoked, in the order they were made.
  func unrevokedTokens(of user: UserID) throws -> [AccessToken]
  /// Returns the number of tokens that are neither revoked nor expired.
  func tokenCount(of user: UserID, holdingAt now: Timestamp) throws -> Int
  /// Returns the newest of the revoked tokens that were forgotten.
  func forgottenTokens(of user: UserID) throws -> [AccessTokenID]

  func publication(_ key: String, of token: AccessTokenID, user: UserID) throws
    -> PublicationRecord?
  /// Returns the last number applied; 0 for none.
  func lastNumber(in outbox: OutboxKey, of user: UserID) throws -> Int64
  /// Returns the operation with a number; nil when it was forgotten.
  func operationID(_ number: Int64, in outbox: OutboxKey, of user: UserID) throws -> OperationID?
  /// Whether the operation has a number in any of the user's outboxes.
  func isNumbered(_ id: OperationID, of user: UserID) throws -> Bool
  /// Returns the number of outboxes of the device.
  func outboxCount(of device: DeviceID, user: UserID) throws -> Int
  func operation(_ id: OperationID, of user: UserID) throws -> OperationRecord?
}

/// A transaction, whose reads see its own writes.
package protocol StoreTransaction: StoreReading, RemovalRecords, BulkWorkRecords, SignInRecords,
  SubscriptionRecords, AppWriting, AccessChanges, FileRecords, ResponseRecords, ProcessRecords,
  BlobHoldRecords, DeviceGrantRecords, AttemptRecords, RepeatRecords, RuleRecords
{
  /// The last sequence that was taken in this transaction; nil if none was.
  var takenSequence: TakenSequence? { get set }
  /// The token that was last revoked or admitted again in this transaction; nil if none was.
  var changedRevocation: AccessToken? { get set }

  /// Locks a user until the transaction ends, for a body in the scope ``WriteScope/users``.
  func lock(_ user: UserID) throws

  func setMetadata(_ value: [UInt8], for key: MetadataKey) throws
  /// Records a start with the next ordinal, one more than the latest, unless there is one after
  /// `previous`.
  ///
  /// From this call to the end of the transaction, no other transaction records a start.
  ///
  /// - Parameter previous: the latest start that the transaction has read; nil for none.
  /// - Returns: the recorded start, or the latest one if another transaction recorded it meanwhile.
  func insertStart(
    _ id: UniqueID<StoreStart>, at time: Timestamp, lifeKey: LifeKey?, after previous: StoreStart?
  ) throws -> StoreStart

  /// Adds a user with counters at zero.
  ///
  /// - Throws: ``StoreError/alreadyExists(what:)`` if the name is taken, also by a transaction that
  ///   was committed meanwhile.
  func insertUser(named name: String, created: Timestamp) throws -> User
  func setCounters(_ counters: UserCounters, of user: UserID) throws
  /// Records the user's sequence before the first write of a start.
  func insertStartSequence(_ sequence: SequenceNumber, start ordinal: Int64, of user: UserID) throws

  /// Stores the row of an item, replacing the previous one.
  ///
  /// - Parameter leaves: the time at which the item expires or its retention ends; nil for never.
  func put(_ item: UserNotification, leaves: Timestamp?, of user: UserID) throws
  /// Stores a tombstone in place of the item; its content is removed for good.
  func put(_ tombstone: Tombstone, of user: UserID) throws
  func removeTombstone(_ id: NotificationID, of user: UserID) throws

  func put(_ device: Device, of user: UserID) throws
  /// Removes the device and the numbers of its outboxes.
  func removeDevice(_ id: DeviceID, of user: UserID) throws
  func insert(_ token: AccessToken, hash: [UInt8]) throws
  /// Stores the token's new values; its hash stays.
  func update(_ token: AccessToken) throws
  /// Forgets at most `limit` tokens, of any user, that were revoked or expired before `time`.
  ///
  /// Tokens of sign-ins stay: forgetting the revocation of one would admit it again.
  func removeEndedTokens(before time: Timestamp, limit: Int) throws -> Int
  /// Forgets at most `limit` of a user's tokens that have ended by `now`. The `count` latest ones
  /// and those of sign-ins stay.
  func removeEndedTokens(
    of user: UserID, by now: Timestamp, keeping count: Int, limit: Int) throws

  /// Stores a record, and forgets the token's oldest records beyond `count`.
  ///
  /// `count` includes the new record. It forgets at most ``PublicationRecord/forgottenAtOnceMax``
  /// records.
  func insert(_ record: PublicationRecord, keeping count: Int, of user: UserID) throws
  /// Forgets at most `limit` records from before `time`, and returns their number.
  func removePublications(before time: Timestamp, limit: Int) throws -> Int
  /// Records the operation for a number, which becomes the outbox's last.
  func insert(_ id: OperationID, number: Int64, in outbox: OutboxKey, of user: UserID) throws
  func insert(_ record: OperationRecord, of user: UserID) throws
  /// Forgets at most `limit` results from before `time`. Their numbers stay.
  func removeOperations(before time: Timestamp, limit: Int) throws -> Int
  /// Forgets the oldest numbers of a device beyond `count`, at most `limit` of them, with their
  /// results.
  func forgetNumbers(
    of device: DeviceID, keeping count: Int, limit: Int, user: UserID) throws
}

/// A sequence that a transaction took.
package struct TakenSequence: Hashable, Sendable {
  package var user: UserID
  package var sequence: SequenceNumber
}

/// The key of an outbox of a user: (device, lineage, epoch).
package struct OutboxKey: Hashable, Sendable {
  package var device: DeviceID
  package var lineage: Lineage
  package var epoch: Epoch

  package init(device: DeviceID, lineage: Lineage, epoch: Epoch) {
    self.device = device
    self.lineage = lineage
    self.epoch = epoch
  }
}

/// The result of an operation, stored with its effect.
package struct OperationRecord: Hashable, Sendable {
  package var id: OperationID
  package var result: OperationResult
  package var at: Timestamp
  /// The content that the operation made; nil for an operation that made none.
  package var content: MadeContent?

  package init(
    id: OperationID, result: OperationResult, at: Timestamp, content: MadeContent? = nil
  ) {
    self.id = id
    self.result = result
    self.at = at
    self.content = content
  }
}

/// The content of an item that a device's operation made.
package struct MadeContent: Hashable, Sendable {
  package var item: NotificationID
  package var sequence: SequenceNumber

  package init(item: NotificationID, sequence: SequenceNumber) {
    self.item = item
    self.sequence = sequence
  }
}

/// The result of a publication under an idempotency key. Together with the repeated body it forms
/// the answer.
package struct PublicationRecord: Hashable, Sendable {
  package var key: IdempotencyKey
  package var id: NotificationID
  package var shortNumber: Int64
  package var created: Timestamp
  package var arrival: Timestamp
  package var expiration: Timestamp?
  package var sequence: SequenceNumber
  package var outcome: Published.Outcome
  package var at: Timestamp

  /// The maximum number of records that one insertion forgets. A token that accumulated very many
  /// under an earlier version must not occupy the writer for long.
  package static let forgottenAtOnceMax = 1000

  package init(_ published: Published, key: IdempotencyKey, at time: Timestamp) {
    let item = published.item
    self.init(
      key: key, id: item.id, shortNumber: item.shortNumber, created: item.created,
      arrival: item.arrival, expiration: item.content.expiration, sequence: item.state.sequence,
      outcome: published.outcome, at: time)
  }

  package init(
    key: IdempotencyKey, id: NotificationID, shortNumber: Int64, created: Timestamp,
    arrival: Timestamp, expiration: Timestamp?, sequence: SequenceNumber,
    outcome: Published.Outcome, at: Timestamp
  ) {
    self.key = key
    self.id = id
    self.shortNumber = shortNumber
    self.created = created
    self.arrival = arrival
    self.expiration = expiration
    self.sequence = sequence
    self.outcome = outcome
    self.at = at
  }
}

/// The effects of a committed transaction on the in-memory state of the process.
struct WriteEffects: Sendable {
  /// Users whose tokens, devices or names changed.
  var accessChanges: Set<UserID>
  /// The start in which it wrote.
  var start: StoreStart
  var lifeChange: LifeChange
  var takenSequence: TakenSequence?
  var changedRevocation: AccessToken?
  /// Publications that count towards rate limits.
  var publishTally: PublishTally
}

/// The changes of a transaction to users, devices, tokens and publication rates.
package protocol AccessChanges: AnyObject {
  /// Users whose tokens, devices or names it changed. Copies of them in memory are read again after
  /// the commit.
  var accessChanges: Set<UserID> { get }
  /// Publications that count towards rate limits after the commit.
  var publishTally: PublishTally { get set }
}
