public import BellhopModel

/// What a subscriber asks for: the body of Graph's `POST /subscriptions`.
public struct SubscriptionRequestPayload: Hashable, Sendable, Codable {
  /// `created`, `updated`, `deleted`, or several with commas.
  public var changeType: String
  public var notificationUrl: String
  public var lifecycleNotificationUrl: String?
  /// `me/notifications`, or the same under `users/{id}`.
  public var resource: String
  public var expirationDateTime: Timestamp
  /// Given back in each notification and never in an answer; at most 128 characters.
  public var clientState: String?
  public var latestSupportedTlsVersion: String?
  /// Graph's content in notifications. Bellhop's have none.
  public var includeResourceData: Bool?

  public init(
    changeType: String, notificationUrl: String, lifecycleNotificationUrl: String? = nil,
    resource: String, expirationDateTime: Timestamp, clientState: String? = nil,
    latestSupportedTlsVersion: String? = nil, includeResourceData: Bool? = nil
  ) {
    self.changeType = changeType
    self.notificationUrl = notificationUrl
    self.lifecycleNotificationUrl = lifecycleNotificationUrl
    self.resource = resource
    self.expirationDateTime = expirationDateTime
    self.clientState = clientState
    self.latestSupportedTlsVersion = latestSupportedTlsVersion
    self.includeResourceData = includeResourceData
  }
}

/// A renewal, another hook, or both.
public struct SubscriptionPatchPayload: Hashable, Sendable, Codable {
  public var expirationDateTime: Timestamp?
  public var notificationUrl: String?

  public init(expirationDateTime: Timestamp? = nil, notificationUrl: String? = nil) {
    self.expirationDateTime = expirationDateTime
    self.notificationUrl = notificationUrl
  }
}

/// A subscription as the store answers it, without its `clientState`.
public struct SubscriptionPayload: Hashable, Sendable, Codable {
  public var id: SubscriptionID
  public var resource: String
  public var changeType: String
  public var notificationUrl: String
  public var lifecycleNotificationUrl: String?
  public var expirationDateTime: Timestamp
  public var latestSupportedTlsVersion: String?

  public init(
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
public struct SubscriptionListPayload: Hashable, Sendable, Codable {
  public var value: [SubscriptionPayload]

  public init(value: [SubscriptionPayload]) { self.value = value }
}

/// One change as a hook is told of it: Graph's `changeNotification`, which says what changed and
/// nothing of what is in it. A hook may be told of a change more than once.
public struct ChangeNotificationPayload: Hashable, Sendable, Codable {
  /// Names the changed item.
  public struct ResourceData: Hashable, Sendable, Codable {
    public var type: String
    /// The item's path below the version, as in `me/notifications/{id}`.
    public var path: String
    public var id: NotificationID

    public init(path: String, id: NotificationID) {
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

  public var subscriptionId: SubscriptionID
  public var subscriptionExpirationDateTime: Timestamp
  public var clientState: String?
  public var changeType: ChangeType
  public var resource: String
  public var resourceData: ResourceData

  public init(
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
public struct ChangeNotificationListPayload: Hashable, Sendable, Codable {
  public var value: [ChangeNotificationPayload]

  public init(value: [ChangeNotificationPayload]) { self.value = value }
}

/// What happened to a subscription itself, as its lifecycle hook is told.
public struct LifecycleNotificationPayload: Hashable, Sendable, Codable {
  public var subscriptionId: SubscriptionID
  public var subscriptionExpirationDateTime: Timestamp
  public var clientState: String?
  public var resource: String
  public var lifecycleEvent: LifecycleEvent

  public init(
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
public struct LifecycleNotificationListPayload: Hashable, Sendable, Codable {
  public var value: [LifecycleNotificationPayload]

  public init(value: [LifecycleNotificationPayload]) { self.value = value }
}
