public import BellhopModel

/// A token with which an app's server publishes to the feed's user, on all of their devices.
///
/// The app passes ``secret`` to its server, which sends it with each publication in the header
/// `Authorization: Bearer`. The token permits nothing else: it reads nothing and makes no tokens.
public struct PublishToken: Hashable, Sendable, Identifiable {
  /// The identifier in the user's list of tokens, which is not a secret.
  public let id: String
  /// The one app that the token publishes for.
  public let app: String
  /// The bearer token itself. Descriptions of the value do not contain it.
  public let secret: String
  /// The time at which the token expires, by the store's clock.
  ///
  /// The feed hands over another token when two thirds of the lifetime have passed.
  public let expiration: Timestamp

  /// Creates the token of an entry; nil if the feed has replaced the token.
  init?(_ entry: PublishTokenFile.Entry) {
    guard let secret = entry.secret else { return nil }
    self.secret = secret
    (id, app, expiration) = (entry.id, entry.app, entry.expiration)
  }
}

extension PublishToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "token \(id) for \(app), secret <redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
