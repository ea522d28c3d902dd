/// The coded form is that of an item on the wire, without the members that only the store writes.
extension Content: Codable {
  enum CodingKeys: String, CodingKey {
    case targetHostName, appNotificationId, groupName, priority, tags, payload, clickUrl
    case expirationDateTime, displayTimeToLive, deliverAfterDateTime
    /// The time at which a device made the publication, which belongs to its operation.
    case publishedDateTime
  }

  /// The longest ``displayTimeToLive`` in seconds: ten years.
  ///
  /// That is longer than any retention, and far from overflowing a time.
  package static let displaySecondsMax: Int64 = 315_360_000

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let payload = try container.decode(PayloadBody.self, forKey: .payload)
    let rare = try RareMembers(from: decoder)
    self.init(
      app: try container.decode(String.self, forKey: .targetHostName),
      appNotificationID: try container.decodeIfPresent(String.self, forKey: .appNotificationId),
      group: try container.decodeIfPresent(String.self, forKey: .groupName),
      priority: try container.priority(forKey: .priority),
      tags: try container.decodeIfPresent([String].self, forKey: .tags) ?? [],
      visual: payload.visualContent, raw: payload.rawContent,
      clickURL: try container.decodeIfPresent(String.self, forKey: .clickUrl),
      expiration: try container.decodeIfPresent(Timestamp.self, forKey: .expirationDateTime),
      displayTimeToLive: try Self.displayTimeToLive(in: container),
      deliverAt: try container.decodeIfPresent(Timestamp.self, forKey: .deliverAfterDateTime),
      trigger: rare.trigger, extras: rare.extras)
  }

  private static func displayTimeToLive(
    in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> Duration? {
    guard let seconds = try container.decodeIfPresent(Int64.self, forKey: .displayTimeToLive)
    else { return nil }
    guard (0...displaySecondsMax).contains(seconds) else {
      throw container.invalid(
        .displayTimeToLive, expected: "whole seconds, 0 to \(displaySecondsMax)")
    }
    return .seconds(seconds)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(app, forKey: .targetHostName)
    try container.encodeIfPresent(appNotificationID, forKey: .appNotificationId)
    try container.encodeIfPresent(group, forKey: .groupName)
    try container.encode(priority.name, forKey: .priority)
    if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
    try container.encode(PayloadBody(rawContent: raw, visualContent: visual), forKey: .payload)
    try container.encodeIfPresent(clickURL, forKey: .clickUrl)
    try container.encodeIfPresent(expiration, forKey: .expirationDateTime)
    try container.encodeIfPresent(
      displayTimeToLive.map { $0.milliseconds / 1000 }, forKey: .displayTimeToLive)
    try container.encodeIfPresent(deliverAt, forKey: .deliverAfterDateTime)
    try RareMembers(self).encode(to: encoder)
  }
}

/// Graph's `payload`, as publishers send it.
package struct PayloadBody: Codable {
  package var rawContent: String?
  package var visualContent: VisualContent?
}

/// The rare members of a content, as an object of their own.
///
/// The quick codec of the wire leaves them to `Codable`, item by item.
package struct RareMembers: Codable {
  package var trigger: Trigger?
  package var extras: ContentExtras

  package init(_ content: Content) { (trigger, extras) = (content.trigger, content.extras) }

  /// Whether no member is set.
  package var isEmpty: Bool { trigger == nil && extras.isEmpty }

  private enum CodingKeys: String, CodingKey {
    case trigger, category, actions, attachments, sound, badge, markdown, icon, targetPolicy
    case fallbackPolicy, awaitsResponse, userInfo, mutableContent, environment
    case startedDateTime
  }

  /// Graph's `fallbackPolicy`, which has one member.
  private struct FallbackBody: Codable {
    var endpointFallback: ContentExtras.FallbackPolicy?
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    trigger = try container.decodeIfPresent(Trigger.self, forKey: .trigger)
    extras = ContentExtras()
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
    extras.awaitsResponse = try container.decodeIfPresent(Bool.self, forKey: .awaitsResponse)
    extras.userInfo = try container.decodeIfPresent([String: InfoValue].self, forKey: .userInfo)
    extras.mutableContent = try container.decodeIfPresent(Bool.self, forKey: .mutableContent)
    extras.environment = try container.decodeIfPresent(
      RegistrationEnvironment.self, forKey: .environment)
    extras.startedDateTime = try container.decodeIfPresent(
      Timestamp.self, forKey: .startedDateTime)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(trigger, forKey: .trigger)
    try container.encodeIfPresent(
      extras.fallbackPolicy.map(FallbackBody.init(endpointFallback:)), forKey: .fallbackPolicy)
    // The other members have the same form as in a database.
    var others = extras
    others.fallbackPolicy = nil
    try others.encode(to: encoder)
  }

  /// The names of the rare members.
  package static let names: [StaticString] = [
    "trigger", "category", "actions", "attachments", "sound", "badge", "markdown", "icon",
    "targetPolicy", "fallbackPolicy", "awaitsResponse", "userInfo", "mutableContent",
    "environment", "startedDateTime",
  ]
}
