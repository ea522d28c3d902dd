package import BellhopModel

extension StoreService {
  /// Returns the times of an item's trigger around now; nil for an item without one.
  package func triggerTimes(of item: UserNotification) -> TriggerTimes? {
    item.triggerTimes(at: now, on: environment.wallClock)
  }

  /// Returns an item as it was last delivered; nil before its first delivery.
  package func delivered(_ item: UserNotification) -> UserNotification? {
    item.delivered(by: now, on: environment.wallClock)
  }

  /// Returns the next delivery of an item; nil if there is none after now.
  package func nextDelivery(of item: UserNotification) -> Timestamp? {
    item.nextDelivery(after: now, on: environment.wallClock)
  }

  /// Returns the live items with a trigger, by short number.
  package func triggeredItems(of user: UserID) async throws(StoreError) -> [UserNotification] {
    try await read { try $0.triggeredItems(of: user, in: $1) }
  }
}
