/// The wall-clock times of a trigger: every date and time that has the named components.
///
/// A component that is not named matches any value if it is coarser than the finest named one, and is
/// the first value otherwise. So `hour: 9` is every day at 9:00, and `month: 5` is every 1 May at 0:00.
/// Modelled on `DateComponents` of a `UNCalendarNotificationTrigger`.
public struct CalendarPattern: Hashable, Sendable {
  /// 0 to 59.
  public let minute: Int?
  /// 0 to 23.
  public let hour: Int?
  /// 1 for Sunday to 7 for Saturday, in ascending order; empty if no weekday is named.
  public let weekdays: [Int]
  /// 1 to 31. Months without that day are skipped.
  public let day: Int?
  /// 1 to 12.
  public let month: Int?
  /// 1970 to 9999.
  public let year: Int?

  static let years = 1970...9999

  /// Creates a pattern that at least one date has.
  ///
  /// - Throws: ``Trigger/FormatError`` for a value out of its range, for no component at all, and for
  ///   a date that no year has, such as 31 February.
  public init(
    minute: Int? = nil, hour: Int? = nil, weekdays: [Int] = [], day: Int? = nil,
    month: Int? = nil, year: Int? = nil
  ) throws(Trigger.FormatError) {
    self.minute = minute
    self.hour = hour
    self.weekdays = Set(weekdays).sorted()
    self.day = day
    self.month = month
    self.year = year
    let components: [(String, [Int?], ClosedRange<Int>)] = [
      ("minute", [minute], 0...59), ("hour", [hour], 0...23), ("weekday", weekdays, 1...7),
      ("day", [day], 1...31), ("month", [month], 1...12), ("year", [year], Self.years),
    ]
    for (name, values, range) in components {
      guard !values.compactMap({ $0 }).allSatisfy(range.contains) else { continue }
      throw Trigger.FormatError(
        field: "calendar.\(name)",
        expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    guard components.contains(where: { $0.1.contains { $0 != nil } }) else {
      throw Trigger.FormatError(
        field: "calendar",
        expectation: "one or more of minute, hour, weekday, day, month and year")
    }
    let first = CivilDate(year: year ?? Self.years.lowerBound, month: 1, day: 1)
    guard nextDay(from: first) != nil else {
      throw Trigger.FormatError(
        field: "calendar.day",
        expectation: "a day that the month has in some year, and on that weekday if there is one")
    }
  }

  /// Whether the pattern leaves the hour open, so that it has a time in every hour.
  var isHourly: Bool { minute != nil && hour == nil }

  /// Returns the first day at or after `date` that the pattern includes; nil if there is none.
  func nextDay(from date: CivilDate) -> CivilDate? { day(from: date, step: 1) }

  /// Returns the last day at or before `date` that the pattern includes; nil if there is none.
  func previousDay(from date: CivilDate) -> CivilDate? { day(from: date, step: -1) }

  /// Returns the times of a day at which the pattern is due, if the pattern includes the day.
  ///
  /// One time, or that of every hour if the pattern leaves the hour open.
  func times(on date: CivilDate) -> [CivilTime] {
    let hours = isHourly ? Array(0...23) : [hour ?? 0]
    return hours.map { CivilTime(date: date, hour: $0, minute: minute ?? 0) }
  }

  /// The only day of a matching month; nil if the pattern includes every day, or has a weekday.
  private var onlyDay: Int? {
    if let day { return day }
    let isFinest = weekdays.isEmpty && hour == nil && minute == nil
    return isFinest ? 1 : nil
  }

  /// The only month of a matching year; nil if the pattern includes every month.
  private var onlyMonth: Int? {
    if let month { return month }
    let isFinest = weekdays.isEmpty && day == nil && hour == nil && minute == nil
    return isFinest ? 1 : nil
  }

  /// The calendar repeats after this number of years, the weekdays included.
  private static let yearsOfCycle = 400

  private func day(from start: CivilDate, step: Int) -> CivilDate? {
    // A year that is named is the only one to search.
    var year = start.year
    if let only = self.year {
      guard step > 0 ? only >= year : only <= year else { return nil }
      year = only
    }
    for _ in 0...Self.yearsOfCycle where Self.years.contains(year) {
      let months = onlyMonth.map { [$0] } ?? Array(1...12)
      for month in step > 0 ? months : months.reversed() {
        let days = 1...CivilDate.daysIn(month: month, year: year)
        let candidates = onlyDay.map { days.contains($0) ? [$0] : [] } ?? Array(days)
        for day in step > 0 ? candidates : candidates.reversed() {
          let date = CivilDate(year: year, month: month, day: day)
          guard step > 0 ? date >= start : date <= start else { continue }
          if !weekdays.isEmpty, !weekdays.contains(date.weekday + 1) { continue }
          return date
        }
      }
      if self.year != nil { return nil }
      year += step
    }
    return nil
  }
}
