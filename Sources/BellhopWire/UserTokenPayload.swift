public import BellhopModel

/// What a device asks for: a token that publishes for one app, for a pattern of them, or, by name,
/// for any app.
public struct UserTokenRequestPayload: Hashable, Sendable, Codable {
  /// What to call it in lists; without one it is called after its apps.
  public var name: String?
  /// A domain or topic, or `ci.*` for every app below `ci`.
  public var targetHostName: String?
  public var anyApp: Bool?
  /// When it stops to hold; nil for never.
  public var expirationDateTime: Timestamp?

  public init(
    name: String? = nil, targetHostName: String? = nil, anyApp: Bool? = nil,
    expirationDateTime: Timestamp? = nil
  ) {
    self.name = name
    self.targetHostName = targetHostName
    self.anyApp = anyApp
    self.expirationDateTime = expirationDateTime
  }
}

/// An access token as its user sees it.
public struct UserTokenPayload: Hashable, Sendable, Codable {
  public enum Scope: String, Hashable, Sendable, Codable {
    case device, publish, app, enrol
  }

  public var id: String
  public var name: String
  public var scope: Scope
  /// With publish and app: the app, `ci.*`, or `*` for any.
  public var targetHostName: String?
  /// With device: the one that it is bound to.
  public var deviceId: DeviceID?
  public var createdDateTime: Timestamp
  public var expirationDateTime: Timestamp?
  /// To the hour; nil while it was not used.
  public var lastUsedDateTime: Timestamp?
  /// Whether the request came with this token.
  public var isCurrent: Bool
  /// The token itself: in the answer that makes it, and never again.
  public var secret: String?

  public init(
    id: String, name: String, scope: Scope, targetHostName: String? = nil,
    deviceId: DeviceID? = nil, createdDateTime: Timestamp, expirationDateTime: Timestamp? = nil,
    lastUsedDateTime: Timestamp? = nil, isCurrent: Bool, secret: String? = nil
  ) {
    self.id = id
    self.name = name
    self.scope = scope
    self.targetHostName = targetHostName
    self.deviceId = deviceId
    self.createdDateTime = createdDateTime
    self.expirationDateTime = expirationDateTime
    self.lastUsedDateTime = lastUsedDateTime
    self.isCurrent = isCurrent
    self.secret = secret
  }
}

extension UserTokenPayload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  public var description: String { "token \(id) (\(scope.rawValue)), secret <redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The user's tokens that were not revoked, in the order they were made.
public struct UserTokenListPayload: Hashable, Sendable, Codable {
  public var value: [UserTokenPayload]

  public init(value: [UserTokenPayload]) { self.value = value }
}
