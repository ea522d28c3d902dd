package import BellhopModel

/// What is to be done next for a subscription.
package enum HookStep: Hashable, Sendable {
  /// There is no such subscription.
  case gone
  /// Nothing before `until`, unless the user's items change.
  case rest(until: Timestamp)
  /// Send this and say what came of it.
  case tell(HookMessage)
}

/// One request to a hook.
package struct HookMessage: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case changes([HookChange])
    case lifecycle(LifecycleEvent)
  }

  package var subscription: Subscription
  package var content: Content
  /// Everything up to here is told with it.
  var through: SequenceNumber
  /// Set when nothing is left to tell after it: the user's last short number.
  var knownNumber: Int64?

  /// Where it goes. A lifecycle event is only made for a subscription that has a place for it.
  package var url: String {
    switch content {
    case .changes: subscription.request.notificationURL
    case .lifecycle: subscription.request.lifecycleURL ?? subscription.request.notificationURL
    }
  }
}

/// One change as a subscriber hears of it.
package struct HookChange: Hashable, Sendable {
  package var id: NotificationID
  package var type: ChangeType

  package init(id: NotificationID, type: ChangeType) {
    self.id = id
    self.type = type
  }
}

/// What came of a request to a hook.
package enum HookOutcome: Hashable, Sendable {
  case accepted
  /// It is to be tried again, not before `retryAfter` from now.
  case failed(retryAfter: Duration?)
}

/// What recording an outcome did.
package enum HookRecord: Hashable, Sendable {
  case advanced
  /// Tried again at this time.
  case postponed(until: Timestamp)
  /// Given up: the changes were dropped, or the lifecycle event was.
  case dropped
  /// The subscription is no more.
  case removed
}
