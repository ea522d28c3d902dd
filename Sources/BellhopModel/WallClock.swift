/// What a device knows of the clocks on walls: enough to say whether quiet hours hold.
public struct WallClock: Sendable {
  /// Seconds to add to UTC at an instant: in the zone with this IANA name or, for nil, in the
  /// device's own. Nil for a zone that the device does not know.
  public var offsetSeconds: @Sendable (Timestamp, String?) -> Int?

  public init(offsetSeconds: @escaping @Sendable (Timestamp, String?) -> Int?) {
    self.offsetSeconds = offsetSeconds
  }

  /// A device in coordinated universal time that knows no other zone.
  public static let utc = WallClock { _, zone in zone == nil ? 0 : nil }

  /// What the clock shows at an instant. A zone that the device does not know is its own: a person
  /// is rather left in peace at the wrong hour than woken because of missing zone data.
  public func reading(
    at instant: Timestamp, in zone: String? = nil
  ) -> (day: Weekday, time: LocalTime) {
    let offset = offsetSeconds(instant, zone) ?? offsetSeconds(instant, nil) ?? 0
    let minutes = Self.floored(instant.milliseconds + Int64(offset) * 1000, by: 60_000)
    let days = Self.floored(minutes, by: 1440)
    let (minute, weekday) = (Int(minutes - days * 1440), Int((days % 7 + 7) % 7))
    // 1 January 1970 was a Thursday.
    let day = Weekday.allCases[(weekday + 3) % 7]
    guard let time = LocalTime(minutes: minute) else {
      preconditionFailure("the rest of a division by a day lies within a day")
    }
    return (day, time)
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }
}

extension QuietHours {
  /// Whether they hold at an instant. Where clocks are put forward or back they begin and end when
  /// the wall shows so: a time that is left out is passed over, one that comes twice lies within
  /// both times.
  public func hold(at instant: Timestamp, on clock: WallClock) -> Bool {
    let (day, time) = clock.reading(at: instant, in: timeZone)
    return contain(time, on: day)
  }
}

extension AppSettings {
  /// What a device may do for an arrival at `now`, on the store's clock: neither banner nor sound
  /// while the app is muted and in its quiet hours. The item is in the tray all the same.
  public func announcement(at now: Timestamp, on clock: WallClock) -> AppPermissions {
    guard !mute.holds(at: now), quietHours?.hold(at: now, on: clock) != true else {
      return AppPermissions(alert: false, sound: false, badge: permissions.badge)
    }
    return permissions
  }
}
