package import BellhopModel

/// Times as commands and messages print them: by the clock of this machine or the configured zone.
package enum MomentText {
  /// `2026-11-21 06:12`, in the zone of the machine or the configuration.
  package static func localTime(_ time: Timestamp) -> String {
    let zone = SystemClock.zone(at: time)
    let local = time.advanced(by: .seconds(zone.offsetSeconds)).description
    return local.prefix(10) + " " + local.dropFirst(11).prefix(5)
  }

  /// `06:12` today, otherwise the day and the time.
  package static func moment(_ time: Timestamp, now: Timestamp) -> String {
    let (text, today) = (localTime(time), localTime(now).prefix(10))
    return text.hasPrefix(today) ? String(text.dropFirst(11)) : text
  }

  /// `06:12:04`.
  package static func clockWithSeconds(_ time: Timestamp) -> String {
    let zone = SystemClock.zone(at: time)
    let local = time.advanced(by: .seconds(zone.offsetSeconds)).description
    return String(local.dropFirst(11).prefix(8))
  }
}
