extension AppSettings {
  /// The name under which a person's settings for all apps together are kept: their mute is *do not
  /// disturb*, their quiet hours are the person's own. No app can publish under it. They travel as
  /// the settings of an app do, so that they follow the person to every device.
  public static let everyApp = "*"

  /// Whether these are the settings for all apps together.
  public var areOfEveryApp: Bool { app == Self.everyApp }

  /// Whether a person who wants this is to be left in peace at `now`, on the store's clock.
  public func silence(at now: Timestamp, on clock: WallClock) -> Silence {
    if mute.holds(at: now) { return .doNotDisturb(until: mute.end) }
    if let quietHours, quietHours.hold(at: now, on: clock) {
      return .quietHours(to: quietHours.to)
    }
    return .none
  }
}

/// Why a person is left in peace.
public enum Silence: Hashable, Sendable {
  case none
  /// Until then or, for nil, until the person turns it off.
  case doNotDisturb(until: Timestamp?)
  /// Until the wall shows this time, in the zone of the quiet hours.
  case quietHours(to: LocalTime)
}

extension AppSettingsChange {
  /// Whether it changes nothing but what all apps together can have: mute and quiet hours.
  public var fitsEveryApp: Bool {
    var rest = self
    rest.mute = nil
    rest.quietHours = nil
    return rest.isEmpty
  }
}
