package import BellhopModel

/// The subscriptions in one committed state of a store.
package protocol SubscriptionReading: AnyObject {
  func subscription(_ id: SubscriptionID, of user: UserID) throws -> Subscription?
  /// In the order they were made, ended ones too.
  func subscriptions(of user: UserID) throws -> [Subscription]
  /// Of all users, by user and id, above `key`.
  func subscriptions(after key: SubscriptionKey?, limit: Int) throws -> [Subscription]
  /// The rows of ``StoreReading/rows(of:after:limit:)`` without their content.
  func changes(of user: UserID, after: SequenceNumber, limit: Int) throws -> [ItemChange]
}

/// The subscriptions in a transaction.
package protocol SubscriptionRecords: SubscriptionReading {
  func put(_ subscription: Subscription) throws
  func removeSubscription(_ id: SubscriptionID, of user: UserID) throws
}
