package import BellhopModel

/// A pending request in the store's answer: an item that will be delivered.
///
/// Contains no state and, for a token that only publishes, no content.
package struct PendingRequestPayload: Hashable, Sendable, Codable {
  package var id: NotificationID
  package var targetHostName: String
  package var appNotificationId: String?
  package var createdDateTime: Timestamp
  package var deliverAfterDateTime: Timestamp?
  package var trigger: Trigger?
  /// The time of the next delivery; nil if it is not known, as for a crossing.
  package var nextTriggerDateTime: Timestamp?
  /// The number and title by which users know the item; nil for a token that only publishes.
  package var shortNumber: Int64?
  package var title: String?

  /// - Parameter isReadable: Whether the caller may read the item.
  package init(_ item: UserNotification, next: Timestamp, isReadable: Bool) {
    id = item.id
    targetHostName = item.content.app
    appNotificationId = item.content.appNotificationID
    createdDateTime = item.created
    deliverAfterDateTime = item.content.deliverAt
    trigger = item.content.trigger
    nextTriggerDateTime = next == Occurrence.unknownTime ? nil : next
    guard isReadable else { return }
    shortNumber = item.shortNumber
    title = item.content.visual?.title
  }
}

/// A page of pending requests, by the time of their next delivery.
package struct PendingRequestListPayload: Hashable, Sendable, Codable {
  package var value: [PendingRequestPayload]
  /// The address of the next page; nil on the last one.
  package var nextLink: String?

  package init(value: [PendingRequestPayload], nextLink: String?) {
    self.value = value
    self.nextLink = nextLink
  }

  private enum CodingKeys: String, CodingKey {
    case value
    case nextLink = "@odata.nextLink"
  }
}
