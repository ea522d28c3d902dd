package import BellhopModel

/// The text by which a subscriber recognises its own notifications. It prints as `<redacted>`.
package struct ClientState: Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { "<redacted>" }
  package var debugDescription: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A request for a subscription to changes.
package struct SubscriptionRequest: Hashable, Sendable {
  package var changeTypes: ChangeTypes
  /// The collection as the subscriber named it: `me/notifications`, or the same under `users/`.
  package var resource: String
  package var notificationURL: String
  package var lifecycleURL: String?
  package var clientState: ClientState?
  package var expires: Timestamp
  /// The requested TLS version, returned unchanged; the store itself uses no version older than TLS
  /// 1.2.
  package var tlsVersion: String?

  package init(
    changeTypes: ChangeTypes, resource: String, notificationURL: String,
    lifecycleURL: String? = nil, clientState: ClientState? = nil, expires: Timestamp,
    tlsVersion: String? = nil
  ) {
    self.changeTypes = changeTypes
    self.resource = resource
    self.notificationURL = notificationURL
    self.lifecycleURL = lifecycleURL
    self.clientState = clientState
    self.expires = expires
    self.tlsVersion = tlsVersion
  }
}

/// A web hook: its request, its owner and the progress of its delivery.
package struct Subscription: Hashable, Sendable, Identifiable {
  package let id: SubscriptionID
  package let user: UserID
  /// The token that created it or last renewed it. The subscription ends when that token is
  /// revoked.
  package var token: AccessTokenID
  package var request: SubscriptionRequest
  package var created: Timestamp
  package var progress: HookProgress

  package init(
    id: SubscriptionID, user: UserID, token: AccessTokenID, request: SubscriptionRequest,
    created: Timestamp, progress: HookProgress
  ) {
    self.id = id
    self.user = user
    self.token = token
    self.request = request
    self.created = created
    self.progress = progress
  }

  package var key: SubscriptionKey { SubscriptionKey(user: user, id: id) }

  /// Whether the subscription is over, and only that remains to be reported.
  package var isEnded: Bool { progress.pending == .subscriptionRemoved }
}

/// The key of a subscription among those of all users, ordered as they are stored.
package struct SubscriptionKey: Hashable, Sendable, Comparable {
  package var user: UserID
  package var id: SubscriptionID

  package init(user: UserID, id: SubscriptionID) {
    self.user = user
    self.id = id
  }

  package static func < (left: SubscriptionKey, right: SubscriptionKey) -> Bool {
    left.user != right.user ? left.user < right.user : left.id < right.id
  }
}

/// The progress of delivery to a subscriber.
///
/// It is the whole queue: the changes that remain to be delivered are the item rows above
/// ``through``, one per changed item, however long a subscriber is away. Nothing is stored per
/// change.
package struct HookProgress: Hashable, Sendable {
  /// The epoch to which ``through`` belongs.
  package var epoch: Epoch
  /// The sequence up to which all changes were delivered, filtered out or given up.
  package var through: SequenceNumber
  /// The last short number when the subscriber had received everything. A higher one belongs to an
  /// item that is new to it.
  package var knownNumber: Int64
  /// The time up to which deliveries by triggers were reported.
  ///
  /// The store writes nothing when a trigger is due, so they have no sequence.
  package var occurredThrough: Timestamp
  package var delivery = HookRetry()
  /// A lifecycle event that remains to be delivered.
  package var pending: LifecycleEvent?
  package var lifecycle = HookRetry()

  package init(
    epoch: Epoch, through: SequenceNumber, knownNumber: Int64, occurredThrough: Timestamp
  ) {
    self.epoch = epoch
    self.through = through
    self.knownNumber = knownNumber
    self.occurredThrough = occurredThrough
  }
}

/// The consecutive failures of delivery to a hook.
package struct HookRetry: Hashable, Sendable {
  package var failures = 0
  /// The time of the first of these failures.
  package var since: Timestamp?
  /// The earliest time of the next attempt.
  package var next: Timestamp?

  package init() {}

  /// Returns the time until which to pause at `now`; nil for no pause.
  ///
  /// A time further away than `furthest` comes from a wrong clock and is ignored.
  func pause(at now: Timestamp, furthest: Duration) -> Timestamp? {
    guard let next, next > now, next <= now.advanced(by: furthest) else { return nil }
    return next
  }
}

/// A changed item without its content.
package struct ItemChange: Hashable, Sendable {
  package var id: NotificationID
  package var sequence: SequenceNumber
  package var shortNumber: Int64
  package var isDeleted: Bool
  /// Whether the item is live and for devices in development only.
  package var isDevelopment: Bool

  package init(
    id: NotificationID, sequence: SequenceNumber, shortNumber: Int64, isDeleted: Bool,
    isDevelopment: Bool = false
  ) {
    self.id = id
    self.sequence = sequence
    self.shortNumber = shortNumber
    self.isDeleted = isDeleted
    self.isDevelopment = isDevelopment
  }
}
