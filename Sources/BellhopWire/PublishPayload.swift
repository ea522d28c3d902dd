package import BellhopModel

/// The body of a publication: Graph's `userNotification` with the additions of the store.
///
/// Reading is as lenient as the vendor's samples require: numbers may be strings, the case of words
/// does not matter, and unknown fields are ignored. The store checks the limits.
package struct PublishPayload: Hashable, Sendable, Decodable {
  package var content: Content

  package init(_ content: Content) { self.content = content }

  package init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: ItemKey.self) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: [], debugDescription: "expected one JSON object, not an array or a value"))
    }
    content = Content(app: try container.decode(String.self, forKey: .targetHostName))
    content.appNotificationID = try container.decodeIfPresent(
      String.self, forKey: .appNotificationId)
    content.group = try container.decodeIfPresent(String.self, forKey: .groupName)
    content.tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
    content.clickURL = try container.decodeIfPresent(String.self, forKey: .clickUrl)
    content.expiration = try container.decodeIfPresent(Timestamp.self, forKey: .expirationDateTime)
    content.deliverAt = try container.decodeIfPresent(
      Timestamp.self, forKey: .deliverAfterDateTime)
    content.trigger = try container.decodeIfPresent(Trigger.self, forKey: .trigger)
    content.displayTimeToLive = try Self.displayTimeToLive(in: container)
    guard let payload = try container.decodeIfPresent(PayloadBody.self, forKey: .payload),
      payload.rawContent != nil || payload.visualContent != nil
    else {
      throw container.invalid(
        .payload, expected: "visualContent with a title, or rawContent, or both")
    }
    content.raw = payload.rawContent
    content.visual = payload.visualContent
    content.priority = try Self.priority(in: container)
    try readExtras(from: container)
  }

  // MARK: - Parts

  private static func priority(
    in container: KeyedDecodingContainer<ItemKey>
  ) throws -> Priority {
    guard let name = try container.decodeIfPresent(String.self, forKey: .priority) else {
      return .normal
    }
    guard let priority = Priority(name: name) else {
      throw container.invalid(.priority, expected: "None, Low, High, min, normal or urgent")
    }
    return priority
  }

  private static func displayTimeToLive(
    in container: KeyedDecodingContainer<ItemKey>
  ) throws -> Duration? {
    guard
      let seconds = try container.decodeIfPresent(
        LenientInteger.self, forKey: .displayTimeToLive)?.value
    else { return nil }
    guard (0...Content.displaySecondsMax).contains(seconds) else {
      throw container.invalid(
        .displayTimeToLive, expected: "whole seconds, 0 to \(Content.displaySecondsMax)")
    }
    return .seconds(seconds)
  }

  private mutating func readExtras(from container: KeyedDecodingContainer<ItemKey>) throws {
    content.extras.category = try container.decodeIfPresent(String.self, forKey: .category)
    if let drafts = try container.decodeIfPresent([ActionDraft].self, forKey: .actions) {
      content.extras.actions = ActionDraft.actions(drafts)
    }
    content.extras.attachments = try container.decodeIfPresent(
      [ContentExtras.Attachment].self, forKey: .attachments)
    content.extras.sound = try container.decodeIfPresent(String.self, forKey: .sound)
    let badge = try container.decodeIfPresent(LenientInteger.self, forKey: .badge)?.value
    guard (0...Int64(Int32.max)).contains(badge ?? 0) else {
      throw container.invalid(.badge, expected: "a number from 0")
    }
    content.extras.badge = badge.map { Int($0) }
    content.extras.markdown = try container.decodeIfPresent(Bool.self, forKey: .markdown)
    content.extras.icon = try container.decodeIfPresent(String.self, forKey: .icon)
    content.extras.targetPolicy = try container.decodeIfPresent(
      TargetPolicyBody.self, forKey: .targetPolicy)?.policy
    content.extras.fallbackPolicy = try container.decodeIfPresent(
      FallbackPolicyBody.self, forKey: .fallbackPolicy)?.policy
    content.extras.userInfo = try container.decodeIfPresent(
      [String: InfoValue].self, forKey: .userInfo)
    if try container.decodeIfPresent(Bool.self, forKey: .mutableContent) == true {
      content.extras.mutableContent = true
    }
    if try container.decodeIfPresent(Bool.self, forKey: .awaitsResponse) == true {
      content.extras.awaitsResponse = true
    }
    content.extras.environment = try Self.environment(in: container)
    content.extras.startedDateTime = try container.decodeIfPresent(
      Timestamp.self, forKey: .startedDateTime)
  }

  /// Reads the environment; nil for production, which is never written.
  private static func environment(
    in container: KeyedDecodingContainer<ItemKey>
  ) throws -> RegistrationEnvironment? {
    guard let word = try container.decodeIfPresent(String.self, forKey: .environment) else {
      return nil
    }
    switch RegistrationEnvironment(rawValue: word.lowercased()) {
    case .development: return .development
    case .production: return nil
    case nil:
      throw container.invalid(.environment, expected: "development or production")
    }
  }
}

/// A whole number, or a string that contains one, as in the vendor's samples.
private struct LenientInteger: Decodable {
  var value: Int64

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      value = number
    } else if let text = try? container.decode(String.self), let number = Int64(text) {
      value = number
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a whole number, or a string that contains one")
    }
  }
}

/// Graph's platform names, in Graph's spelling.
private struct PlatformTypes: Decodable {
  static let known = ["Windows", "iOS", "Android", "WebPush"]
  var names: [String]

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    names = []
    while !container.isAtEnd {
      let text = try container.decode(String.self).lowercased()
      guard let name = Self.known.first(where: { $0.lowercased() == text }) else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: container.codingPath,
            debugDescription: "expected Windows, iOS, Android or WebPush"))
      }
      if !names.contains(name) { names.append(name) }
    }
  }
}

private struct TargetPolicyBody: Decodable {
  var policy: ContentExtras.TargetPolicy

  private enum CodingKeys: String, CodingKey { case platformTypes }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let types = try container.decodeIfPresent(PlatformTypes.self, forKey: .platformTypes)
    policy = ContentExtras.TargetPolicy(platformTypes: types?.names ?? PlatformTypes.known)
  }
}

private struct FallbackPolicyBody: Decodable {
  var policy: ContentExtras.FallbackPolicy?

  private enum CodingKeys: String, CodingKey { case endpointFallback }

  private enum EndpointKeys: String, CodingKey {
    case platformTypes, fallbackDelayInSeconds, visualContent
  }

  init(from decoder: any Decoder) throws {
    let outer = try decoder.container(keyedBy: CodingKeys.self)
    guard try outer.contains(.endpointFallback) && !outer.decodeNil(forKey: .endpointFallback)
    else { return }
    let container = try outer.nestedContainer(
      keyedBy: EndpointKeys.self, forKey: .endpointFallback)
    let types = try container.decodeIfPresent(PlatformTypes.self, forKey: .platformTypes)
    let delay = try container.decode(LenientInteger.self, forKey: .fallbackDelayInSeconds).value
    guard (60...600).contains(delay) else {
      throw container.invalid(.fallbackDelayInSeconds, expected: "60 to 600")
    }
    policy = ContentExtras.FallbackPolicy(
      platformTypes: types?.names ?? PlatformTypes.known, fallbackDelayInSeconds: Int(delay),
      visualContent: try container.decodeIfPresent(VisualContent.self, forKey: .visualContent))
  }
}
