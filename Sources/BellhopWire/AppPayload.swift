public import BellhopModel

/// An app of the user: its settings, and what it holds at the store.
public struct AppPayload: Hashable, Sendable, Codable {
  /// What the app holds at the store.
  public struct Usage: Hashable, Sendable, Codable {
    /// Live items.
    public var items: Int
    /// Deleted and expired items that are remembered for a while; quotas count them.
    public var deletedItems: Int
    /// Of text in the live items.
    public var bytes: Int

    public init(items: Int, deletedItems: Int, bytes: Int) {
      self.items = items
      self.deletedItems = deletedItems
      self.bytes = bytes
    }
  }

  public var settings: AppSettings
  public var usage: Usage

  public init(settings: AppSettings, usage: Usage) {
    self.settings = settings
    self.usage = usage
  }

  /// The `@odata.etag` of settings.
  public static func entityTag(_ settings: AppSettings) -> String { "\"\(settings.sequence)\"" }

  private enum CodingKeys: String, CodingKey {
    case etag = "@odata.etag"
    case usage
  }

  public init(from decoder: any Decoder) throws {
    settings = try AppSettings(from: decoder)
    usage = try decoder.container(keyedBy: CodingKeys.self).decode(Usage.self, forKey: .usage)
  }

  public func encode(to encoder: any Encoder) throws {
    try settings.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.entityTag(settings), forKey: .etag)
    try container.encode(usage, forKey: .usage)
  }
}

/// The user's apps by name.
public struct AppListPayload: Hashable, Sendable, Codable {
  public var value: [AppPayload]

  public init(value: [AppPayload]) { self.value = value }
}
