/// What a person sees of an item. Graph's `payload.visualContent`, with a subtitle.
public struct VisualContent: Hashable, Sendable, Codable {
  /// Never empty in a store.
  public var title: String
  public var subtitle: String?
  public var body: String?

  public init(title: String, subtitle: String? = nil, body: String? = nil) {
    self.title = title
    self.subtitle = subtitle
    self.body = body
  }
}

/// Everything a publisher says of an item.
///
/// At least one of ``visual`` and ``raw`` is there. Graph: `userNotification` and its
/// `targetPolicy`, beta reference.
public struct Content: Hashable, Sendable {
  /// The app that publishes: a domain, or an ntfy topic. Graph's `targetHostName`.
  public var app: String
  /// The app server's own id. Publishing it again replaces the live item.
  public var appNotificationID: String?
  /// Graph's `groupName`; folds items of one app.
  public var group: String?
  public var priority: Priority
  public var tags: [String]
  public var visual: VisualContent?
  /// Opaque to the store. Items with nothing else never enter a tray.
  public var raw: String?
  /// A link to open; only https, http and mailto are ever opened.
  public var clickURL: String?
  /// When the item leaves every device, history too; at most 30 days after publication.
  public var expiration: Timestamp?
  /// How long the item stays in the tray; whole seconds, counted from its arrival or snooze's end.
  public var displayTimeToLive: Duration?
  /// When a scheduled item is delivered; nil for at once.
  public var deliverAt: Timestamp?
  /// What travels with the item and the store does not interpret.
  public var extras: ContentExtras

  public init(
    app: String, appNotificationID: String? = nil, group: String? = nil,
    priority: Priority = .normal, tags: [String] = [], visual: VisualContent? = nil,
    raw: String? = nil, clickURL: String? = nil, expiration: Timestamp? = nil,
    displayTimeToLive: Duration? = nil, deliverAt: Timestamp? = nil,
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
    self.extras = extras
  }
}

/// Content fields that the store keeps and delivers without reading them.
///
/// Kept as one JSON value on both sides, so that a later field needs no migration.
public struct ContentExtras: Hashable, Sendable, Codable {
  public struct Attachment: Hashable, Sendable, Codable {
    public var name: String?
    /// A link, or the path of a file that the store itself keeps: `/file/` and an id.
    public var url: String
    /// Of a file that the store keeps, what it found in the bytes.
    public var type: String?
    public var size: Int?
    /// When the store removes its file; nil for a link, and for a file that stays with its item.
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

  /// Graph's `targetPolicy`: limits presentation, never synchronisation.
  public struct TargetPolicy: Hashable, Sendable, Codable {
    public var platformTypes: [String]

    public init(platformTypes: [String]) { self.platformTypes = platformTypes }
  }

  /// Graph's `fallbackPolicy.endpointFallback`.
  public struct FallbackPolicy: Hashable, Sendable, Codable {
    public var platformTypes: [String]
    /// 60 to 600.
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

  public init() {}

  /// Whether nothing is set.
  public var isEmpty: Bool { self == ContentExtras() }
}

/// The fields of an item that devices set, each by itself.
public struct ItemRegisters: Hashable, Sendable {
  public var readState: Register<ReadState>
  public var userActionState: Register<UserActionState>
  /// A kept item never expires.
  public var kept: Register<Bool>

  public init(
    readState: Register<ReadState> = Register(.unread),
    userActionState: Register<UserActionState> = Register(.noInteraction),
    kept: Register<Bool> = Register(false)
  ) {
    self.readState = readState
    self.userActionState = userActionState
    self.kept = kept
  }
}

/// The part of an item that changes without a new publication, and is sent alone in a delta.
public struct ItemState: Hashable, Sendable {
  /// The change counter at the item's last change of any kind.
  public var sequence: SequenceNumber
  /// The change counter at the last publication or replacement; never above ``sequence``.
  public var contentSequence: SequenceNumber
  /// When it last changed, by the store's clock.
  public var changed: Timestamp
  public var registers: ItemRegisters

  public init(
    sequence: SequenceNumber, contentSequence: SequenceNumber, changed: Timestamp,
    registers: ItemRegisters = ItemRegisters()
  ) {
    self.sequence = sequence
    self.contentSequence = contentSequence
    self.changed = changed
    self.registers = registers
  }

  public var readState: Register<ReadState> {
    get { registers.readState }
    set { registers.readState = newValue }
  }

  public var userActionState: Register<UserActionState> {
    get { registers.userActionState }
    set { registers.userActionState = newValue }
  }

  public var kept: Register<Bool> {
    get { registers.kept }
    set { registers.kept = newValue }
  }
}

/// An item of a user's store: Graph's `userNotification`, whole.
public struct UserNotification: Hashable, Sendable, Identifiable {
  public let id: NotificationID
  /// The number people name it by, `#N`: per user, from 1, never used again.
  public let shortNumber: Int64
  /// First publication, by the store's clock.
  public let created: Timestamp
  /// When it was last published anew or, if scheduled, is delivered. Lists are ordered by it.
  public var arrival: Timestamp
  public var content: Content
  public var state: ItemState

  public init(
    id: NotificationID, shortNumber: Int64, created: Timestamp, arrival: Timestamp,
    content: Content, state: ItemState
  ) {
    self.id = id
    self.shortNumber = shortNumber
    self.created = created
    self.arrival = arrival
    self.content = content
    self.state = state
  }

  /// When the item is gone from every list; nil for a kept item and for one without an expiration.
  public var expires: Timestamp? { state.kept.value ? nil : content.expiration }
}
