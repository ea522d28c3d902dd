package import BellhopModel
internal import FoundationEssentials
internal import Glibc

/// The time zones that this machine knows, and its own zone (or that of `TZ`).
package enum SystemZone {
  /// The rules of this machine's time zone.
  package static let rules = ZoneRules(
    offsetSeconds: { at($0).offsetSeconds }, abbreviation: { at($0).abbreviation })

  /// The wall-clock time of any zone by its IANA name, or of this machine's zone for nil.
  package static let wallClock = WallClock { time, name in
    guard let name else { return at(time).offsetSeconds }
    return TimeZone(identifier: name)?
      .secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
  }

  private static func at(_ time: Timestamp) -> (offsetSeconds: Int, abbreviation: String) {
    var seconds = time_t(time.milliseconds / 1000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return (0, "UTC") }
    let name = parts.tm_zone.map { String(cString: $0) } ?? "UTC"
    return (Int(parts.tm_gmtoff), name)
  }
}
