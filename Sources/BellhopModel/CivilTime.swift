/// A date and time of day in local wall-clock time.
public struct CivilTime: Hashable, Sendable {
  public var date: CivilDate
  /// 0 to 23.
  public var hour: Int
  /// 0 to 59.
  public var minute: Int
  /// 0 to 59.
  public var second: Int

  public init(date: CivilDate, hour: Int, minute: Int, second: Int = 0) {
    self.date = date
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Creates the time of a clock that runs in UTC, from milliseconds since 1970.
  package init(shiftedMilliseconds: Int64) {
    let seconds = shiftedMilliseconds.flooredQuotient(1000)
    let days = seconds.flooredQuotient(86_400)
    let inDay = Int(seconds - days * 86_400)
    self.init(
      date: CivilDate(daysSince1970: days), hour: inDay / 3600, minute: inDay / 60 % 60,
      second: inDay % 60)
  }

  /// The instant at which a clock in UTC shows this time, in milliseconds since 1970.
  package var shiftedMilliseconds: Int64 {
    (date.daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + second)) * 1000
  }
}
