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
  /// Whether a device with its id is registered; nil from a store that does not say it.
  public var isKnownDevice: Bool?

  init(_ grant: DeviceGrantPayload) {
    isKnownDevice = grant.isKnownDevice
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
  /// Why nothing was deleted by its age, in words; nil while wall-clock time is plausible.
  public var clockDoubt: String?
}

/// How a sweep is wanted.
struct SweepOrderPayload: Codable {
  /// Whether wall-clock time is confirmed first.
  var confirmsClock: Bool
}

/// What came of reading files again.
public struct ReloadPayload: Hashable, Sendable, Codable {
  public var reloaded: [String]
  /// What could not be used; the old one of each is kept.
  public var problems: [String]
}

/// How much a store holds, and how it is doing.
public struct StatsPayload: Hashable, Sendable, Codable {
  public struct User: Hashable, Sendable, Codable {
    public var name: String
    public var items: Int
    public var tombstones: Int
    /// Of the items' content.
    public var bytes: Int64
    public var devices: Int
    /// Access tokens that were not revoked.
    public var tokens: Int
  }

  public var version: String
  public var epoch: String
  /// Whether a store serves; what it does at the moment is nil otherwise.
  public var connections: Int?
  public var streams: Int?
  public var databaseBytes: Int64?
  public var unusedBytes: Int64?
  public var logBytes: Int64?
  public var diskFreeBytes: Int64?
  public var users: [User]

  /// One line of JSON, keys sorted.
  public func json() throws -> String {
    String(decoding: try WireJSON.encode(self, sortingKeys: true), as: UTF8.self)
  }
}
