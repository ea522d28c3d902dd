package import BellhopModel

/// Names an access token; it is no secret.
package typealias AccessTokenID = UniqueID<AccessToken>

/// Which apps a publish token may publish for.
package enum AppPattern: Hashable, Sendable {
  case app(String)
  /// `ci.*`: every app whose name begins with this prefix and a dot.
  case prefix(String)
  case any

  /// Whether `app` is meant. Names are compared byte for byte.
  package func allows(_ app: String) -> Bool {
    switch self {
    case .app(let name): app == name
    case .prefix(let prefix): app.utf8.starts(with: (prefix + ".").utf8)
    case .any: true
    }
  }

  /// `ci.example.com`, `ci.*` or `*`.
  package var text: String {
    switch self {
    case .app(let name): name
    case .prefix(let prefix): prefix + ".*"
    case .any: "*"
    }
  }

  /// The pattern with this text; nil when it is none.
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

/// What an access token allows.
package enum AccessScope: Hashable, Sendable {
  /// Reads and changes the user's store, publishes for the user, acts for one device. Without a
  /// device the token is bound to the first one that registers with it.
  case device(DeviceID?)
  /// Publishes, and learns nothing of the items' states.
  case publish(AppPattern)
  /// Publishes for one app, and reads and changes that app's items: what clients of other
  /// notification servers need.
  case app(String)
  /// Nothing but to be exchanged once, within a short time, for the token of a device.
  case enrol
}

/// Which of the user's items a token may read and change.
package enum ItemReach: Hashable, Sendable {
  case everything
  /// The items of this app, without the names of the devices that changed them.
  case app(String)
  case nothing
}

/// When a token stopped to hold, and who took it back.
package struct Revocation: Hashable, Sendable {
  package var at: Timestamp
  /// The name of the device that did it; nil for who runs the store.
  package var by: String?

  package init(at: Timestamp, by: String? = nil) {
    self.at = at
    self.by = by
  }
}

/// A bearer token as the store knows it: everything but the secret.
package struct AccessToken: Hashable, Sendable, Identifiable {
  package let id: AccessTokenID
  package let user: UserID
  package var name: String
  package var scope: AccessScope
  package var created: Timestamp
  package var expires: Timestamp?
  package var revoked: Timestamp?
  /// The name of the device that revoked it; nil for who runs the store, and while it holds.
  package var revokedBy: String?
  /// To the hour.
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

  /// When and by whom it was taken back; nil while nobody did.
  package var revocation: Revocation? { revoked.map { Revocation(at: $0, by: revokedBy) } }

  /// When it was revoked or expires, whichever is first; nil for one that holds for good.
  package var end: Timestamp? {
    guard let revoked, let expires else { return revoked ?? expires }
    return min(revoked, expires)
  }

  /// Ids of revoked tokens that are remembered when the tokens are forgotten, so that an old backup
  /// does not let them in again: 20 bytes each, of one user.
  package static let forgottenMax = 10_000
}

/// The secret of an access token. It is shown once and stored nowhere; it prints as `<redacted>`.
package struct AccessTokenSecret: Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  /// `blh_` and 43 characters, which carry 256 random bits.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// Whether both are the same, in a time that says nothing about where they differ.
  package func isEqual(to other: AccessTokenSecret) -> Bool {
    ConstantTime.areEqual(hash, other.hash)
  }

  package var description: String { "<redacted>" }
  package var debugDescription: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A token that was just made, with its secret.
package struct MintedToken: Sendable {
  package var token: AccessToken
  package var secret: AccessTokenSecret

  package init(token: AccessToken, secret: AccessTokenSecret) {
    self.token = token
    self.secret = secret
  }
}

/// Who makes a request, and with which right.
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

  /// Which items it may read and change.
  package var reach: ItemReach {
    switch token.scope {
    case .device: .everything
    case .app(let app): .app(app)
    case .publish, .enrol: .nothing
    }
  }

  /// Whether it may read and change this item.
  package func reaches(_ item: UserNotification) -> Bool {
    switch reach {
    case .everything: true
    case .app(let app): item.content.app == app
    case .nothing: false
    }
  }

  /// Whether it may publish for `app`. A device publishes for its user, any app.
  package func mayPublish(_ app: String) -> Bool {
    switch token.scope {
    case .device: true
    case .publish(let pattern): pattern.allows(app)
    case .app(let name): name == app
    case .enrol: false
    }
  }

  /// The one app for which it may publish; nil when there are more.
  package var onlyApp: String? {
    switch token.scope {
    case .publish(.app(let app)), .app(let app): app
    case .publish, .device, .enrol: nil
    }
  }

  /// The author of this principal's changes: its device, or a client without one under the
  /// token's name.
  package var author: Author {
    device?.author ?? Author(kind: .device, id: token.id.description, name: token.name)
  }
}
