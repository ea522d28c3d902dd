package import BellhopModel

/// The rules of a time zone: its offset and its name at an instant.
///
/// Everything else is computed from these two, so that the first paint needs no formatter. The live
/// value reads the system's zone tables; tests supply their own.
package struct ZoneRules: Sendable {
  /// The seconds to add to UTC at an instant; positive east of Greenwich.
  package var offsetSeconds: @Sendable (Timestamp) -> Int
  /// The zone's short name at an instant, such as `CET`.
  package var abbreviation: @Sendable (Timestamp) -> String

  package init(
    offsetSeconds: @escaping @Sendable (Timestamp) -> Int,
    abbreviation: @escaping @Sendable (Timestamp) -> String
  ) {
    self.offsetSeconds = offsetSeconds
    self.abbreviation = abbreviation
  }

  /// Coordinated universal time.
  package static let utc = ZoneRules.fixed(offsetSeconds: 0, abbreviation: "UTC")

  /// Returns a zone with a constant offset.
  package static func fixed(offsetSeconds: Int, abbreviation: String) -> ZoneRules {
    ZoneRules(offsetSeconds: { _ in offsetSeconds }, abbreviation: { _ in abbreviation })
  }

  /// Returns the local wall-clock time at `instant`.
  package func local(_ instant: Timestamp) -> CivilTime {
    CivilTime(shiftedMilliseconds: instant.milliseconds + Int64(offsetSeconds(instant)) * 1000)
  }

  /// Returns the instants at which the local clock shows `local`, earliest first.
  ///
  /// There are none if the clocks skip the time, two if it occurs twice, otherwise one.
  package func instants(of local: CivilTime) -> [Timestamp] {
    let shifted = local.shiftedMilliseconds
    let day: Int64 = 86_400_000
    var offsets: [Int] = []
    for probe in [shifted - day, shifted, shifted + day] {
      let offset = offsetSeconds(Timestamp(milliseconds: probe))
      if !offsets.contains(offset) { offsets.append(offset) }
    }
    return offsets.map { Timestamp(milliseconds: shifted - Int64($0) * 1000) }
      .filter { shifted - Int64(offsetSeconds($0)) * 1000 == $0.milliseconds }
      .sorted()
  }

  /// Formats an instant for users and logs: `2026-11-21 14:30 CET`.
  func text(_ instant: Timestamp) -> String {
    let time = local(instant)
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = [time.date.year, time.date.month, time.date.day].map(digits)
    return date.joined(separator: "-") + " \(digits(time.hour)):\(digits(time.minute)) "
      + abbreviation(instant)
  }

  /// Returns the first instant at which the local clock shows `local`.
  ///
  /// If the clocks skip that time, the result is later by the length of the jump.
  package func instant(of local: CivilTime) -> Timestamp {
    if let first = instants(of: local).first { return first }
    let shifted = local.shiftedMilliseconds
    let before = offsetSeconds(Timestamp(milliseconds: shifted - 86_400_000))
    return Timestamp(milliseconds: shifted - Int64(before) * 1000)
  }
}

/// A date and time of day in local wall-clock time.
package struct CivilTime: Hashable, Sendable {
  package var date: CivilDate
  /// 0 to 23.
  package var hour: Int
  /// 0 to 59.
  package var minute: Int
  /// 0 to 59.
  package var second: Int

  package init(date: CivilDate, hour: Int, minute: Int, second: Int = 0) {
    self.date = date
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  init(shiftedMilliseconds: Int64) {
    let seconds = Self.floored(shiftedMilliseconds, by: 1000)
    let days = Self.floored(seconds, by: 86_400)
    let inDay = Int(seconds - days * 86_400)
    self.init(
      date: CivilDate(daysSince1970: days), hour: inDay / 3600, minute: inDay / 60 % 60,
      second: inDay % 60)
  }

  var shiftedMilliseconds: Int64 {
    (date.daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + second)) * 1000
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }
}
