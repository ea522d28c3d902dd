internal import BellhopCache
public import BellhopModel

/// A notification as this device shows it.
public struct FeedNotification: Hashable, Sendable, Identifiable {
  /// Content and state, with the changes made here applied, also those that still wait.
  public var notification: UserNotification
  /// Where it belongs now. ``Placement/gone`` for one that is expired, or whose delete waits.
  public var placement: Placement
  /// Whether changes made here wait for the store's answer.
  public var isPending: Bool

  public var id: NotificationID { notification.id }

  init(_ item: CachedItem) {
    notification = item.notification
    placement = item.isPendingDelete ? .gone : item.placement
    isPending = item.isPending
  }
}

/// What remains of a notification that the store has no more.
public struct DeletedNotification: Hashable, Sendable, Identifiable {
  public var id: NotificationID
  /// The `#N` that people named it by.
  public var shortNumber: Int64
  public var app: String
  public var appNotificationID: String?
  public var group: String?

  init(_ item: RemovedItem) {
    id = item.id
    shortNumber = item.shortNumber
    app = item.app
    appNotificationID = item.appNotificationID
    group = item.group
  }
}

/// What a reader is told of one notification.
public enum NotificationChange: Hashable, Sendable {
  /// It is new, or looks otherwise than before.
  case active(FeedNotification)
  /// Deleted, expired or withdrawn.
  case deleted(DeletedNotification)

  public var id: NotificationID {
    switch self {
    case .active(let item): item.id
    case .deleted(let item): item.id
    }
  }

  /// The seeds' word for it.
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
