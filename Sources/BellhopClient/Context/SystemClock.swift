package import BellhopModel
import BellhopTime
internal import Glibc

/// The machine's wall clock.
package enum SystemClock {
  /// Returns the current time of this machine.
  ///
  /// The store's time is this plus the offset that the cache stores.
  package static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Whether the system has a time zone of this name.
  package static func knows(zone: String) -> Bool {
    zone == "UTC" || access("/usr/share/zoneinfo/" + zone, R_OK) == 0 && !zone.contains("..")
  }

  /// Makes this process use `zone` instead of the machine's time zone from now on.
  ///
  /// - Throws: ``ClientError`` if the system has no such zone.
  package static func use(zone: String) throws {
    guard knows(zone: zone) else {
      throw ClientError(
        .configuration, "“\(zone)” is not a known time zone.",
        next: "Use a name from /usr/share/zoneinfo, such as Europe/Berlin.")
    }
    setenv("TZ", zone, 1)
    tzset()
  }

  /// The wall-clock time of this machine, for quiet hours.
  package static let wallClock = SystemZone.wallClock

  /// The rules of this machine's time zone, for the screen and the command line.
  package static let zoneRules = SystemZone.rules

  /// Returns the seconds east of UTC and the zone's abbreviation at an instant, by the system's
  /// rules.
  package static func zone(at time: Timestamp) -> (offsetSeconds: Int, abbreviation: String) {
    (zoneRules.offsetSeconds(time), zoneRules.abbreviation(time))
  }
}
