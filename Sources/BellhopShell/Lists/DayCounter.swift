internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import Dispatch

/// A counter of arrivals per day and of items in saved views, beside the event loop.
///
/// A screen of days covers many hours.
final class DayCounter: Sendable {
  private let readers: LateReaders
  private let box: MessageQueue
  private let queue = DispatchQueue(label: "bellhop.cache.days")

  init(sessions: [Session], box: MessageQueue) {
    readers = LateReaders(sessions)
    self.box = box
  }

  /// Counts the days and posts the result. A day that cannot be counted has no numbers.
  func count(_ spans: [DaySpan], in list: ListQuery?, serial: Int, of account: AccountName?) {
    queue.async { [self] in
      let days = (try? readers.merged().days(spans, in: list, of: account)) ?? []
      box.post(.slow(.days(serial: serial, days)))
    }
  }

  /// Counts the lists and posts the result; nil for a list that cannot be counted or is too costly.
  func count(_ views: [ListQuery?], serial: Int, of account: AccountName?) {
    queue.async { [self] in
      let counts = views.map { view in
        view.flatMap { query in (try? readers.merged().count(of: query, of: account)) ?? nil }
      }
      box.post(.slow(.views(serial: serial, counts)))
    }
  }
}

extension MergedReader {
  /// Returns the items that arrived on the days, and how many of them the list contains.
  ///
  /// Counts one account, or all of them together.
  func days(
    _ spans: [DaySpan], in list: ListQuery?, of account: AccountName?
  ) throws(CacheError) -> [DayCount] {
    var days: [DayCount] = []
    for span in spans {
      var sum = DayCount(date: span.date, hours: [])
      for reader in chosen(account) { sum = sum + (try reader.day(span)) }
      if let list { sum.listed = try count(of: list, of: account, in: span.keys) }
      days.append(sum)
    }
    return days
  }
}

extension ListReader {
  /// The longest list that is searched for the number of a view.
  static let viewItemsMax = 2_000

  /// The most items counted one by one if days do not begin at a full hour of UTC.
  static let itemsCountedMax = 20_000

  /// Returns the arrivals of a day, from the hourly counters if the hours match.
  func day(_ span: DaySpan) throws(CacheError) -> DayCount {
    let hour = DaySpan.hourMilliseconds
    let first = span.start.milliseconds / hour
    let isWhole =
      span.start.milliseconds.isMultiple(of: hour) && span.end.milliseconds.isMultiple(of: hour)
    var hours: [ItemCount]?
    if !isWhole {
      hours = try cache.countsByHour(
        from: span.start, until: span.end, limit: Self.itemsCountedMax)
    }
    if hours == nil {
      // For a day with very many items, the hours are reported as if they began with those of UTC.
      hours = try cache.countsByHour(first..<first + Int64(span.hourCount))
    }
    let counts = hours ?? []
    return DayCount(
      date: span.date, hours: counts.map(\.count), unread: counts.reduce(0) { $0 + $1.unread })
  }
}

extension DaySpan {
  /// The arrival keys of the items that arrive on the day.
  fileprivate var keys: ClosedRange<ArrivalKey> {
    let next = ArrivalKey(floorOf: end).rawValue
    return ArrivalKey(floorOf: start)...ArrivalKey(rawValue: next - 1)
  }
}
