package import BellhopModel

/// An app of the user: its settings and its usage of the store.
package struct AppPayload: Hashable, Sendable, Codable {
  /// The app's usage of the store.
  package struct Usage: Hashable, Sendable, Codable {
    /// Live items.
    package var items: Int
    /// Deleted and expired items that the store remembers for a while. Quotas count them.
    package var deletedItems: Int
    /// The size of the text in the live items, in bytes.
    package var bytes: Int

    package init(items: Int, deletedItems: Int, bytes: Int) {
      self.items = items
      self.deletedItems = deletedItems
      self.bytes = bytes
    }
  }

  package var settings: AppSettings
  package var usage: Usage

  package init(settings: AppSettings, usage: Usage) {
    self.settings = settings
    self.usage = usage
  }

  /// Returns the `@odata.etag` of settings.
  package static func entityTag(_ settings: AppSettings) -> String { "\"\(settings.sequence)\"" }

  private enum CodingKeys: String, CodingKey {
    case etag = "@odata.etag"
    case usage
  }

  package init(from decoder: any Decoder) throws {
    settings = try AppSettings(from: decoder)
    usage = try decoder.container(keyedBy: CodingKeys.self).decode(Usage.self, forKey: .usage)
  }

  package func encode(to encoder: any Encoder) throws {
    try settings.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.entityTag(settings), forKey: .etag)
    try container.encode(usage, forKey: .usage)
  }
}

/// The user's apps, ordered by name.
package struct AppListPayload: Hashable, Sendable, Codable {
  package var value: [AppPayload]

  package init(value: [AppPayload]) { self.value = value }
}
