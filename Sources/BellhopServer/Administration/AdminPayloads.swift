package import BellhopModel
package import BellhopStore
internal import BellhopWire

/// A user, as administration lists them.
package struct UserPayload: Hashable, Sendable, Codable {
  package var name: String
  package var created: Timestamp
}

/// The user to add.
struct NewUserPayload: Codable {
  var name: String
}

/// An access token without its secret.
package struct TokenPayload: Hashable, Sendable, Codable {
  package var id: AccessTokenID
  package var user: String
  /// See ``AccessScope/text``.
  package var scope: String
  package var name: String
  package var created: Timestamp
  package var expires: Timestamp?
  package var revoked: Timestamp?
  package var lastUsed: Timestamp?

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
package struct NewTokenPayload: Hashable, Sendable, Codable {
  package var user: String
  /// See ``AccessScope/text``.
  package var scope: String
  package var name: String
  package var expires: Timestamp?

  package init(user: String, scope: String, name: String, expires: Timestamp?) {
    self.user = user
    self.scope = scope
    self.name = name
    self.expires = expires
  }
}

/// A token that was just made: the only time its secret is told.
package struct MintedTokenPayload: Sendable, Codable {
  package var id: AccessTokenID
  package var token: String
}

/// A registered device, as administration lists it.
package struct UserDevicePayload: Hashable, Sendable, Codable {
  package var id: DeviceID
  package var user: String
  package var name: String
  package var platform: String
  package var renewed: Timestamp
  package var expires: Timestamp

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
package struct WaitingDevicePayload: Hashable, Sendable, Codable {
  package var code: String
  /// What it calls itself; nothing of this was verified.
  package var name: String
  package var platform: String
  package var address: String
  /// Whether a device with its id is registered; nil from a store that does not say it.
  package var isKnownDevice: Bool?

  init(_ grant: DeviceGrantPayload) {
    isKnownDevice = grant.isKnownDevice
    code = grant.userCode
    name = grant.deviceName
    platform = grant.platform
    address = grant.address
  }
}

/// How much a command did.
package struct CountPayload: Hashable, Sendable, Codable {
  package var count: Int
}

/// What one sweep cleared away.
package struct SweepPayload: Hashable, Sendable, Codable {
  package var expired: Int
  package var tombstonesDropped: Int
  /// Why nothing was deleted by its age, in words; nil while wall-clock time is plausible.
  package var clockDoubt: String?
}

/// How a sweep is wanted.
struct SweepOrderPayload: Codable {
  /// Whether wall-clock time is confirmed first.
  var confirmsClock: Bool
}

/// What came of reading files again.
package struct ReloadPayload: Hashable, Sendable, Codable {
  package var reloaded: [String]
  /// What could not be used; the old one of each is kept.
  package var problems: [String]
}

/// How much a store holds, and how it is doing.
package struct StatsPayload: Hashable, Sendable, Codable {
  package struct User: Hashable, Sendable, Codable {
    package var name: String
    package var items: Int
    package var tombstones: Int
    /// Of the items' content.
    package var bytes: Int64
    package var devices: Int
    /// Access tokens that were not revoked.
    package var tokens: Int
  }

  package var version: String
  package var epoch: String
  /// Whether a store serves; what it does at the moment is nil otherwise.
  package var connections: Int?
  package var streams: Int?
  package var databaseBytes: Int64?
  package var unusedBytes: Int64?
  package var logBytes: Int64?
  package var diskFreeBytes: Int64?
  package var users: [User]

  /// One line of JSON, keys sorted.
  package func json() throws -> String {
    String(decoding: try WireJSON.encode(self, sortingKeys: true), as: UTF8.self)
  }
}
