import BellhopModel
import BellhopText

/// Formats times for the screen, in one zone.
struct TimeText: Sendable {
  let zone: ZoneRules
  let now: Timestamp

  static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Formats the age: `now 2m 5h Fri 12 Nov 2025-11-12`, shorter for recent times.
  func age(_ instant: Timestamp) -> SafeText {
    let minutes = (now.milliseconds - instant.milliseconds) / 60_000
    if minutes < 0 { return upcoming(instant) }
    if minutes < 1 { return "now" }
    if minutes < 60 { return "\(minutes)m" }
    if minutes < 24 * 60 { return "\(minutes / 60)h" }
    return day(instant)
  }

  /// Returns the time when ``age(_:)`` of an instant changes.
  func nextChange(ofAge instant: Timestamp) -> Timestamp {
    let minute: Int64 = 60_000
    let minutes = (now.milliseconds - instant.milliseconds) / minute
    let next: Int64
    switch minutes {
    case ..<0: return min(instant, startOfDay.advanced(by: .seconds(86_400)))
    case ..<60: next = minutes + 1
    case ..<(24 * 60): next = (minutes / 60 + 1) * 60
    default: return startOfDay.advanced(by: .seconds(86_400))  // open: Int64
    }
    return Timestamp(milliseconds: instant.milliseconds + next * minute)
  }

  /// Formats the time, such as `06:02`, for today; otherwise the day.
  func timeOrDay(_ instant: Timestamp) -> SafeText {
    let local = zone.local(instant)
    return local.date == zone.local(now).date ? clock(local) : day(instant)
  }

  /// Formats the time, such as `06:02`, for today; otherwise day and time: `Mon 09:00`,
  /// `12 Nov 09:00`.
  func moment(_ instant: Timestamp) -> SafeText {
    let local = zone.local(instant)
    if local.date == zone.local(now).date { return clock(local) }
    return day(instant) + " " + clock(local)
  }

  /// Formats the time of the next delivery, which may not be known.
  func due(_ instant: Timestamp) -> SafeText {
    instant == Occurrence.unknownTime ? "at a place" : moment(instant)
  }

  /// Formats the full date and time: `Sat 21 Nov 06:12 CET`, with the year if it is not the current
  /// one.
  func full(_ instant: Timestamp) -> SafeText {
    let local = zone.local(instant)
    let date = local.date
    let year = date.year == zone.local(now).date.year ? "" : " \(date.year)"
    return
      "\(Self.weekdays[date.weekday]) \(date.day) \(Self.months[date.month - 1])\(year) "
      + clock(local) + " " + SafeText(zone.abbreviation(instant), byteLimit: 16)
  }

  /// Formats the time with seconds: `06:12:04`.
  func clockWithSeconds(_ instant: Timestamp) -> SafeText {
    let local = zone.local(instant)
    return clock(local) + ":" + SafeText(stringLiteral: Self.twoDigits(local.second))
  }

  /// Formats the relative time: `2 minutes ago`, `in 3 hours`; empty for more than a week.
  func relative(_ instant: Timestamp) -> SafeText {
    let minutes = abs(now.milliseconds - instant.milliseconds) / 60_000
    let isPast = instant <= now
    if minutes < 1 { return isPast ? "just now" : "in a moment" }
    let amount: String
    switch minutes {
    case ..<60: amount = Self.counted(minutes, "minute")
    case ..<(48 * 60): amount = Self.counted(minutes / 60, "hour")
    case ..<(8 * 24 * 60): amount = Self.counted(minutes / (24 * 60), "day")
    default: return .empty  // open: Int64
    }
    return isPast ? "\(amount) ago" : "in \(amount)"
  }

  /// Formats the time from one instant to a later one: `40 s`, `12 min`, `3 h 20 min`, `5 days`.
  static func length(from start: Timestamp, to end: Timestamp) -> SafeText {
    let seconds = max(0, end.milliseconds - start.milliseconds) / 1000
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(minutes) min"
    case ..<(48 * 3600): return minutes == 0 ? "\(hours) h" : "\(hours) h \(minutes) min"
    default: return SafeText(counted(hours / 24, "day"))  // open: Int64
    }
  }

  /// Formats the abbreviated weekday: `Fri`.
  func weekday(_ local: CivilTime) -> SafeText {
    SafeText(stringLiteral: Self.weekdays[local.date.weekday])
  }

  /// The zone's current abbreviation.
  var zoneName: SafeText { SafeText(zone.abbreviation(now), byteLimit: 16) }

  /// The last midnight.
  var startOfDay: Timestamp {
    zone.instant(of: CivilTime(date: zone.local(now).date, hour: 0, minute: 0))
  }

  /// The start of the next hour of the day; the first hour begins at midnight.
  var nextHour: Timestamp {
    let begun = now.milliseconds - startOfDay.milliseconds
    let hour = DaySpan.hourMilliseconds
    let next = startOfDay.advanced(by: .milliseconds((begun / hour + 1) * hour))
    return min(next, DaySpan(zone.local(now).date, in: zone).end)
  }

  private func upcoming(_ instant: Timestamp) -> SafeText {
    instant.milliseconds - now.milliseconds < 6 * 86_400_000 ? moment(instant) : day(instant)
  }

  /// Formats the day: `Fri` within a week, `12 Nov` within a year, otherwise `2025-11-12`.
  private func day(_ instant: Timestamp) -> SafeText {
    let date = zone.local(instant).date
    let distance = abs(zone.local(now).date.daysSince1970 - date.daysSince1970)
    if distance < 7 { return SafeText(stringLiteral: Self.weekdays[date.weekday]) }
    if distance < 300 { return "\(date.day) \(Self.months[date.month - 1])" }
    return "\(date.year)-\(Self.twoDigits(date.month))-\(Self.twoDigits(date.day))"
  }

  /// Formats the time: `06:02`.
  func clock(_ local: CivilTime) -> SafeText {
    "\(Self.twoDigits(local.hour)):\(Self.twoDigits(local.minute))"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  private static func counted(_ count: Int64, _ unit: String) -> String {
    Int(count).counted(unit)
  }
}
