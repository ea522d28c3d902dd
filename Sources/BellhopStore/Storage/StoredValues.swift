public import BellhopModel

/// Names a user inside one store. Never used again.
public struct UserID: RawRepresentable, Hashable, Sendable, Comparable {
  public var rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public static func < (left: UserID, right: UserID) -> Bool { left.rawValue < right.rawValue }
}

/// A person with a store of notifications of their own.
public struct User: Hashable, Sendable, Identifiable {
  public let id: UserID
  public var name: String
  public var created: Timestamp

  public init(id: UserID, name: String, created: Timestamp) {
    self.id = id
    self.name = name
    self.created = created
  }
}

/// The counters of one user; they change only inside the transaction of what they count.
public struct UserCounters: Hashable, Sendable {
  /// The last sequence given out.
  public var sequence = SequenceNumber.zero
  /// Tokens older than this can't be followed: tombstones below it may be gone.
  public var floor = SequenceNumber.zero
  /// The last short number given out.
  public var shortNumber: Int64 = 0
  /// Ordinal of the start in which the user's items were last written; 0 for none.
  public var start: Int64 = 0
  /// How many apps have a record.
  public var apps = 0
  /// What all apps together hold.
  public var use = StorageUse()

  public init() {}
}

/// What remains of a deleted or expired item (SYNC-8).
public struct Tombstone: Hashable, Sendable {
  public var id: NotificationID
  public var shortNumber: Int64
  public var app: String
  public var appNotificationID: String?
  public var sequence: SequenceNumber
  public var deleted: Timestamp

  public init(of item: UserNotification, sequence: SequenceNumber, deleted: Timestamp) {
    self.init(
      id: item.id, shortNumber: item.shortNumber, app: item.content.app,
      appNotificationID: item.content.appNotificationID, sequence: sequence, deleted: deleted)
  }

  public init(
    id: NotificationID, shortNumber: Int64, app: String, appNotificationID: String?,
    sequence: SequenceNumber, deleted: Timestamp
  ) {
    self.id = id
    self.shortNumber = shortNumber
    self.app = app
    self.appNotificationID = appNotificationID
    self.sequence = sequence
    self.deleted = deleted
  }
}

/// The one row that a store holds of an item.
public enum StoredRow: Hashable, Sendable {
  case live(UserNotification)
  case tombstone(Tombstone)

  public var id: NotificationID {
    switch self {
    case .live(let item): item.id
    case .tombstone(let tombstone): tombstone.id
    }
  }

  public var sequence: SequenceNumber {
    switch self {
    case .live(let item): item.state.sequence
    case .tombstone(let tombstone): tombstone.sequence
    }
  }

  public var shortNumber: Int64 {
    switch self {
    case .live(let item): item.shortNumber
    case .tombstone(let tombstone): tombstone.shortNumber
    }
  }
}

/// A place in a list ordered by arrival, newest first.
public struct ArrivalKey: Hashable, Sendable, Comparable {
  public var arrival: Timestamp
  /// Decides between items of one millisecond.
  public var id: NotificationID

  public init(arrival: Timestamp, id: NotificationID) {
    self.arrival = arrival
    self.id = id
  }

  public init(_ item: UserNotification) {
    self.init(arrival: item.arrival, id: item.id)
  }

  public static func < (left: ArrivalKey, right: ArrivalKey) -> Bool {
    left.arrival != right.arrival ? left.arrival < right.arrival : left.id < right.id
  }
}

/// Which live items to read, newest first.
public struct ItemQuery: Hashable, Sendable {
  /// Items that have left by this instant are passed over, swept or not; nil passes over none that
  /// is still stored.
  public var now: Timestamp?
  /// Only items below this place.
  public var below: ArrivalKey?
  public var limit: PageLimit

  public init(now: Timestamp?, below: ArrivalKey? = nil, limit: PageLimit) {
    self.now = now
    self.below = below
    self.limit = limit
  }
}

/// One run of a store over its data (SYNC-4).
public struct StoreStart: Hashable, Sendable {
  /// Rises with every start.
  public var ordinal: Int64
  /// Random, so that a start of a rolled-back directory is told from the one it replaces.
  public var id: UniqueID<StoreStart>
  public var at: Timestamp

  public init(ordinal: Int64, id: UniqueID<StoreStart>, at: Timestamp) {
    self.ordinal = ordinal
    self.id = id
    self.at = at
  }
}

/// A user's item, where several users are looked at.
public struct UserItem: Hashable, Sendable {
  public var user: UserID
  public var id: NotificationID

  public init(user: UserID, id: NotificationID) {
    self.user = user
    self.id = id
  }
}
