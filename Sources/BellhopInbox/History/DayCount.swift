package import BellhopModel

/// A day of the user's zone as a span of time: 23 or 25 hours when the clocks change.
package struct DaySpan: Hashable, Sendable {
  package var date: CivilDate
  package var start: Timestamp
  /// The start of the next day.
  package var end: Timestamp

  package init(_ date: CivilDate, in zone: ZoneRules) {
    self.date = date
    let next = CivilDate(daysSince1970: date.daysSince1970 + 1)
    start = zone.instant(of: CivilTime(date: date, hour: 0, minute: 0))
    end = zone.instant(of: CivilTime(date: next, hour: 0, minute: 0))
  }

  package static let hourMilliseconds: Int64 = 3_600_000

  /// The number of hours, including a last incomplete one.
  package var hourCount: Int {
    let length = max(0, end.milliseconds - start.milliseconds)
    return Int((length + Self.hourMilliseconds - 1) / Self.hourMilliseconds)
  }
}

/// The number of items in the history that arrived on a day.
package struct DayCount: Hashable, Sendable {
  package var date: CivilDate
  /// The arrivals in each hour of the day, beginning at midnight.
  package var hours: [Int]
  /// The number of unread items among them.
  package var unread: Int
  /// The number of items of the requested list that arrived on the day.
  ///
  /// Nil if no list was requested, or its items were not counted.
  package var listed: Int?

  package init(date: CivilDate, hours: [Int], unread: Int = 0, listed: Int? = nil) {
    self.date = date
    self.hours = hours
    self.unread = unread
    self.listed = listed
  }

  package var total: Int { hours.reduce(0, +) }

  /// Adds the counts of the same day in two accounts.
  package static func + (left: DayCount, right: DayCount) -> DayCount {
    var sum = left
    sum.unread += right.unread
    sum.listed = left.listed.flatMap { mine in right.listed.map { mine + $0 } }
    for (index, count) in right.hours.enumerated() {
      if index < sum.hours.count { sum.hours[index] += count } else { sum.hours.append(count) }
    }
    return sum
  }
}

/// The counts of the days whose headings were drawn; stale counts stay until they are updated.
struct DayCounts: Sendable {
  private var counts: [CivilDate: DayCount] = [:]
  private var stale: Set<CivilDate> = []
  /// The list whose items are also counted; nil if it is the whole history.
  private var list: ListQuery?
  /// The request in progress, and its days.
  private var outstanding: (serial: Int, dates: [CivilDate])?

  /// The maximum number of days per request; the rest of a tall screen follows.
  static let requestMax = 32
  /// The number of days above which those out of sight are forgotten.
  static let keptMax = 400

  subscript(date: CivilDate) -> DayCount? { counts[date] }

  mutating func markStale() { stale.formUnion(counts.keys) }

  /// Forgets everything, because the screen shows another account.
  mutating func forget() { self = DayCounts() }

  /// Returns the visible days to count now, if any; one request at a time.
  mutating func request(
    _ visible: [CivilDate], in list: ListQuery?, serial: Int
  ) -> [CivilDate] {
    if list != self.list {
      self.list = list
      // A pending answer would be about another list.
      outstanding = nil
      for date in counts.keys { counts[date]?.listed = nil }
      markStale()
    }
    guard outstanding == nil else { return [] }
    let wanted = visible.filter { counts[$0] == nil || stale.contains($0) }
      .prefix(Self.requestMax)
    guard !wanted.isEmpty else { return [] }
    if counts.count > Self.keptMax {
      let seen = Set(visible)
      counts = counts.filter { seen.contains($0.key) }
      stale.formIntersection(seen)
    }
    outstanding = (serial, Array(wanted))
    // The answer may lack later changes.
    stale.subtract(wanted)
    return Array(wanted)
  }

  mutating func accept(_ days: [DayCount], serial: Int) {
    guard let outstanding, outstanding.serial == serial else { return }
    self.outstanding = nil
    // A day without an answer has no items; store that, so that it is not requested again and
    // again.
    for date in outstanding.dates { counts[date] = DayCount(date: date, hours: []) }
    for day in days where counts[day.date] != nil { counts[day.date] = day }
  }
}
