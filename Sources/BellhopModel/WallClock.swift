/// A device's source of wall-clock time, for quiet hours and triggers.
public struct WallClock: Sendable {
  /// Returns the offset from UTC, in seconds, of a time zone at an instant.
  ///
  /// The zone has this IANA name or, for nil, is that of the device. Nil for a zone that the device
  /// does not know.
  public var offsetSeconds: @Sendable (Timestamp, String?) -> Int?

  public init(offsetSeconds: @escaping @Sendable (Timestamp, String?) -> Int?) {
    self.offsetSeconds = offsetSeconds
  }

  /// A device in UTC that knows no other time zone.
  public static let utc = WallClock { _, zone in zone == nil ? 0 : nil }

  /// Returns the wall-clock time at an instant.
  ///
  /// For a zone that the device does not know, uses the device's own: missing zone data may silence
  /// an announcement at the wrong hour, but does not wake the user.
  public func reading(
    at instant: Timestamp, in zone: String? = nil
  ) -> (day: Weekday, time: LocalTime) {
    let offset = offsetSeconds(instant, zone) ?? offsetSeconds(instant, nil) ?? 0
    let minutes = (instant.milliseconds + Int64(offset) * 1000).flooredQuotient(60_000)
    let days = minutes.flooredQuotient(1440)
    let (minute, weekday) = (Int(minutes - days * 1440), Int((days % 7 + 7) % 7))
    // 1 January 1970 was a Thursday.
    let day = Weekday.allCases[(weekday + 3) % 7]
    guard let time = LocalTime(minutes: minute) else {
      preconditionFailure("the rest of a division by a day lies within a day")
    }
    return (day, time)
  }

  /// Returns this clock with another zone as the device's own.
  ///
  /// - Parameter zone: An IANA name; a name that the device does not know changes nothing.
  package func inZone(_ zone: String) -> WallClock {
    guard offsetSeconds(.distantPast, zone) != nil else { return self }
    return WallClock { [offsetSeconds] instant, name in offsetSeconds(instant, name ?? zone) }
  }

  /// Returns this clock with a constant offset from UTC, in seconds, as the device's own zone.
  package func withOwnOffset(_ seconds: Int) -> WallClock {
    WallClock { [offsetSeconds] instant, name in
      name == nil ? seconds : offsetSeconds(instant, name)
    }
  }

  /// A text that differs between zones with different offsets in winter or in summer.
  ///
  /// The two days are fixed, so that a change to or from daylight saving time is not a change of
  /// zone.
  package var ownZoneMark: String {
    // 15 January and 15 July 2026.
    [1_768_435_200_000, 1_784_073_600_000]
      .map { String(offsetSeconds(Timestamp(milliseconds: $0), nil) ?? 0) }
      .joined(separator: " ")
  }

  /// Returns the rules of a zone by its IANA name, or of the device's own zone for nil.
  ///
  /// Nil for a zone that the device does not know.
  package func rules(of zone: String?) -> ZoneRules? {
    guard offsetSeconds(.distantPast, zone) != nil else { return nil }
    return ZoneRules(
      offsetSeconds: { [offsetSeconds] in offsetSeconds($0, zone) ?? 0 },
      abbreviation: { _ in zone ?? "local time" })
  }
}

extension QuietHours {
  /// Returns whether the quiet hours are in effect at an instant.
  ///
  /// When clocks change, quiet hours begin and end by wall-clock time: a time that is skipped never
  /// occurs, and a time that occurs twice counts both times.
  public func hold(at instant: Timestamp, on clock: WallClock) -> Bool {
    let (day, time) = clock.reading(at: instant, in: timeZone)
    return contain(time, on: day)
  }
}

extension AppSettings {
  /// Returns the ways in which a device may announce an arrival at `now`, on the store's clock.
  ///
  /// An app that is not authorized may announce nothing. While the app is muted or in its quiet hours,
  /// there is neither alert nor sound. The item is in the tray all the same.
  public func announcement(at now: Timestamp, on clock: WallClock) -> AppPermissions {
    guard authorization == .authorized else { return .none }
    guard !mute.holds(at: now), quietHours?.hold(at: now, on: clock) != true else {
      return AppPermissions(alert: false, sound: false, badge: permissions.badge)
    }
    return permissions
  }
}
