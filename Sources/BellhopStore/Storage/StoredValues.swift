package import BellhopModel

/// The identifier of a user in one store. It is never reused.
package struct UserID: RawRepresentable, Hashable, Sendable, Comparable {
  package var rawValue: Int64
  package init(rawValue: Int64) { self.rawValue = rawValue }
  package static func < (left: UserID, right: UserID) -> Bool { left.rawValue < right.rawValue }
}

/// A user of a store, with notifications of their own.
package struct User: Hashable, Sendable, Identifiable {
  package let id: UserID
  package var name: String
  package var created: Timestamp

  package init(id: UserID, name: String, created: Timestamp) {
    self.id = id
    self.name = name
    self.created = created
  }
}

/// The counters of one user. They change only in the transaction of the rows they count.
package struct UserCounters: Hashable, Sendable {
  /// The last sequence that was issued.
  package var sequence = SequenceNumber.zero
  /// The sequence below which tokens cannot be followed: older tombstones may have been dropped.
  package var floor = SequenceNumber.zero
  /// The last short number that was issued.
  package var shortNumber: Int64 = 0
  /// The ordinal of the start in which the user's items were last written; 0 for none.
  package var start: Int64 = 0
  /// The number of apps that have a record.
  package var apps = 0
  /// The storage use of all apps together.
  package var use = StorageUse()
  /// The time at which the last sequence was issued, by the store's clock; nil if unknown.
  package var changed: Timestamp?
  /// The sequence of the last change of a rule; zero without any.
  package var rules = SequenceNumber.zero

  package init() {}
}

/// The record that remains of a deleted or expired item (SYNC-8).
package struct Tombstone: Hashable, Sendable {
  package var id: NotificationID
  package var shortNumber: Int64
  package var app: String
  package var appNotificationID: String?
  package var sequence: SequenceNumber
  package var deleted: Timestamp

  package init(of item: UserNotification, sequence: SequenceNumber, deleted: Timestamp) {
    self.init(
      id: item.id, shortNumber: item.shortNumber, app: item.content.app,
      appNotificationID: item.content.appNotificationID, sequence: sequence, deleted: deleted)
  }

  package init(
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

/// The one row that a store holds for an item.
package enum StoredRow: Hashable, Sendable {
  case live(UserNotification)
  case tombstone(Tombstone)

  package var id: NotificationID {
    switch self {
    case .live(let item): item.id
    case .tombstone(let tombstone): tombstone.id
    }
  }

  package var sequence: SequenceNumber {
    switch self {
    case .live(let item): item.state.sequence
    case .tombstone(let tombstone): tombstone.sequence
    }
  }

  package var shortNumber: Int64 {
    switch self {
    case .live(let item): item.shortNumber
    case .tombstone(let tombstone): tombstone.shortNumber
    }
  }
}

extension [StoredRow] {
  /// The live items among the rows.
  package var liveItems: [UserNotification] {
    compactMap { if case .live(let item) = $0 { item } else { nil } }
  }
}

/// A place in a list ordered by arrival, newest first.
package struct ArrivalKey: Hashable, Sendable, Comparable {
  package var arrival: Timestamp
  /// The id, which decides between items of the same millisecond.
  package var id: NotificationID

  package init(arrival: Timestamp, id: NotificationID) {
    self.arrival = arrival
    self.id = id
  }

  package init(_ item: UserNotification) {
    self.init(arrival: item.arrival, id: item.id)
  }

  package static func < (left: ArrivalKey, right: ArrivalKey) -> Bool {
    left.arrival != right.arrival ? left.arrival < right.arrival : left.id < right.id
  }
}

/// A query for live items, newest first.
package struct ItemQuery: Hashable, Sendable {
  /// The time of the read. Items that leave the store by then are skipped, swept or not; nil skips
  /// no stored item.
  package var now: Timestamp?
  /// The place below which items are read.
  package var below: ArrivalKey?
  package var limit: PageLimit

  package init(now: Timestamp?, below: ArrivalKey? = nil, limit: PageLimit) {
    self.now = now
    self.below = below
    self.limit = limit
  }
}

/// One life of a store's data (SYNC-4).
///
/// It is one run of the process that serves the data, unless the storage has a ``LifeKey``.
package struct StoreStart: Hashable, Sendable {
  /// The ordinal, which rises with every start.
  package var ordinal: Int64
  /// A random id, which distinguishes a start of rolled-back data from the one it replaces.
  package var id: UniqueID<StoreStart>
  package var at: Timestamp
  /// The key that the data's life had then; nil if the storage did not know it.
  package var lifeKey: LifeKey?

  package init(
    ordinal: Int64, id: UniqueID<StoreStart>, at: Timestamp, lifeKey: LifeKey? = nil
  ) {
    self.ordinal = ordinal
    self.id = id
    self.at = at
    self.lifeKey = lifeKey
  }
}

/// The key by which a storage recognises a life of its data; a failover changes it.
///
/// The same key may return later, for data with another history. So it is compared only with that of
/// the latest start.
package struct LifeKey: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
}

/// The key of an item among the items of all users.
package struct UserItem: Hashable, Sendable {
  package var user: UserID
  package var id: NotificationID

  package init(user: UserID, id: NotificationID) {
    self.user = user
    self.id = id
  }
}

// MARK: - Values as columns

extension AccessScope {
  /// The scope as two columns of a database.
  package var column: (kind: String, value: String?) {
    switch self {
    case .device(let id): ("device", id?.rawValue)
    case .publish(let pattern): ("publish", pattern.text)
    case .app(let app): ("app", app)
    case .enrol: ("enrol", nil)
    }
  }

  /// Returns nil for columns that contain no scope.
  package init?(kind: String, value: String?) {
    switch kind {
    case "device": self = .device(value.map { DeviceID($0) })
    case "publish":
      guard let pattern = value.flatMap({ AppPattern($0) }) else { return nil }
      self = .publish(pattern)
    case "app":
      guard let value else { return nil }
      self = .app(value)
    case "enrol": self = .enrol
    default: return nil  // open: String
    }
  }
}

extension RegistrationEnvironment {
  /// The environment as one column of a database, which is NULL for production.
  package var column: String? {
    switch self {
    case .development: rawValue
    case .production: nil
    }
  }
}

extension RepeatKey {
  /// The key as one column of a database, which is NULL for an app whose repeats are items.
  package var column: String {
    switch self {
    case .exact: "collapse"
    case .ignoringNumbers: "collapseIgnoringNumbers"
    }
  }

  /// Returns nil for a word of a later version.
  package init?(column: String) {
    guard let key = Self.allCases.first(where: { $0.column == column }) else { return nil }
    self = key
  }
}

extension ResolutionPolicy {
  /// The policy as one column of a database, which is NULL for the default.
  package var column: String? {
    switch self {
    case .mark: nil
    case .publish: rawValue
    }
  }
}

extension Author {
  /// The kind, id and name in one column of a database; ids contain no control characters.
  package var column: String { "\(kind.rawValue)\u{1f}\(id)\u{1f}\(name)" }

  /// Returns nil for a column that contains no author.
  package init?(column: String) {
    let parts = column.split(separator: "\u{1f}", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let kind = Kind(rawValue: String(parts[0])) else { return nil }
    self.init(kind: kind, id: String(parts[1]), name: String(parts[2]))
  }
}
