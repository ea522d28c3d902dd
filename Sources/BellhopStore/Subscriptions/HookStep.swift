public import BellhopModel

/// What is to be done next for a subscription.
public enum HookStep: Hashable, Sendable {
  /// There is no such subscription.
  case gone
  /// Nothing before `until`, unless the user's items change.
  case rest(until: Timestamp)
  /// Send this and say what came of it.
  case tell(HookMessage)
}

/// One request to a hook.
public struct HookMessage: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    case changes([HookChange])
    case lifecycle(LifecycleEvent)
  }

  public var subscription: Subscription
  public var content: Content
  /// Everything up to here is told with it.
  var through: SequenceNumber
  /// Set when nothing is left to tell after it: the user's last short number.
  var knownNumber: Int64?

  /// Where it goes. A lifecycle event is only made for a subscription that has a place for it.
  public var url: String {
    switch content {
    case .changes: subscription.request.notificationURL
    case .lifecycle: subscription.request.lifecycleURL ?? subscription.request.notificationURL
    }
  }
}

/// One change as a subscriber hears of it.
public struct HookChange: Hashable, Sendable {
  public var id: NotificationID
  public var type: ChangeType

  public init(id: NotificationID, type: ChangeType) {
    self.id = id
    self.type = type
  }
}

/// What came of a request to a hook.
public enum HookOutcome: Hashable, Sendable {
  case accepted
  /// It is to be tried again, not before `retryAfter` from now.
  case failed(retryAfter: Duration?)
}

/// What recording an outcome did.
public enum HookRecord: Hashable, Sendable {
  case advanced
  /// Tried again at this time.
  case postponed(until: Timestamp)
  /// Given up: the changes were dropped, or the lifecycle event was.
  case dropped
  /// The subscription is no more.
  case removed
}
