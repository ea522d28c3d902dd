/// The visible text of an item: Graph's `payload.visualContent`, with a subtitle.
public struct VisualContent: Hashable, Sendable, Codable {
  /// The title; never empty in a store.
  public var title: String
  public var subtitle: String?
  public var body: String?

  public init(title: String, subtitle: String? = nil, body: String? = nil) {
    self.title = title
    self.subtitle = subtitle
    self.body = body
  }
}

/// The content of an item, as its publisher provides it.
///
/// At least one of ``visual`` and ``raw`` is set. In Graph, the content is `userNotification` and
/// its `targetPolicy` (beta reference).
public struct Content: Hashable, Sendable {
  /// The publishing app: a domain, or an ntfy topic. Graph's `targetHostName`.
  public var app: String
  /// The app server's own id; publishing with the same id replaces the live item.
  public var appNotificationID: String?
  /// Graph's `groupName`; lists fold items of one app by it.
  public var group: String?
  public var priority: Priority
  public var tags: [String]
  public var visual: VisualContent?
  /// Raw content, opaque to the store. An item with nothing else never enters a tray.
  public var raw: String?
  /// A link to open; clients open only https, http and mailto.
  public var clickURL: String?
  /// The time at which the item leaves every list, including the history.
  ///
  /// At most 30 days after publication.
  public var expiration: Timestamp?
  /// The time that the item stays in the tray after its arrival or its snooze.
  ///
  /// Whole seconds.
  public var displayTimeToLive: Duration?
  /// The delivery time of a scheduled item; nil for immediate delivery.
  public var deliverAt: Timestamp?
  /// The times at which the item is delivered, after its publication; nil for one delivery.
  ///
  /// Not with ``deliverAt``.
  public var trigger: Trigger?
  /// The fields that travel with the item without the store interpreting them.
  public var extras: ContentExtras

  public init(
    app: String, appNotificationID: String? = nil, group: String? = nil,
    priority: Priority = .normal, tags: [String] = [], visual: VisualContent? = nil,
    raw: String? = nil, clickURL: String? = nil, expiration: Timestamp? = nil,
    displayTimeToLive: Duration? = nil, deliverAt: Timestamp? = nil, trigger: Trigger? = nil,
    extras: ContentExtras = ContentExtras()
  ) {
    self.app = app
    self.appNotificationID = appNotificationID
    self.group = group
    self.priority = priority
    self.tags = tags
    self.visual = visual
    self.raw = raw
    self.clickURL = clickURL
    self.expiration = expiration
    self.displayTimeToLive = displayTimeToLive
    self.deliverAt = deliverAt
    self.trigger = trigger
    self.extras = extras
  }
}

/// Content fields that the store keeps and delivers without interpreting them.
///
/// Both sides store them as one JSON value, so that a later field needs no migration.
public struct ContentExtras: Hashable, Sendable, Codable {
  public struct Attachment: Hashable, Sendable, Codable {
    public var name: String?
    /// A link, or the path of a file in the store's blob store: `/file/` and an id.
    public var url: String
    /// The media type; for a file in the blob store, as detected from its bytes.
    public var type: String?
    public var size: Int?
    /// The time at which the store removes the file.
    ///
    /// Nil for a link, and for a file that stays with its item.
    public var expires: Timestamp?

    public init(
      name: String? = nil, url: String, type: String? = nil, size: Int? = nil,
      expires: Timestamp? = nil
    ) {
      self.name = name
      self.url = url
      self.type = type
      self.size = size
      self.expires = expires
    }
  }

  /// A limit on the platforms that present the item; synchronisation ignores it.
  ///
  /// Graph's `targetPolicy`.
  public struct TargetPolicy: Hashable, Sendable, Codable {
    public var platformTypes: [String]

    public init(platformTypes: [String]) { self.platformTypes = platformTypes }
  }

  /// The visual content to show if the app did not handle the raw content in time.
  ///
  /// Graph's `fallbackPolicy.endpointFallback`.
  public struct FallbackPolicy: Hashable, Sendable, Codable {
    public var platformTypes: [String]
    /// The delay before the fallback is shown: 60 to 600 seconds.
    public var fallbackDelayInSeconds: Int
    public var visualContent: VisualContent?

    public init(
      platformTypes: [String], fallbackDelayInSeconds: Int, visualContent: VisualContent?
    ) {
      self.platformTypes = platformTypes
      self.fallbackDelayInSeconds = fallbackDelayInSeconds
      self.visualContent = visualContent
    }
  }

  public var category: String?
  public var actions: [Action]?
  public var attachments: [Attachment]?
  public var sound: String?
  public var badge: Int?
  public var markdown: Bool?
  public var icon: String?
  public var targetPolicy: TargetPolicy?
  public var fallbackPolicy: FallbackPolicy?
  /// Whether the publisher waits for the user's answer, which it may read by itself.
  public var awaitsResponse: Bool?
  /// Data for the app's own handlers, which no store and no screen interprets.
  public var userInfo: [String: InfoValue]?
  /// Whether a program may transform the content before it is shown.
  public var mutableContent: Bool?
  /// The environment for which the item is published; nil for production.
  ///
  /// A live item keeps its environment.
  public var environment: RegistrationEnvironment?
  /// The time at which the condition that the item reports began, as its publisher says.
  public var startedDateTime: Timestamp?

