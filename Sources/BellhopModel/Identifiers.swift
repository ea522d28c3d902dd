/// The identifier of an item in a user's store; increases with the time of publication (UUIDv7).
public typealias NotificationID = UniqueID<UserNotification>

/// The identifier of an operation, and the key that makes it apply exactly once (SYNC-9).
public typealias OperationID = UniqueID<Operation>

/// The identifier of a rule of a user.
public typealias RuleID = UniqueID<Rule>

/// A string that identifies one kind of thing; kinds are distinct types.
public protocol StringIdentifier: RawRepresentable, Hashable, Sendable, Codable, Comparable,
  CustomStringConvertible
where RawValue == String {
  init(rawValue: String)
}

extension StringIdentifier {
  /// Creates the identifier with this text.
  public init(_ text: String) { self.init(rawValue: text) }
  public var description: String { rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The identifier of one client installation, registered with a store.
public struct DeviceID: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one unbroken numbering of a device's operations.
///
/// A copied home directory starts a new lineage.
public struct Lineage: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one uninterrupted life of a store's data.
///
/// A restore from backup starts a new epoch.
public struct Epoch: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// A position in a user's changes. Opaque to clients: only the store that made it can read it.
public struct DeltaToken: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The name that a user chose for an account: a user at a store.
public struct AccountName: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identity of an item on a client, which may have several accounts.
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

/// A value of a user's change counter. Every write to the user's items takes the next value.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable, Codable, Comparable,
  CustomStringConvertible
{
  /// The number, at least 0; 0 precedes every change.
  public var rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public init(_ value: Int64) { rawValue = value }

  /// The number that precedes every change.
  public static let zero = SequenceNumber(0)
  /// The number that follows.
  public var next: SequenceNumber { SequenceNumber(rawValue + 1) }
  public var description: String { String(rawValue) }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
