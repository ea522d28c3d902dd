internal import BellhopModel
package import BellhopStore
internal import Synchronization

/// A store's rows in memory, for tests and simulations. Nothing outlives the process.
///
/// `read` and `write` are synchronous, so that a simulation on one thread can call them; as
/// ``StorageBackend`` they never wait.
package final class MemoryBackend: StorageBackend {
  private let state: Mutex<MemoryState>

  package init() {
    state = Mutex(MemoryState())
  }

  /// As with a real storage, although no reading here waits for another: lists keep their order.
  package var longReadsMax: Int { 3 }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) throws -> Value {
    try run { try body($0) }
  }

  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) throws -> Value {
    try state.withLock { state in
      let transaction = MemoryTransaction(taking: &state)
      defer { transaction.giveBack(to: &state) }
      do {
        let value = try body(transaction)
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
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) throws -> Value {
    try write(body, committed: { _ in })
  }

  package func catchUp() -> CatchUp { .done }

  package func close() {}

  /// The whole state, to be put back later: a backup, or a disk that forgets.
  package func snapshot() -> MemorySnapshot {
    MemorySnapshot(state: state.withLock { $0 })
  }

  /// Puts an earlier state back, as when a data directory is rolled back under a store.
  package func restore(_ snapshot: MemorySnapshot) {
    state.withLock { $0 = snapshot.state }
  }

  private func run<Value>(_ body: (MemoryTransaction) throws -> Value) rethrows -> Value {
    try state.withLock { state in
      let transaction = MemoryTransaction(taking: &state)
      defer { transaction.giveBack(to: &state) }
      return try body(transaction)
    }
  }
}

/// A state of a ``MemoryBackend``.
package struct MemorySnapshot: Sendable {
  fileprivate var state: MemoryState
}

/// The tables, in value types.
struct MemoryState: Sendable {
  var metadata: [MetadataKey: [UInt8]] = [:]
  /// The n-th start has ordinal n + 1.
  var starts: [StoreStart] = []
  var users: [User] = []
  /// The highest id that a user was given.
  var lastUserID: Int64 = 0
  var partitions: [UserID: MemoryPartition] = [:]
  var tokens: [AccessTokenID: (token: AccessToken, hash: [UInt8])] = [:]
  /// Of files that were removed, until their bytes are looked at.
  var looseHashes: Set<FileHash> = []
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
  /// Which row has a sequence: each row has the one of its last change.
  var bySequence: [SequenceNumber: NotificationID] = [:]
  var byApp: [AppKey: NotificationID] = [:]
  var byNumber: [Int64: NotificationID] = [:]
  /// Live items, oldest first.
  var byArrival: [ArrivalKey] = []
  var devices: [DeviceID: Device] = [:]
  var forgottenTokens: [AccessTokenID] = []
  var publications: [PublicationKey: PublicationRecord] = [:]
  /// The last number of each outbox.
  var numbers: [OutboxKey: Int64] = [:]
  var numbered: [NumberKey: OperationID] = [:]
  /// In the order in which they were begun.
  var outboxes: [OutboxKey] = []
  var operations: [OperationID: OperationRecord] = [:]
  var bulkWorks: [OperationID: BulkWork] = [:]
  /// Who the user is to each issuer.
  var subjects: [String: String] = [:]
  /// In the order of their tokens.
  var signIns: [SignInRecord] = []
  var subscriptions: [SubscriptionID: Subscription] = [:]
  var apps: [String: MemoryApp] = [:]
  /// Which app an alias belongs to.
  var aliases: [String: String] = [:]
  var profiles: [String: AppProfile] = [:]
  var files: [FileID: StoredFile] = [:]

  /// Stores the row with all that finds it again; nil removes it.
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

  /// How many keys are below `key`.
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
