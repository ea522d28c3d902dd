/// The environment in which a device is registered, and for which an item is published.
///
/// It keeps test publications away from the devices of users: an item published for development
/// reaches only devices registered for development. Modelled on the environments of Apple's push
/// notification service. An item has no environment unless it is for development
/// (``ContentExtras/environment``).
public enum RegistrationEnvironment: String, Hashable, Sendable, Codable, CaseIterable {
  /// The environment of devices on which an app is developed. They receive every item.
  case development
  /// The environment of all other devices and readers. They receive no development items.
  case production

  /// Returns whether an item with this content reaches a device in this environment.
  ///
  /// This is the only rule: the store asks it for everything that it sends to a reader.
  public func receives(_ content: Content) -> Bool {
    switch self {
    case .development: true
    case .production: content.extras.environment != .development
    }
  }
}
