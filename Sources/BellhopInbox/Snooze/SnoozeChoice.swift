import BellhopModel
import BellhopText

/// One line of the snooze menu, with a description and a time.
struct SnoozeChoice: Hashable, Sendable {
  var title: SafeText
  var until: Timestamp

  /// The hours at which an evening and a morning begin.
  private static let eveningHour = 18
  private static let morningHour = 9

  /// Returns the fixed choices at `now`, nearest first.
  ///
  /// Omits choices equal to an earlier one, and those after the item expires.
  static func choices(now: Timestamp, zone: ZoneRules, expires: Timestamp?) -> [SnoozeChoice] {
    let today = zone.local(now).date
    func at(_ days: Int64, _ hour: Int) -> Timestamp {
      let date = CivilDate(daysSince1970: today.daysSince1970 + days)
      return zone.instant(of: CivilTime(date: date, hour: hour, minute: 0))
    }
    var moments: [(SafeText, Timestamp)] = [
      ("15 minutes", now.advanced(by: .seconds(15 * 60))),
      ("1 hour", now.advanced(by: .seconds(60 * 60))),
    ]
    let evening = at(0, eveningHour)
    if evening > now.advanced(by: .seconds(60)) { moments.append(("this evening", evening)) }
    moments.append(("tomorrow", at(1, morningHour)))
    let daysToMonday = Int64((8 - today.weekday) % 7 == 0 ? 7 : (8 - today.weekday) % 7)
    if daysToMonday > 1 { moments.append(("Monday", at(daysToMonday, morningHour))) }
    return moments.filter { _, until in expires.map { until <= $0 } ?? true }
      .map { SnoozeChoice(title: $0, until: $1) }
  }
}
