package import BellhopModel

/// The body of Graph's `POST /subscriptions`.
package struct SubscriptionRequestPayload: Hashable, Sendable, Codable {
  /// `created`, `updated`, `deleted`, or several separated by commas.
  package var changeType: String
  package var notificationUrl: String
  package var lifecycleNotificationUrl: String?
  /// `me/notifications`, or the same under `users/{id}`.
  package var resource: String
  package var expirationDateTime: Timestamp
  /// A text that each notification repeats and no response contains; at most 128 characters.
  package var clientState: String?
  package var latestSupportedTlsVersion: String?
  /// Graph's resource data in notifications, which Bellhop does not send.
  package var includeResourceData: Bool?
}

/// A change to a subscription: renewal, another hook, or both.
package struct SubscriptionPatchPayload: Hashable, Sendable, Codable {
  package var expirationDateTime: Timestamp?
  package var notificationUrl: String?

  package init() {}
}

/// A subscription in the store's responses, without its `clientState`.
package struct SubscriptionPayload: Hashable, Sendable, Codable {
  package var id: SubscriptionID
  package var resource: String
  package var changeType: String
  package var notificationUrl: String
  package var lifecycleNotificationUrl: String?
  package var expirationDateTime: Timestamp
  package var latestSupportedTlsVersion: String?

  package init(
    id: SubscriptionID, resource: String, changeType: String, notificationUrl: String,
    lifecycleNotificationUrl: String?, expirationDateTime: Timestamp,
    latestSupportedTlsVersion: String?
  ) {
    self.id = id
    self.resource = resource
    self.changeType = changeType
    self.notificationUrl = notificationUrl
    self.lifecycleNotificationUrl = lifecycleNotificationUrl
    self.expirationDateTime = expirationDateTime
    self.latestSupportedTlsVersion = latestSupportedTlsVersion
  }
}

/// The user's subscriptions.
package struct SubscriptionListPayload: Hashable, Sendable, Codable {
  package var value: [SubscriptionPayload]

  package init(value: [SubscriptionPayload]) { self.value = value }
}

/// One change, as sent to a hook: Graph's `changeNotification`.
///
/// Identifies the changed item and contains nothing of its content. A hook may receive a change
/// more than once.
package struct ChangeNotificationPayload: Hashable, Sendable, Codable {
  /// The changed item.
  package struct ResourceData: Hashable, Sendable, Codable {
    package var type: String
    /// The item's path below the version, as in `me/notifications/{id}`.
    package var path: String
    package var id: NotificationID

    package init(path: String, id: NotificationID) {
      type = "#microsoft.graph.notification"
      self.path = path
      self.id = id
    }

    private enum CodingKeys: String, CodingKey {
      case type = "@odata.type"
      case path = "@odata.id"
      case id
    }
  }

  package var subscriptionId: SubscriptionID
  package var subscriptionExpirationDateTime: Timestamp
  package var clientState: String?
  package var changeType: ChangeType
  package var resource: String
  package var resourceData: ResourceData

  package init(
    subscriptionId: SubscriptionID, subscriptionExpirationDateTime: Timestamp,
    clientState: String?, changeType: ChangeType, resource: String, resourceData: ResourceData
  ) {
    self.subscriptionId = subscriptionId
    self.subscriptionExpirationDateTime = subscriptionExpirationDateTime
    self.clientState = clientState
    self.changeType = changeType
    self.resource = resource
    self.resourceData = resourceData
  }
}

/// The body of a request to a notification hook.
package struct ChangeNotificationListPayload: Hashable, Sendable, Codable {
  package var value: [ChangeNotificationPayload]

  package init(value: [ChangeNotificationPayload]) { self.value = value }
}

/// An event of a subscription itself, as sent to its lifecycle hook.
package struct LifecycleNotificationPayload: Hashable, Sendable, Codable {
  package var subscriptionId: SubscriptionID
  package var subscriptionExpirationDateTime: Timestamp
  package var clientState: String?
  package var resource: String
  package var lifecycleEvent: LifecycleEvent

  package init(
    subscriptionId: SubscriptionID, subscriptionExpirationDateTime: Timestamp,
    clientState: String?, resource: String, lifecycleEvent: LifecycleEvent
  ) {
    self.subscriptionId = subscriptionId
    self.subscriptionExpirationDateTime = subscriptionExpirationDateTime
    self.clientState = clientState
    self.resource = resource
    self.lifecycleEvent = lifecycleEvent
  }
}

/// The body of a request to a lifecycle hook.
package struct LifecycleNotificationListPayload: Hashable, Sendable, Codable {
  package var value: [LifecycleNotificationPayload]

  package init(value: [LifecycleNotificationPayload]) { self.value = value }
}
