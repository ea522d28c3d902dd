internal import BellhopCache
public import BellhopModel

/// A notification as this device shows it.
public struct FeedNotification: Hashable, Sendable, Identifiable {
  /// The content and state, including changes made on this device that are not yet sent.
  ///
  /// A notification that this device published, and that is not yet sent, has the short number 0
  /// (`UserNotification.isLocal`).
  public var notification: UserNotification
  /// The current placement; `Placement.gone` if expired, or if a delete is pending.
  public var placement: Placement
  /// Whether changes made on this device await the store's response.
  public var isPending: Bool
  /// The time of the next delivery, delayed or by a trigger.
  ///
  /// Nil if there is none, and if its time is not known, as for a place.
  public var nextDelivery: Timestamp?

  public var id: NotificationID { notification.id }

  /// The environment for which the notification was published.
  ///
  /// Development notifications reach only devices that are registered for development.
  public var environment: RegistrationEnvironment {
    notification.content.extras.environment ?? .production
  }

  init(_ item: CachedItem) {
    notification = item.notification
    placement = item.isPendingDelete ? .gone : item.placement
    isPending = item.isPending
    let delayed = item.placement == .scheduled ? item.notification.content.deliverAt : nil
    let next = item.nextOccurrence ?? delayed
    nextDelivery = next == Occurrence.unknownTime ? nil : next
  }
}

/// The remaining facts about a notification that the store no longer has.
public struct DeletedNotification: Hashable, Sendable, Identifiable {
  public var id: NotificationID
  /// The number that users refer to, `#N`; 0 for a notification that was never sent.
  public var shortNumber: Int64
  /// The app that published the notification.
  public var app: String
  public var appNotificationID: String?
  /// The group in which it was published.
  public var group: String?
  /// The app under which it was listed: that of a rule, or else ``app``.
  public var effectiveApp: String
  /// The group in which it was listed: that of a rule, or else ``group``.
  public var effectiveGroup: String?

  init(_ item: RemovedItem) {
    id = item.id
    shortNumber = item.shortNumber
    app = item.app
    appNotificationID = item.appNotificationID
    group = item.group
    effectiveApp = item.movedApp ?? item.app
    effectiveGroup = item.movedGroup ?? item.group
  }
}

/// A change of one notification, as a reader receives it.
public enum NotificationChange: Hashable, Sendable {
  /// The notification is new, or is shown differently than before.
  case active(FeedNotification)
  /// The notification was deleted, withdrawn, or has expired.
  case deleted(DeletedNotification)

  public var id: NotificationID {
    switch self {
    case .active(let item): item.id
    case .deleted(let item): item.id
    }
  }

  /// The status of the notification, as in Project Rome's SDK.
  public var status: NotificationStatus {
    switch self {
    case .active: .active
    case .deleted: .deleted
    }
  }

  init(_ change: CachedChange) {
    switch change {
    case .item(let item): self = .active(FeedNotification(item))
    case .removed(let item): self = .deleted(DeletedNotification(item))
    }
  }
}
