package import BellhopModel

/// Read access to the subscriptions in one committed state of a store.
package protocol SubscriptionReading: AnyObject {
  func subscription(_ id: SubscriptionID, of user: UserID) throws -> Subscription?
  /// Returns the user's subscriptions in the order they were created, including ended ones.
  func subscriptions(of user: UserID) throws -> [Subscription]
  /// Returns subscriptions of all users above `key`, by user and id.
  func subscriptions(after key: SubscriptionKey?, limit: Int) throws -> [Subscription]
  /// Returns the rows of ``StoreReading/rows(of:after:limit:)`` without their content.
  func changes(of user: UserID, after: SequenceNumber, limit: Int) throws -> [ItemChange]
}

/// Write access to the subscriptions in a transaction.
package protocol SubscriptionRecords: SubscriptionReading {
  func put(_ subscription: Subscription) throws
  func removeSubscription(_ id: SubscriptionID, of user: UserID) throws
}
