internal import BellhopModel
package import BellhopStore
internal import Synchronization

/// A backend that stores rows in memory, for tests and simulations. Nothing outlives the process.
///
/// `read` and `write` are synchronous, so that a simulation on one thread can call them; as
/// `StorageBackend` they never wait.
package final class MemoryBackend: StorageBackend {
  private let state: Mutex<MemoryState>

  /// - Parameter lifeKey: see ``lifeKey``.
  package init(lifeKey: LifeKey? = nil) {
    state = Mutex(MemoryState(lifeKey: lifeKey))
  }

  /// The key of the data's life; nil for the data of one process.
  ///
  /// With a key, several services may be open, as in several processes over one database.
  package var lifeKey: LifeKey? { state.withLock { $0.lifeKey } }

  /// The limit of a real storage. It keeps the order of lists, although no read waits for another
  /// here.
  package var longReadsMax: Int { 3 }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) throws -> Value {
    try run { try body($0) }
  }

  /// Runs `body` in a transaction, and throws if it writes outside of the scope.
  package func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) throws -> Value {
    try state.withLock { state in
      let transaction = MemoryTransaction(taking: &state, in: scope)
      defer { transaction.returnState(to: &state) }
      do {
        let value = try body(transaction)
        if let violation = transaction.check.violation { throw violation }
        committed(value)
        return value
      } catch {
        transaction.rollBack()
        throw error
      }
    }
  }

  /// Runs `body` in a transaction.
  package func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) throws -> Value {
    try write(in: scope, body, committed: { _ in })
  }

  package func catchUp() -> CatchUp { .done }

  package func close() {}

  /// Returns the whole state for a later restore: a backup, or a disk that loses writes.
  package func snapshot() -> MemorySnapshot {
    MemorySnapshot(state: state.withLock { $0 })
  }

  /// Restores an earlier state, as when a data directory is rolled back under a store.
  ///
  /// - Parameter lifeKey: the new key of the data's life, as after a failover; nil to keep the one of
  ///   the state.
  package func restore(_ snapshot: MemorySnapshot, lifeKey: LifeKey? = nil) {
    state.withLock {
      $0 = snapshot.state
      if let lifeKey { $0.lifeKey = lifeKey }
    }
  }

  private func run<Value>(_ body: (MemoryTransaction) throws -> Value) rethrows -> Value {
    try state.withLock { state in
      let transaction = MemoryTransaction(taking: &state, in: .store)
      defer { transaction.returnState(to: &state) }
      return try body(transaction)
    }
  }
}

/// The tables, as value types.
struct MemoryState: Sendable {
  var lifeKey: LifeKey?
  var metadata: [MetadataKey: [UInt8]] = [:]
  /// The starts; the n-th one has ordinal n + 1.
  var starts: [StoreStart] = []
  var users: [User] = []
  /// The highest user id that was assigned.
  var lastUserID: Int64 = 0
  var partitions: [UserID: MemoryPartition] = [:]
  var tokens: [AccessTokenID: (token: AccessToken, hash: [UInt8])] = [:]
  /// The hashes of removed files, until their bytes are checked.
  var orphanedHashes: Set<FileHash> = []
  var holds: [UniqueID<BlobHold>: BlobHold] = [:]
  var processes: [ProcessID: ServingProcess] = [:]
  var leases: [LeaseName: Lease] = [:]
  var deviceGrants: [DeviceGrantID: DeviceGrant] = [:]
  var attempts: [AttemptKey: Attempts] = [:]

  struct AttemptKey: Hashable, Sendable {
    var kind: AttemptKind
    var key: String
  }
}

/// The rows of one user.
struct MemoryPartition: Sendable {
  struct PublicationKey: Hashable, Sendable {
    var token: AccessTokenID
    var key: String
  }

  struct AppKey: Hashable, Sendable {
    var app: String
    var id: String
  }

  struct NumberKey: Hashable, Sendable {
    var outbox: OutboxKey
    var number: Int64
  }

  var counters = UserCounters()
  var startSequences: [(ordinal: Int64, sequence: SequenceNumber)] = []
  var rows: [NotificationID: StoredRow] = [:]
  var leaves: [NotificationID: Timestamp] = [:]
  /// The row for each sequence, which is that of its last change.
  var bySequence: [SequenceNumber: NotificationID] = [:]
  var byApp: [AppKey: NotificationID] = [:]
  var byNumber: [Int64: NotificationID] = [:]
  /// The live items, oldest first.
  var byArrival: [ArrivalKey] = []
  var devices: [DeviceID: Device] = [:]
  var forgottenTokens: [AccessTokenID] = []
  var publications: [PublicationKey: PublicationRecord] = [:]
  /// The last number of each outbox.
  var numbers: [OutboxKey: Int64] = [:]
  var numbered: [NumberKey: OperationID] = [:]
  /// The outboxes in the order they were begun.
  var outboxes: [OutboxKey] = []
  var operations: [OperationID: OperationRecord] = [:]
  var bulkWorks: [OperationID: BulkWork] = [:]
  /// The user's subject at each issuer.
  var subjects: [String: String] = [:]
  /// The sign-ins in the order of their tokens.
  var signIns: [SignInRecord] = []
  var subscriptions: [SubscriptionID: Subscription] = [:]
  var apps: [String: MemoryApp] = [:]
  /// The app that each alias belongs to.
  var aliases: [String: String] = [:]
  var profiles: [String: AppProfile] = [:]
  var rules: [RuleID: StoredRule] = [:]
  var files: [FileID: StoredFile] = [:]
  var responses: [NotificationID: AwaitedResponse] = [:]
  /// The keys under which repeats find live items.
  var collapseKeys: [NotificationID: [UInt8]] = [:]
  /// The items with several app notification ids, by each of these.
  var itemAliases: [AppKey: ItemAlias] = [:]

  /// Stores the row and updates all indexes; nil removes it.
  mutating func set(_ row: StoredRow?, leaves time: Timestamp?, for id: NotificationID) {
    if let old = rows[id] {
      bySequence[old.sequence] = nil
      if case .live(let item) = old { unlist(item) }
    }
    rows[id] = row
    leaves[id] = time
    guard let row else { return }
    bySequence[row.sequence] = id
    if case .live(let item) = row { list(item) }
  }

  private mutating func list(_ item: UserNotification) {
    let key = ArrivalKey(item)
    byArrival.insert(key, at: place(of: key))
    byNumber[item.shortNumber] = item.id
    if let appID = item.content.appNotificationID {
      byApp[AppKey(app: item.content.app, id: appID)] = item.id
    }
  }

  private mutating func unlist(_ item: UserNotification) {
    byArrival.remove(at: place(of: ArrivalKey(item)))
    byNumber[item.shortNumber] = nil
    if let appID = item.content.appNotificationID {
      byApp[AppKey(app: item.content.app, id: appID)] = nil
    }
  }

  /// Returns the number of keys below `key`.
  func place(of key: ArrivalKey) -> Int {
    var (low, high) = (0, byArrival.count)
    while low < high {
      let middle = (low + high) / 2
      if byArrival[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func live(_ id: NotificationID) -> UserNotification? {
    if case .live(let item)? = rows[id] { item } else { nil }
  }
}
