public import BellhopModel
public import BellhopStore
internal import BellhopWire

/// A user, as administration lists them.
public struct UserPayload: Hashable, Sendable, Codable {
  public var name: String
  public var created: Timestamp
}

/// The user to add.
struct NewUserPayload: Codable {
  var name: String
}

/// An access token without its secret.
public struct TokenPayload: Hashable, Sendable, Codable {
  public var id: AccessTokenID
  public var user: String
  /// See ``AccessScope/text``.
  public var scope: String
  public var name: String
  public var created: Timestamp
  public var expires: Timestamp?
  public var revoked: Timestamp?
  public var lastUsed: Timestamp?

  init(_ token: AccessToken, of user: User) {
    id = token.id
    self.user = user.name
    scope = token.scope.text
    name = token.name
    created = token.created
    expires = token.expires
    revoked = token.revoked
    lastUsed = token.lastUsed
  }
}

/// What an access token is to be.
public struct NewTokenPayload: Hashable, Sendable, Codable {
  public var user: String
  /// See ``AccessScope/text``.
  public var scope: String
  public var name: String
  public var expires: Timestamp?

  public init(user: String, scope: String, name: String, expires: Timestamp?) {
    self.user = user
    self.scope = scope
    self.name = name
    self.expires = expires
  }
}

/// A token that was just made: the only time its secret is told.
public struct MintedTokenPayload: Sendable, Codable {
  public var id: AccessTokenID
  public var token: String
}

/// A registered device, as administration lists it.
public struct UserDevicePayload: Hashable, Sendable, Codable {
  public var id: DeviceID
  public var user: String
  public var name: String
  public var platform: String
  public var renewed: Timestamp
  public var expires: Timestamp

  init(_ device: Device, of user: User) {
    id = device.id
    self.user = user.name
    name = device.registration.name
    platform = device.registration.platform
    renewed = device.renewed
    expires = device.expires
  }
}

/// A device that waits to be signed in, as administration sees it.
public struct WaitingDevicePayload: Hashable, Sendable, Codable {
  public var code: String
  /// What it calls itself; nothing of this was verified.
  public var name: String
  public var platform: String
  public var address: String

  init(_ grant: DeviceGrantPayload) {
    code = grant.userCode
    name = grant.deviceName
    platform = grant.platform
    address = grant.address
  }
}

/// How much a command did.
public struct CountPayload: Hashable, Sendable, Codable {
  public var count: Int
}

/// What one sweep cleared away.
public struct SweepPayload: Hashable, Sendable, Codable {
  public var expired: Int
  public var tombstonesDropped: Int
}
