package import BellhopModel

/// The things that an app may do, as its publisher reads them.
package struct AuthorizationPayload: Hashable, Sendable, Codable {
  package var authorization: AppAuthorization
  package var alert: Bool
  package var sound: Bool
  package var badge: Bool

  package init(_ settings: AppSettings) {
    authorization = settings.authorization
    let permissions = authorization == .authorized ? settings.permissions : .none
    (alert, sound, badge) = (permissions.alert, permissions.sound, permissions.badge)
  }
}

/// The number that an app shows as its badge.
package struct BadgePayload: Hashable, Sendable, Codable {
  package var badge: Int

  package init(badge: Int) { self.badge = badge }
}
