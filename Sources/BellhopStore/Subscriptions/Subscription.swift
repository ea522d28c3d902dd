public import BellhopModel

/// What a subscriber gives to recognise its own notifications by. It prints as `<redacted>`.
public struct ClientState: Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  public let text: String

  public init(_ text: String) { self.text = text }

  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What somebody asks for who wants to be told of changes.
public struct SubscriptionRequest: Hashable, Sendable {
  public var changeTypes: ChangeTypes
  /// The collection, as the subscriber named it: `me/notifications` or the same under `users/`.
  public var resource: String
  public var notificationURL: String
  public var lifecycleURL: String?
  public var clientState: ClientState?
  public var expires: Timestamp
  /// Given back as it came; the store itself speaks nothing older than TLS 1.2.
  public var tlsVersion: String?

  public init(
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
public struct Subscription: Hashable, Sendable, Identifiable {
  public let id: SubscriptionID
  public let user: UserID
  /// The token that made it or renewed it last. The subscription ends when that is revoked.
  public var token: AccessTokenID
  public var request: SubscriptionRequest
  public var created: Timestamp
  public var progress: HookProgress

  public init(
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

  public var key: SubscriptionKey { SubscriptionKey(user: user, id: id) }

  /// Whether nothing is left of it but to say that it is over.
  public var isEnded: Bool { progress.pending == .subscriptionRemoved }
}

/// A user's subscription, where several users are looked at; ordered as they are stored.
public struct SubscriptionKey: Hashable, Sendable, Comparable {
  public var user: UserID
  public var id: SubscriptionID

  public init(user: UserID, id: SubscriptionID) {
    self.user = user
    self.id = id
  }

  public static func < (left: SubscriptionKey, right: SubscriptionKey) -> Bool {
    left.user != right.user ? left.user < right.user : left.id < right.id
  }
}

/// How far a subscriber has been told.
///
/// This is the whole queue: what is still to be told are the item rows above ``through``, one for
/// each changed item, however long a subscriber is away. Nothing is stored for a single change.
public struct HookProgress: Hashable, Sendable {
  /// The life of the data in which ``through`` counts.
  public var epoch: Epoch
  /// All changes up to here were told, filtered out or given up.
  public var through: SequenceNumber
  /// The last short number when the subscriber had been told everything: a higher one is of an
  /// item that is new to it.
  public var knownNumber: Int64
  public var delivery = HookRetry()
  /// A lifecycle event that is still to be told.
  public var pending: LifecycleEvent?
  public var lifecycle = HookRetry()

  public init(epoch: Epoch, through: SequenceNumber, knownNumber: Int64) {
    self.epoch = epoch
    self.through = through
    self.knownNumber = knownNumber
  }
}

/// How often in a row a hook did not take what it was told.
public struct HookRetry: Hashable, Sendable {
  public var failures = 0
  /// When the first of them was.
  public var since: Timestamp?
  /// Not to be tried before.
  public var next: Timestamp?

  public init() {}

  /// Until when it is to wait at `now`; nil for not at all. A time further away than `furthest`
  /// comes from a clock that was wrong, and is passed over.
  func pause(at now: Timestamp, furthest: Duration) -> Timestamp? {
    guard let next, next > now, next <= now.advanced(by: furthest) else { return nil }
    return next
  }
}

/// One changed item, without what anybody wrote in it.
public struct ItemChange: Hashable, Sendable {
  public var id: NotificationID
  public var sequence: SequenceNumber
  public var shortNumber: Int64
  public var isDeleted: Bool

  public init(
    id: NotificationID, sequence: SequenceNumber, shortNumber: Int64, isDeleted: Bool
  ) {
    self.id = id
    self.sequence = sequence
    self.shortNumber = shortNumber
    self.isDeleted = isDeleted
  }
}
