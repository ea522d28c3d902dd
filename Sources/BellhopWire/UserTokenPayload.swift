package import BellhopModel

/// A request for a token that publishes for one app, some apps, or any app.
///
/// Only `anyApp` requests a token for any app.
package struct UserTokenRequestPayload: Hashable, Sendable, Codable {
  /// The name in lists. Defaults to the token's apps.
  package var name: String?
  /// A domain or topic, or `ci.*` for every app below `ci`.
  package var targetHostName: String?
  package var anyApp: Bool?
  /// The time at which the token expires; nil for never.
  package var expirationDateTime: Timestamp?

  package init(
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
package struct UserTokenPayload: Hashable, Sendable, Codable {
  package enum Scope: String, Hashable, Sendable, Codable {
    case device, publish, app, enrol
  }

  package var id: String
  package var name: String
  package var scope: Scope
  /// The app of a publish or app token: its name, `ci.*`, or `*` for any.
  package var targetHostName: String?
  /// The device that a device token is bound to.
  package var deviceId: DeviceID?
  package var createdDateTime: Timestamp
  package var expirationDateTime: Timestamp?
  /// The last use, to the hour; nil if the token was never used.
  package var lastUsedDateTime: Timestamp?
  /// Whether the request was authorized by this token.
  package var isCurrent: Bool
  /// The token itself. Only the response that creates it contains it.
  package var secret: String?

  package init(
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
  package var description: String { "token \(id) (\(scope.rawValue)), secret <redacted>" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The user's tokens that were not revoked, in order of creation.
package struct UserTokenListPayload: Hashable, Sendable, Codable {
  package var value: [UserTokenPayload]

  package init(value: [UserTokenPayload]) { self.value = value }
}
