public import BellhopModel

/// An item as devices see it: content, registers with their provenance, sequences.
///
/// Decoding gives back exactly the item that was encoded whole.
public struct NotificationPayload: Hashable, Sendable, Codable {
  public var item: UserNotification
  /// Which members are encoded; nil for all. An item with a part of them can't be decoded.
  public var selection: ItemSelection?

  public init(_ item: UserNotification, selecting selection: ItemSelection? = nil) {
    self.item = item
    self.selection = selection
  }

  /// The entity tag of an item in this state; quoted, as HTTP writes it.
  public static func entityTag(_ state: ItemState) -> String { "\"\(state.sequence)\"" }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ItemKey.self)
    item = try UserNotification(
      id: container.decode(NotificationID.self, forKey: .id),
      shortNumber: container.decode(Int64.self, forKey: .shortNumber),
      created: container.decode(Timestamp.self, forKey: .createdDateTime),
      arrival: container.decode(Timestamp.self, forKey: .arrivalDateTime),
      content: ContentCoding.decode(from: container),
      state: StateCoding.decode(from: container))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = ItemWriter(encoder, selecting: selection)
    try container.encode(Self.entityTag(item.state), forKey: .etag)
    try ItemCoding.encodeIdentity(item, into: &container)
    try ContentCoding.encode(item.content, into: &container)
    try StateCoding.encode(item.state, into: &container)
  }
}

/// An item as publishers see it: what publishers write and nothing else, so that a publish token
/// never learns whether somebody read or handled anything.
public struct PublishedPayload: Hashable, Sendable, Codable {
  public var id: NotificationID
  public var shortNumber: Int64
  public var created: Timestamp
  public var content: Content

  public init(_ item: UserNotification) {
    id = item.id
    shortNumber = item.shortNumber
    created = item.created
    content = item.content
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ItemKey.self)
    id = try container.decode(NotificationID.self, forKey: .id)
    shortNumber = try container.decode(Int64.self, forKey: .shortNumber)
    created = try container.decode(Timestamp.self, forKey: .createdDateTime)
    content = try ContentCoding.decode(from: container)
  }

  /// What OData says of an answer that is one entity; relative, because a store does not know under
  /// which names it is reached (OData JSON Format 4.01 §4.5.1).
  static let context = "$metadata#me/notifications/$entity"

  public func encode(to encoder: any Encoder) throws {
    var container = ItemWriter(encoder)
    try container.encode(Self.context, forKey: .context)
    try container.encode(id, forKey: .id)
    try container.encode(shortNumber, forKey: .shortNumber)
    try container.encode(created, forKey: .createdDateTime)
    try ContentCoding.encode(content, into: &container)
  }
}

/// A page of a list.
public struct ListPayload: Hashable, Sendable, Codable {
  public var items: [UserNotification]
  /// How many items there are in all, if it was asked.
  public var count: Int?
  /// The address of the next page; nil on the last one.
  public var nextLink: String?
  /// Which members of the items are encoded; nil for all.
  public var selection: ItemSelection?

  public init(
    items: [UserNotification], count: Int? = nil, nextLink: String?,
    selecting selection: ItemSelection? = nil
  ) {
    self.items = items
    self.count = count
    self.nextLink = nextLink
    self.selection = selection
  }

  private enum CodingKeys: String, CodingKey {
    case value
    case count = "@odata.count"
    case nextLink = "@odata.nextLink"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    items = try container.decode([NotificationPayload].self, forKey: .value).map(\.item)
    count = try container.decodeIfPresent(Int.self, forKey: .count)
    nextLink = try container.decodeIfPresent(String.self, forKey: .nextLink)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(count, forKey: .count)
    try container.encode(
      items.map { NotificationPayload($0, selecting: selection) }, forKey: .value)
    try container.encodeIfPresent(nextLink, forKey: .nextLink)
  }
}

// MARK: - Keys and parts

/// Every key of an item on the wire.
enum ItemKey: String, CodingKey, CaseIterable {
  case context = "@odata.context"
  case etag = "@odata.etag"
  case removed = "@removed"
  case id, shortNumber, status, createdDateTime, arrivalDateTime, sequence, contentSequence
  case lastModifiedDateTime
  case targetHostName, appNotificationId, groupName, priority, tags, payload, clickUrl
  case expirationDateTime, displayTimeToLive, deliverAfterDateTime
  case category, actions, attachments, sound, badge, markdown, icon, targetPolicy, fallbackPolicy
  case readState, readStateChange, userActionState, snoozedUntilDateTime, userActionStateChange
  case kept, keptChange
}

/// The codec of what names an item.
enum ItemCoding {
  static func encodeIdentity(
    _ item: UserNotification, into container: inout ItemWriter
  ) throws {
    try container.encode(item.id, forKey: .id)
    try container.encode(item.shortNumber, forKey: .shortNumber)
    try container.encode(NotificationStatus.active, forKey: .status)
    try container.encode(item.created, forKey: .createdDateTime)
    try container.encode(item.arrival, forKey: .arrivalDateTime)
  }
}

/// Graph's `payload`.
struct PayloadBody: Codable {
  var rawContent: String?
  var visualContent: VisualContent?
}

