package import BellhopModel

/// The next step in the delivery of a subscription.
package enum HookStep: Hashable, Sendable {
  /// The subscription does not exist.
  case gone
  /// Wait until `until`, unless the user's items change.
  case rest(until: Timestamp)
  /// Send this message and record the outcome.
  case tell(HookMessage)
}

/// A request to a hook.
package struct HookMessage: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case changes([HookChange])
    case lifecycle(LifecycleEvent)
  }

  package var subscription: Subscription
  package var content: Content
  /// The sequence up to which the message covers all changes.
  var through: SequenceNumber
  /// The time up to which the message covers deliveries by triggers.
  var occurredThrough: Timestamp
  /// The user's last short number, if nothing remains to be delivered after this message.
  var knownNumber: Int64?
  /// The lease under which it is delivered; nil in a process that serves alone.
  var lease: Lease?

  /// The destination URL. A lifecycle event is only created for a subscription that has a URL for
  /// it.
  package var url: String {
    switch content {
    case .changes: subscription.request.notificationURL
    case .lifecycle: subscription.request.lifecycleURL ?? subscription.request.notificationURL
    }
  }
}

/// A change as reported to a subscriber.
package struct HookChange: Hashable, Sendable {
  package var id: NotificationID
  package var type: ChangeType

  package init(id: NotificationID, type: ChangeType) {
    self.id = id
    self.type = type
  }
}

/// The outcome of a request to a hook.
package enum HookOutcome: Hashable, Sendable {
  case accepted
  /// The request must be sent again, but not before `retryAfter` from now.
  case failed(retryAfter: Duration?)
}

/// The effect of recording an outcome.
package enum HookRecord: Hashable, Sendable {
  case advanced
  /// The message is sent again at this time.
  case postponed(until: Timestamp)
  /// The store gave up and dropped the changes or the lifecycle event.
  case dropped
  /// The subscription no longer exists.
  case removed
  /// Another process has taken the lease meanwhile. Nothing was recorded, and it may send the
  /// message again.
  case superseded
}
