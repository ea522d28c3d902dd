package import BellhopModel
package import BellhopStore
internal import BellhopWire

/// A user in administration's lists.
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
  /// See `AccessScope.text`.
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

/// The properties of the access token to create.
package struct NewTokenPayload: Hashable, Sendable, Codable {
  package var user: String
  /// See `AccessScope.text`.
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

/// A new token. Its secret is never shown again.
package struct MintedTokenPayload: Sendable, Codable {
  package var id: AccessTokenID
  package var token: String
}

/// A registered device in administration's lists.
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

/// A device that waits to be signed in, as shown to the administrator.
package struct WaitingDevicePayload: Hashable, Sendable, Codable {
  package var code: String
  /// The name that the device claims. The store verified none of this.
  package var name: String
  package var platform: String
  package var address: String
  /// Whether a device with the same id is registered; nil if the store does not send it.
  package var isKnownDevice: Bool?

  init(_ grant: DeviceGrantPayload) {
    isKnownDevice = grant.isKnownDevice
    code = grant.userCode
    name = grant.deviceName
    platform = grant.platform
    address = grant.address
  }
}

/// The number of rows or objects that a command affected.
package struct CountPayload: Hashable, Sendable, Codable {
  package var count: Int
}

/// The result of a sweep.
package struct SweepPayload: Hashable, Sendable, Codable {
  package var expired: Int
  package var tombstonesDropped: Int
  /// The reason why no item expired; nil while wall-clock time is plausible.
  package var clockDoubt: String?
}

/// The options of a sweep.
struct SweepOrderPayload: Codable {
  /// Whether to confirm wall-clock time first.
  var confirmsClock: Bool
}

/// The result of reloading files.
package struct ReloadPayload: Hashable, Sendable, Codable {
  package var reloaded: [String]
  /// The files that could not be used. The old one of each stays in use.
  package var problems: [String]
}

/// The size and the current activity of a store.
package struct StatsPayload: Hashable, Sendable, Codable {
  package struct User: Hashable, Sendable, Codable {
    package var name: String
    package var items: Int
    package var tombstones: Int
    /// The size of the items' content.
    package var bytes: Int64
    package var devices: Int
    /// Access tokens that were not revoked.
    package var tokens: Int
  }

  package var version: String
  package var epoch: String
  /// The number of open connections; nil, like the streams, unless the store is serving.
  package var connections: Int?
  package var streams: Int?
  package var databaseBytes: Int64?
  package var unusedBytes: Int64?
  package var logBytes: Int64?
  package var diskFreeBytes: Int64?
  package var users: [User]

  /// Returns one line of JSON with sorted keys.
  package func json() throws -> String {
    String(decoding: try WireJSON.encode(self, sortingKeys: true), as: UTF8.self)
  }
}
