/// A user's decision whether an app may notify (`UNAuthorizationStatus`).
///
/// Raw values are those of the wire.
public enum AppAuthorization: String, Hashable, Sendable, Codable, CaseIterable {
  /// The user has not decided. The app's items arrive silently until then.
  case notDetermined
  /// The store refuses what the app publishes. Its earlier items stay.
  case denied
  case authorized
  /// The app's items arrive silently: in the tray, without alert, sound or badge.
  case provisional
}

extension AppSettings {
  /// The app's share of the number in title and status bars; nil for its unread items in the tray.
  ///
  /// Zero if the app may not show badges; otherwise the number that the app set, if it set one.
  public var badgeShare: Int? {
    authorization == .authorized && permissions.badge ? badge : 0
  }
}

/// The way in which a focused screen presents an app's arrivals (`willPresent`).
///
/// Raw values are those of the wire.
public enum FocusedPresentation: String, Hashable, Sendable, Codable, CaseIterable {
  /// Only as a row of the list.
  case list
  /// Also as a line at the bottom of the screen.
  case line
  /// Also with the bell, the sound and the banner that a screen without the focus would use.
  case ring
}