  public init() {}

  /// Whether no field is set.
  public var isEmpty: Bool { self == ContentExtras() }
}

/// The fields of an item that devices set, each independently.
public struct ItemRegisters: Hashable, Sendable {
  public var readState: Register<ReadState>
  public var userActionState: Register<UserActionState>
  /// Whether the item is pinned; a pinned item never expires.
  public var pinned: Register<Bool>
  /// Whether the item's trigger has been cancelled.
  ///
  /// There are no occurrences after the last one that any device knew when it set a register.
  public var cancelled: Register<Bool>
  /// The effect of the user's rules on how the item is listed and announced.
  ///
  /// The store sets it at a publication. A device sets it to ``AppliedEffect/empty``, or to the effect
  /// of a rule that its user applies to the item.
  public var applied: Register<AppliedEffect>

  public init(
    readState: Register<ReadState> = Register(.unread),
    userActionState: Register<UserActionState> = Register(.noInteraction),
    pinned: Register<Bool> = Register(false), cancelled: Register<Bool> = Register(false),
    applied: Register<AppliedEffect> = Register(.empty)
  ) {
    self.readState = readState
    self.userActionState = userActionState
    self.pinned = pinned
    self.cancelled = cancelled
    self.applied = applied
  }
}

/// The part of an item that changes without a new publication.
///
/// A delta can contain it without the content.
public struct ItemState: Hashable, Sendable {
  /// The change counter at the item's last change of any kind.
  public var sequence: SequenceNumber
  /// The change counter at the last publication or replacement; never above ``sequence``.
  public var contentSequence: SequenceNumber
  /// The content sequence of the last publication that was not a repeat.
  ///
  /// Nil if that was the last publication: always below ``contentSequence``.
  public var meaning: SequenceNumber?
  /// The time of the last change, by the store's clock.
  public var changed: Timestamp
  /// The last crossing that delivered the item; only with a trigger for a place.
  public var crossed: Timestamp?
  /// The time at which the alert was resolved, as its publisher says; nil while it is open.
  public var resolved: Timestamp?
  public var registers: ItemRegisters

  public init(
    sequence: SequenceNumber, contentSequence: SequenceNumber, meaning: SequenceNumber? = nil,
    changed: Timestamp, crossed: Timestamp? = nil, resolved: Timestamp? = nil,
    registers: ItemRegisters = ItemRegisters()
  ) {
    self.sequence = sequence
    self.contentSequence = contentSequence
    self.meaning = meaning
    self.changed = changed
    self.crossed = crossed
    self.resolved = resolved
    self.registers = registers
  }

  /// The content sequence with which `seen` and the bounds of bulk operations are compared.
  ///
  /// A repeat leaves it as it is, so that a dismissal of a noisy alert is not superseded (SYNC-6).
  public var meaningSequence: SequenceNumber { meaning ?? contentSequence }

  /// Whether ``meaning`` is below ``contentSequence``, as in every state that a store writes.
  package var isConsistent: Bool { meaning.map { $0 < contentSequence } ?? true }

  /// Returns whether a user who was shown the content `seen` was shown what the item means now.
  ///
  /// False for content that the item does not have yet: a restored store may hold an older one.
  public func isMeant(by seen: SequenceNumber) -> Bool {
    meaningSequence <= seen && seen <= contentSequence
  }

  public var readState: Register<ReadState> {
    get { registers.readState }
    set { registers.readState = newValue }
  }

  public var userActionState: Register<UserActionState> {
    get { registers.userActionState }
    set { registers.userActionState = newValue }
  }

  public var pinned: Register<Bool> {
    get { registers.pinned }
    set { registers.pinned = newValue }
  }

  public var cancelled: Register<Bool> {
    get { registers.cancelled }
    set { registers.cancelled = newValue }
  }

  public var applied: Register<AppliedEffect> {
    get { registers.applied }
    set { registers.applied = newValue }
  }
}

/// An item of a user's store, complete: Graph's `userNotification`.
public struct UserNotification: Hashable, Sendable, Identifiable {
  public let id: NotificationID
  /// The number that users refer to, `#N`.
  ///
  /// It counts from 1 for each user, and is never reused. An item that its device has not sent yet has
  /// the number 0.
  public let shortNumber: Int64
  /// The time of the first publication, by the store's clock.
  public let created: Timestamp
  /// The time of the last publication or, if scheduled, of delivery. Lists are ordered by it.
  public var arrival: Timestamp
  public var content: Content
  public var state: ItemState
  /// The occurrences of a collapsed item; nil for any other. Only the store writes it.
  public var repeats: Repeats?

  public init(
    id: NotificationID, shortNumber: Int64, created: Timestamp, arrival: Timestamp,
    content: Content, state: ItemState, repeats: Repeats? = nil
  ) {
    self.id = id
    self.shortNumber = shortNumber
    self.created = created
    self.arrival = arrival
    self.content = content
    self.state = state
    self.repeats = repeats
  }

  /// The time at which the item leaves every list; nil if pinned or without expiration.
  public var expires: Timestamp? { state.pinned.value ? nil : content.expiration }
}
