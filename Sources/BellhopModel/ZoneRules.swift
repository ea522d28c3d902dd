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
  package func text(_ instant: Timestamp) -> String {
    let time = local(instant)
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = [time.date.year, time.date.month, time.date.day].map(digits)
    return date.joined(separator: "-") + " \(digits(time.hour)):\(digits(time.minute)) "
      + abbreviation(instant)
  }

  /// Returns the first instant after a gap of the local clock that skips `local`.
  ///
  /// The result is exact to the second.
  package func endOfGap(at local: CivilTime) -> Timestamp {
    let wanted = local.shiftedMilliseconds
    let day: Int64 = 86_400_000
    // The wanted time is after every local time before the gap, and before every one after it.
    var (before, after) = ((wanted - 2 * day) / 1000, (wanted + 2 * day) / 1000)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      let instant = Timestamp(seconds: middle)
      if instant.milliseconds + Int64(offsetSeconds(instant)) * 1000 < wanted {
        before = middle
      } else {
        after = middle
      }
    }
    return Timestamp(seconds: after)
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
