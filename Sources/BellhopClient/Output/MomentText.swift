package import BellhopModel

/// Times as commands and messages print them, in the zone of this machine or the configuration.
package enum MomentText {
  /// Returns `2026-11-21 06:12`, in the zone of this machine or the configuration.
  package static func localTime(_ time: Timestamp) -> String {
    let zone = SystemClock.zone(at: time)
    let local = time.advanced(by: .seconds(zone.offsetSeconds)).description
    return local.prefix(10) + " " + local.dropFirst(11).prefix(5)
  }

  /// Returns `06:12` for today, otherwise the date and the time.
  package static func moment(_ time: Timestamp, now: Timestamp) -> String {
    let (text, today) = (localTime(time), localTime(now).prefix(10))
    return text.hasPrefix(today) ? String(text.dropFirst(11)) : text
  }

  /// Returns `06:12:04`.
  package static func clockWithSeconds(_ time: Timestamp) -> String {
    let zone = SystemClock.zone(at: time)
    let local = time.advanced(by: .seconds(zone.offsetSeconds)).description
    return String(local.dropFirst(11).prefix(8))
  }
}
