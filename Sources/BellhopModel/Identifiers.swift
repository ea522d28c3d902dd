/// Names one item in a user's store; rises with the time of publication (UUIDv7).
public typealias NotificationID = UniqueID<UserNotification>

/// Names one intended change; the key of exactly-once application (SYNC-9).
public typealias OperationID = UniqueID<Operation>

/// A string that names one kind of thing, kept apart from other strings at compile time.
public protocol StringIdentifier: RawRepresentable, Hashable, Sendable, Codable, Comparable,
  CustomStringConvertible
where RawValue == String {
  init(rawValue: String)
}

extension StringIdentifier {
  /// The identifier with this text.
  public init(_ text: String) { self.init(rawValue: text) }
  public var description: String { rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One install of a client, registered with a store.
public struct DeviceID: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// One unbroken numbering of a device's operations. A copied home directory starts a new one.
public struct Lineage: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// One uninterrupted life of a store's data; a restore from backup begins another.
public struct Epoch: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// A position in a user's changes. Opaque to clients; only the store that made it can read it.
public struct DeltaToken: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// One account of a client: a user on a store, under the name the person gave it.
public struct AccountName: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// An item's identity on a client, where several accounts are normal.
public struct ItemKey: Hashable, Sendable, Codable {
  /// The account whose store holds the item.
  public var account: AccountName
  /// The item in that store.
  public var id: NotificationID

  public init(account: AccountName, id: NotificationID) {
    self.account = account
    self.id = id
  }
}

/// A value of a user's change counter. Every write to the user's items takes the next one.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable, Codable, Comparable,
  CustomStringConvertible
{
  /// At least 0; 0 stands before every change.
  public var rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public init(_ value: Int64) { rawValue = value }

  /// Before every change.
  public static let zero = SequenceNumber(0)
  /// The number that follows.
  public var next: SequenceNumber { SequenceNumber(rawValue + 1) }
  public var description: String { String(rawValue) }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
