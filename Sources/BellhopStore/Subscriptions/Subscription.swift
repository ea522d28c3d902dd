package import BellhopModel

/// What a subscriber gives to recognise its own notifications by. It prints as `<redacted>`.
package struct ClientState: Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { "<redacted>" }
  package var debugDescription: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What somebody asks for who wants to be told of changes.
package struct SubscriptionRequest: Hashable, Sendable {
  package var changeTypes: ChangeTypes
  /// The collection, as the subscriber named it: `me/notifications` or the same under `users/`.
  package var resource: String
  package var notificationURL: String
  package var lifecycleURL: String?
  package var clientState: ClientState?
  package var expires: Timestamp
  /// Given back as it came; the store itself speaks nothing older than TLS 1.2.
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

/// A web hook: who is told of which changes, where, and until when.
package struct Subscription: Hashable, Sendable, Identifiable {
  package let id: SubscriptionID
  package let user: UserID
  /// The token that made it or renewed it last. The subscription ends when that is revoked.
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

  /// Whether nothing is left of it but to say that it is over.
  package var isEnded: Bool { progress.pending == .subscriptionRemoved }
}

/// A user's subscription, where several users are looked at; ordered as they are stored.
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

/// How far a subscriber has been told.
///
/// This is the whole queue: what is still to be told are the item rows above ``through``, one for
/// each changed item, however long a subscriber is away. Nothing is stored for a single change.
package struct HookProgress: Hashable, Sendable {
  /// The life of the data in which ``through`` counts.
  package var epoch: Epoch
  /// All changes up to here were told, filtered out or given up.
  package var through: SequenceNumber
  /// The last short number when the subscriber had been told everything: a higher one is of an
  /// item that is new to it.
  package var knownNumber: Int64
  package var delivery = HookRetry()
  /// A lifecycle event that is still to be told.
  package var pending: LifecycleEvent?
  package var lifecycle = HookRetry()

  package init(epoch: Epoch, through: SequenceNumber, knownNumber: Int64) {
    self.epoch = epoch
    self.through = through
    self.knownNumber = knownNumber
  }
}

/// How often in a row a hook did not take what it was told.
package struct HookRetry: Hashable, Sendable {
  package var failures = 0
  /// When the first of them was.
  package var since: Timestamp?
  /// Not to be tried before.
  package var next: Timestamp?

  package init() {}

  /// Until when it is to wait at `now`; nil for not at all. A time further away than `furthest`
  /// comes from a clock that was wrong, and is passed over.
  func pause(at now: Timestamp, furthest: Duration) -> Timestamp? {
    guard let next, next > now, next <= now.advanced(by: furthest) else { return nil }
    return next
  }
}

/// One changed item, without what anybody wrote in it.
package struct ItemChange: Hashable, Sendable {
  package var id: NotificationID
  package var sequence: SequenceNumber
  package var shortNumber: Int64
  package var isDeleted: Bool

  package init(
    id: NotificationID, sequence: SequenceNumber, shortNumber: Int64, isDeleted: Bool
  ) {
    self.id = id
    self.sequence = sequence
    self.shortNumber = shortNumber
    self.isDeleted = isDeleted
  }
}
