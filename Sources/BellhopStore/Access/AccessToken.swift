package import BellhopModel

/// The identifier of an access token. It is not a secret.
package typealias AccessTokenID = UniqueID<AccessToken>

/// The apps that a publish token may publish for.
package enum AppPattern: Hashable, Sendable {
  case app(String)
  /// `ci.*`: every app whose name begins with this prefix and a dot.
  case prefix(String)
  case any

  /// Whether the pattern matches `app`. Names are compared byte for byte.
  package func allows(_ app: String) -> Bool {
    switch self {
    case .app(let name): app == name
    case .prefix(let prefix): app.utf8.starts(with: (prefix + ".").utf8)
    case .any: true
    }
  }

  /// The pattern as text: `ci.example.com`, `ci.*` or `*`.
  package var text: String {
    switch self {
    case .app(let name): name
    case .prefix(let prefix): prefix + ".*"
    case .any: "*"
    }
  }

  /// Creates the pattern with this text, or nil if the text is not a valid pattern.
  package init?(_ text: String) {
    if text == "*" {
      self = .any
    } else if text.hasSuffix(".*") {
      let prefix = String(text.dropLast(2))
      guard ContentRules.isAppName(prefix) else { return nil }
      self = .prefix(prefix)
    } else {
      guard ContentRules.isAppName(text) else { return nil }
      self = .app(text)
    }
  }
}

/// The rights that an access token grants.
package enum AccessScope: Hashable, Sendable {
  /// The rights to read and change the user's store, to publish for the user, and to act for one
  /// device. Without a device id the token is bound to the first device that registers with it.
  case device(DeviceID?)
  /// The right to publish, without access to the items' states.
  case publish(AppPattern)
  /// The rights to publish for one app, and to read and change that app's items. Clients of other
  /// notification servers need them.
  case app(String)
  /// The right to be exchanged once, within a short time, for a device's token.
  case enrol
}

/// The items of the user that a token may read and change.
package enum ItemReach: Hashable, Sendable {
  case everything
  /// The items of this app, without the names of the devices that changed them.
  case app(String)
  case nothing
}

/// The time at which a token was revoked, and the device that revoked it.
package struct Revocation: Hashable, Sendable {
  package var at: Timestamp
  /// The name of the revoking device; nil for the store's administrator.
  package var by: String?

  package init(at: Timestamp, by: String? = nil) {
    self.at = at
    self.by = by
  }
}

/// A bearer token as the store records it: everything except the secret.
package struct AccessToken: Hashable, Sendable, Identifiable {
  package let id: AccessTokenID
  package let user: UserID
  package var name: String
  package var scope: AccessScope
  package var created: Timestamp
  package var expires: Timestamp?
  package var revoked: Timestamp?
  /// The name of the device that revoked it; nil for the store's administrator and for a valid
  /// token.
  package var revokedBy: String?
  /// The time of the last use, to the hour.
  package var lastUsed: Timestamp?

  package init(
    id: AccessTokenID, user: UserID, name: String, scope: AccessScope, created: Timestamp,
    expires: Timestamp? = nil, revoked: Timestamp? = nil, revokedBy: String? = nil,
    lastUsed: Timestamp? = nil
  ) {
    self.id = id
    self.user = user
    self.name = name
    self.scope = scope
    self.created = created
    self.expires = expires
    self.revoked = revoked
    self.revokedBy = revokedBy
    self.lastUsed = lastUsed
  }

  /// The time and author of the revocation; nil unless the token was revoked.
  package var revocation: Revocation? { revoked.map { Revocation(at: $0, by: revokedBy) } }

  /// The time at which the token was revoked or expires, whichever is first; nil if it never ends.
  package var end: Timestamp? {
    guard let revoked, let expires else { return revoked ?? expires }
    return min(revoked, expires)
  }

  /// The number of ids of forgotten revoked tokens that are remembered per user. They prevent an
  /// old backup from admitting these tokens again. Each takes 20 bytes.
  package static let forgottenMax = 10_000
}

/// The secret of an access token. It is shown once and never stored; it prints as `<redacted>`.
package struct AccessTokenSecret: Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  /// The secret itself: `blh_` and 43 characters, which encode 256 random bits.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// Whether both secrets are equal, compared in constant time.
  package func isEqual(to other: AccessTokenSecret) -> Bool {
    ConstantTime.areEqual(hash, other.hash)
  }

  package var description: String { "<redacted>" }
  package var debugDescription: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A newly created token with its secret.
package struct MintedToken: Sendable {
  package var token: AccessToken
  package var secret: AccessTokenSecret

  package init(token: AccessToken, secret: AccessTokenSecret) {
    self.token = token
    self.secret = secret
  }
}

/// The user, token and device behind a request.
package struct Principal: Hashable, Sendable {
  package var user: User
  package var token: AccessToken
  /// The device that the token is bound to, if it is registered.
  package var device: Device?

  package init(user: User, token: AccessToken, device: Device?) {
    self.user = user
    self.token = token
    self.device = device
  }

  /// Whether it may read and change everything of its user.
  package var isDevice: Bool { reach == .everything }

  /// The items that it may read and change.
  package var reach: ItemReach {
    switch token.scope {
    case .device: .everything
    case .app(let app): .app(app)
    case .publish, .enrol: .nothing
    }
  }

  /// The environment in which its device is registered.
  ///
  /// Without a registered device it reads as a device in production does.
  package var environment: RegistrationEnvironment {
    device?.registration.environment ?? .production
  }

  /// Whether it may read and change this item, and the item is for its environment.
  package func reaches(_ item: UserNotification) -> Bool {
    guard environment.receives(item.content) else { return false }
    return switch reach {
    case .everything: true
    case .app(let app): item.content.app == app
    case .nothing: false
    }
  }

  /// Whether it may publish for `app`. A device may publish for any app of its user.
  package func mayPublish(_ app: String) -> Bool {
    switch token.scope {
    case .device: true
    case .publish(let pattern): pattern.allows(app)
    case .app(let name): name == app
    case .enrol: false
    }
  }

  /// The one app for which it may publish; nil if there are more.
  package var onlyApp: String? {
    switch token.scope {
    case .publish(.app(let app)), .app(let app): app
    case .publish, .device, .enrol: nil
    }
  }

  /// The author of this principal's changes: its device, or an unregistered client under the
  /// token's name.
  package var author: Author {
    device?.author ?? Author(kind: .device, id: token.id.description, name: token.name)
  }
}