/// Graph's `fallbackPolicy`, which holds one member.
struct FallbackBody: Codable {
  var endpointFallback: ContentExtras.FallbackPolicy?
}

/// The codec of what publishers write, in the canonical form that the store answers.
/// What publishers may send is wider: ``PublishPayload``.
enum ContentCoding {
  static func encode(
    _ content: Content, into container: inout ItemWriter
  ) throws {
    try container.encode(content.app, forKey: .targetHostName)
    try container.encodeIfPresent(content.appNotificationID, forKey: .appNotificationId)
    try container.encodeIfPresent(content.group, forKey: .groupName)
    try container.encode(content.priority.name, forKey: .priority)
    if !content.tags.isEmpty { try container.encode(content.tags, forKey: .tags) }
    try container.encode(
      PayloadBody(rawContent: content.raw, visualContent: content.visual), forKey: .payload)
    try container.encodeIfPresent(content.clickURL, forKey: .clickUrl)
    try container.encodeIfPresent(content.expiration, forKey: .expirationDateTime)
    try container.encodeIfPresent(
      content.displayTimeToLive.map { $0.milliseconds / 1000 }, forKey: .displayTimeToLive)
    try container.encodeIfPresent(content.deliverAt, forKey: .deliverAfterDateTime)
    try encode(content.extras, into: &container)
  }

  static func encode(_ extras: ContentExtras, into container: inout ItemWriter) throws {
    if extras.isEmpty { return }
    try container.encodeIfPresent(extras.category, forKey: .category)
    try container.encodeIfPresent(extras.actions, forKey: .actions)
    try container.encodeIfPresent(extras.attachments, forKey: .attachments)
    try container.encodeIfPresent(extras.sound, forKey: .sound)
    try container.encodeIfPresent(extras.badge, forKey: .badge)
    try container.encodeIfPresent(extras.markdown, forKey: .markdown)
    try container.encodeIfPresent(extras.icon, forKey: .icon)
    try container.encodeIfPresent(extras.targetPolicy, forKey: .targetPolicy)
    try container.encodeIfPresent(
      extras.fallbackPolicy.map(FallbackBody.init(endpointFallback:)), forKey: .fallbackPolicy)
  }

  static func decode(from container: KeyedDecodingContainer<ItemKey>) throws -> Content {
    let payload = try container.decode(PayloadBody.self, forKey: .payload)
    let priorityName = try container.decode(String.self, forKey: .priority)
    guard let priority = Priority(name: priorityName) else {
      throw DecodingError.dataCorruptedError(
        forKey: .priority, in: container,
        debugDescription: "expected min, low, normal, high or urgent")
    }
    var content = Content(
      app: try container.decode(String.self, forKey: .targetHostName), priority: priority)
    content.appNotificationID = try container.decodeIfPresent(
      String.self, forKey: .appNotificationId)
    content.group = try container.decodeIfPresent(String.self, forKey: .groupName)
    content.tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
    content.visual = payload.visualContent
    content.raw = payload.rawContent
    content.clickURL = try container.decodeIfPresent(String.self, forKey: .clickUrl)
    content.expiration = try container.decodeIfPresent(Timestamp.self, forKey: .expirationDateTime)
    content.displayTimeToLive = try container.decodeIfPresent(
      Int64.self, forKey: .displayTimeToLive
    ).map { .seconds($0) }
    content.deliverAt = try container.decodeIfPresent(
      Timestamp.self, forKey: .deliverAfterDateTime)
    content.extras = try extras(from: container)
    return content
  }

  static func extras(from container: KeyedDecodingContainer<ItemKey>) throws -> ContentExtras {
    var extras = ContentExtras()
    extras.category = try container.decodeIfPresent(String.self, forKey: .category)
    extras.actions = try container.decodeIfPresent([ContentExtras.Action].self, forKey: .actions)
    extras.attachments = try container.decodeIfPresent(
      [ContentExtras.Attachment].self, forKey: .attachments)
    extras.sound = try container.decodeIfPresent(String.self, forKey: .sound)
    extras.badge = try container.decodeIfPresent(Int.self, forKey: .badge)
    extras.markdown = try container.decodeIfPresent(Bool.self, forKey: .markdown)
    extras.icon = try container.decodeIfPresent(String.self, forKey: .icon)
    extras.targetPolicy = try container.decodeIfPresent(
      ContentExtras.TargetPolicy.self, forKey: .targetPolicy)
    extras.fallbackPolicy = try container.decodeIfPresent(
      FallbackBody.self, forKey: .fallbackPolicy)?.endpointFallback
    return extras
  }
}

/// The members of an item that few items have, as an object of their own: the quick codec leaves
/// them to `Codable`, item by item.
struct ExtrasBody: Codable {
  var extras: ContentExtras

  init(_ extras: ContentExtras) { self.extras = extras }

  init(from decoder: any Decoder) throws {
    extras = try ContentCoding.extras(from: decoder.container(keyedBy: ItemKey.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = ItemWriter(encoder)
    try ContentCoding.encode(extras, into: &container)
  }

  /// The names of the members.
  static let names: [StaticString] = [
    "category", "actions", "attachments", "sound", "badge", "markdown", "icon", "targetPolicy",
    "fallbackPolicy",
  ]
}
