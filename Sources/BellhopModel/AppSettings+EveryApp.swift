extension AppSettings {
  /// The reserved name of a user's settings for all apps together.
  ///
  /// In these settings, the mute is *do not disturb*, the quiet hours, the time zone and the places
  /// are the user's own, and the authorization is the one that new apps begin with. No app can
  /// publish under this name. The settings synchronise like those of an app, so that they reach
  /// all of the user's devices.
  public static let everyApp = "*"

  /// Whether these are the settings for all apps together.
  public var areOfEveryApp: Bool { app == Self.everyApp }

  /// Returns whether and why a user with these settings is not to be disturbed.
  ///
  /// - Parameter now: The present instant on the store's clock.
  public func silence(at now: Timestamp, on clock: WallClock) -> Silence {
    if mute.holds(at: now) { return .doNotDisturb(until: mute.end) }
    if let quietHours, quietHours.hold(at: now, on: clock) {
      return .quietHours(to: quietHours.to)
    }
    return .none
  }
}

/// The reason why a user is not to be disturbed.
public enum Silence: Hashable, Sendable {
  case none
  /// Do not disturb, until an instant or, for nil, until the user turns it off.
  case doNotDisturb(until: Timestamp?)
  /// Quiet hours, until this wall-clock time in their time zone.
  case quietHours(to: LocalTime)
}

extension AppSettingsChange {
  /// Whether the change is limited to what all apps together can have.
  ///
  /// That is the mute, the quiet hours, the time zone, the places, and the authorization of new
  /// apps.
  public var fitsEveryApp: Bool {
    var rest = self
    rest.mute = nil
    rest.quietHours = nil
    rest.timeZone = nil
    rest.places = nil
    rest.authorization = nil
    return rest.isEmpty && authorization != .denied
  }
}
