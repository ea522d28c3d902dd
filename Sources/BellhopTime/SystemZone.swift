package import BellhopModel
internal import FoundationEssentials
internal import Glibc

/// The zones that this machine knows, and the one it is in: its own, or that of `TZ`.
package enum SystemZone {
  /// The zone that the machine is in.
  package static let rules = ZoneRules(
    offsetSeconds: { at($0).offsetSeconds }, abbreviation: { at($0).abbreviation })

  /// Any zone by its IANA name, and for nil the one that the machine is in.
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
