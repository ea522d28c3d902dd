internal import BellhopInbox
package import BellhopModel
internal import FoundationEssentials
internal import Glibc

/// The machine's wall clock.
package enum SystemClock {
  /// Now, by this machine; the store's clock is this plus the offset the cache keeps.
  package static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Takes `zone` instead of the machine's time zone, from now on, in this process.
  ///
  /// - Throws: ``ClientError`` when the system has no such zone.
  package static func use(zone: String) throws {
    let isKnown =
      zone == "UTC" || access("/usr/share/zoneinfo/" + zone, R_OK) == 0 && !zone.contains("..")
    guard isKnown else {
      throw ClientError(
        .configuration, "time-zone = \"\(zone)\": this machine knows no such zone.",
        next: "Names are those of /usr/share/zoneinfo, such as Europe/Berlin.")
    }
    setenv("TZ", zone, 1)
    tzset()
  }

  /// The clocks on this machine's walls, for quiet hours.
  package static let wallClock = WallClock { time, name in
    guard let name else { return zone(at: time).offsetSeconds }
    return TimeZone(identifier: name)?
      .secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
  }

  /// The same for the screen.
  static let zoneRules = ZoneRules(
    offsetSeconds: { zone(at: $0).offsetSeconds }, abbreviation: { zone(at: $0).abbreviation })

  /// Seconds east of UTC and the zone's abbreviation at an instant, by the system's rules.
  package static func zone(at time: Timestamp) -> (offsetSeconds: Int, abbreviation: String) {
    var seconds = time_t(time.milliseconds / 1000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return (0, "UTC") }
    let name = parts.tm_zone.map { String(cString: $0) } ?? "UTC"
    return (Int(parts.tm_gmtoff), name)
  }
}
