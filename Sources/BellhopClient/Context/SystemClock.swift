package import BellhopModel
package import BellhopTime
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

  /// Whether the system has a zone of this name.
  static func knows(zone: String) -> Bool {
    zone == "UTC" || access("/usr/share/zoneinfo/" + zone, R_OK) == 0 && !zone.contains("..")
  }

  /// Takes `zone` instead of the machine's time zone, from now on, in this process.
  ///
  /// - Throws: ``ClientError`` when the system has no such zone.
  package static func use(zone: String) throws {
    guard knows(zone: zone) else {
      throw ClientError(
        .configuration, "“\(zone)” is not a time zone that this machine knows.",
        next: "Names are those of /usr/share/zoneinfo, such as Europe/Berlin.")
    }
    setenv("TZ", zone, 1)
    tzset()
  }

  /// The clocks on this machine's walls, for quiet hours.
  package static let wallClock = SystemZone.wallClock

  /// The same for the screen and the command line.
  package static let zoneRules = SystemZone.rules

  /// Seconds east of UTC and the zone's abbreviation at an instant, by the system's rules.
  package static func zone(at time: Timestamp) -> (offsetSeconds: Int, abbreviation: String) {
    (zoneRules.offsetSeconds(time), zoneRules.abbreviation(time))
  }
}
