/// One time at which a trigger delivers its item.
public struct Occurrence: Hashable, Sendable {
  /// The name of the occurrence, the same on every device.
  ///
  /// Read and action states count for the occurrence whose label they have. Without a time zone the
  /// label is the local time, so dismissing *9:00* in Berlin also dismisses *9:00* in New York.
  public enum Label: Hashable, Sendable {
    /// The time before the first occurrence: the item is published, but was not delivered.
    case beforeFirst
    /// The number of an interval, 1 for the first after the publication.
    case number(Int64)
    /// The wall-clock time; `isRepeated` if it occurs twice that day and this is the second.
    case wallClock(CivilTime, isRepeated: Bool)
    /// The time at which a device crossed the boundary of the place.
    case crossing(Timestamp)
  }

  /// The time of an occurrence that is to come at a time that is not known.
  ///
  /// It is later than all known ones, so that items which wait for a crossing are last in lists.
  public static let unknownTime = Timestamp.distantFuture

  public var label: Label
  public var time: Timestamp

  public init(_ label: Label, at time: Timestamp) {
    self.label = label
    self.time = time
  }
}

/// The times of an item's trigger around an instant.
public struct TriggerTimes: Hashable, Sendable {
  /// The latest occurrence; nil before the first.
  public var latest: Timestamp?
  /// The next occurrence; nil after the last, and at a time that is not known.
  public var next: Timestamp?

  public init(latest: Timestamp? = nil, next: Timestamp? = nil) {
    self.latest = latest
    self.next = next
  }
}

extension UserNotification {
  /// Returns the times of the trigger around `now`; nil for an item without a trigger.
  public func triggerTimes(at now: Timestamp, on clock: WallClock) -> TriggerTimes? {
    guard content.trigger != nil else { return nil }
    let next = nextOccurrence(after: now, on: clock)
    return TriggerTimes(
      latest: latestOccurrence(through: now, on: clock)?.time,
      next: next == Occurrence.unknownTime ? nil : next)
  }

  /// Returns the item as it was last delivered; nil before its first delivery.
  package func delivered(by now: Timestamp, on clock: WallClock) -> UserNotification? {
    guard content.trigger == nil else { return atLatestOccurrence(through: now, on: clock) }
    return arrival <= now ? self : nil
  }

  /// Returns the time at which the item is next delivered; nil if it will not be.
  ///
  /// That is its delayed delivery, or the next occurrence of its trigger.
  package func nextDelivery(after now: Timestamp, on clock: WallClock) -> Timestamp? {
    guard content.trigger == nil else { return nextOccurrence(after: now, on: clock) }
    return arrival > now ? arrival : nil
  }

  /// Returns the latest occurrence of the trigger at `now`; nil without one, and before the first.
  ///
  /// A cancelled trigger has none after the one that was shown then, except for those that a device
  /// handled before it learnt of the cancellation.
  package func latestOccurrence(through now: Timestamp, on clock: WallClock) -> Occurrence? {
    guard let trigger = content.trigger,
      let latest = trigger.latest(
        through: now, published: arrival, crossed: state.crossed, on: clock)
    else { return nil }
    guard let last = state.occurrenceAtCancellation, last < latest.label else { return latest }
    return occurrencesSet(on: clock).last { $0.label <= latest.label }
  }

  /// Returns the label of the latest occurrence, or ``Occurrence/Label/beforeFirst``.
  ///
  /// Nil for an item without a trigger.
  package func latestLabel(through now: Timestamp, on clock: WallClock) -> Occurrence.Label? {
    guard content.trigger != nil else { return nil }
    return latestOccurrence(through: now, on: clock)?.label ?? .beforeFirst
  }

  /// Returns the time of the trigger's next occurrence.
  ///
  /// Nil if there is none: it was cancelled, is over, or the item expires before. For a crossing, it
  /// is ``Occurrence/unknownTime`` until the item expires.
  package func nextOccurrence(after now: Timestamp, on clock: WallClock) -> Timestamp? {
    guard let next = uncancelledOccurrence(after: now, on: clock) else { return nil }
    // A crossing may come at any time before the item expires.
    let earliest = next == Occurrence.unknownTime ? now : next
    return expires.map { earliest < $0 } ?? true ? next : nil
  }

  /// Returns the time of the trigger's next occurrence, even if the item expires before.
  func uncancelledOccurrence(after now: Timestamp, on clock: WallClock) -> Timestamp? {
    guard let trigger = content.trigger,
      let next = trigger.next(
        after: now, published: arrival, crossed: state.crossed, on: clock)
    else { return nil }
    guard let last = state.occurrenceAtCancellation, last < next.label else { return next.time }
    // A device whose clock was ahead handled one that is still to come.
    return occurrencesSet(on: clock).first { next.label <= $0.label }?.time
  }

  /// Returns the occurrences for which registers were set, in order.
  private func occurrencesSet(on clock: WallClock) -> [Occurrence] {
    let labels = state.registerChanges.compactMap(\.occurrence)
    return labels.sorted().compactMap {
      content.trigger?.occurrence(labelled: $0, published: arrival, on: clock)
    }
  }
}

extension Occurrence.Label: Comparable {
  /// Returns whether the occurrence is earlier than another one of the same trigger.
  public static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (_, .beforeFirst): false
    case (.beforeFirst, .number), (.beforeFirst, .wallClock), (.beforeFirst, .crossing): true
    case (.number(let left), .number(let right)): left < right
    case (.wallClock(let left, let isLeftRepeated), .wallClock(let right, let isRightRepeated)):
      (left.shiftedMilliseconds, isLeftRepeated ? 1 : 0)
        < (right.shiftedMilliseconds, isRightRepeated ? 1 : 0)
    case (.crossing(let left), .crossing(let right)): left < right
    case (.number, .wallClock), (.number, .crossing), (.wallClock, .number),
      (.wallClock, .crossing), (.crossing, .number), (.crossing, .wallClock):
      false
    }
  }
}

extension Trigger {
  /// Returns the latest occurrence at or before `now`; nil before the first one.
  ///
  /// Occurrences that were due while a device was off are not made up for: only the latest counts.
  ///
  /// - Parameters:
  ///   - now: The store's time.
  ///   - published: The last publication of the item. Occurrences are later than it.
  ///   - crossed: The last crossing that delivered the item.
  ///   - clock: The device's time zones. In a zone that it does not know, the device's own zone
  ///     applies.
  public func latest(
    through now: Timestamp, published: Timestamp, crossed: Timestamp? = nil, on clock: WallClock
  ) -> Occurrence? {
    guard repeats || isForPlace else {
      let only = next(after: published, published: published, on: clock)
      return only.flatMap { $0.time <= now ? $0 : nil }
    }
    switch kind {
    case .place: return crossed.flatMap { $0 <= now ? Occurrence(.crossing($0), at: $0) : nil }
    case .interval(let seconds):
      let count = now.duration(since: published).milliseconds.flooredQuotient(seconds * 1000)
      return count < 1 ? nil : Self.occurrence(count, every: seconds, since: published)
    case .calendar(let pattern, let zone):
      let rules = clock.rulesOrOwn(of: zone)
      // A time that occurs twice may belong to the day after the local date.
      var day = pattern.previousDay(from: rules.local(now).date.adding(days: 1))
      while let date = day {
        let due = pattern.occurrences(on: date, in: rules).last { $0.time <= now }
        if let due { return due.time > published ? due : nil }
        if date < rules.local(published).date { return nil }
        day = pattern.previousDay(from: date.adding(days: -1))
      }
      return nil
    }
  }

  /// Returns the first occurrence after `now`; nil if there is none.
  ///
  /// The parameters are those of ``latest(through:published:crossed:on:)``. For a crossing, its time
  /// is ``Occurrence/unknownTime``.
  public func next(
    after now: Timestamp, published: Timestamp, crossed: Timestamp? = nil, on clock: WallClock
  ) -> Occurrence? {
    let start = repeats ? max(now, published) : published
    let first: Occurrence?
    switch kind {
    case .place:
      // On a device whose clock is behind, the last crossing is still to come.
      let time = crossed.flatMap { $0 > now ? $0 : nil } ?? Occurrence.unknownTime
      first = repeats || (crossed ?? time) > now ? Occurrence(.crossing(time), at: time) : nil
    case .interval(let seconds):
      let count = start.duration(since: published).milliseconds.flooredQuotient(seconds * 1000)
      first = Self.occurrence(count + 1, every: seconds, since: published)
    case .calendar(let pattern, let zone):
      let rules = clock.rulesOrOwn(of: zone)
      // The clocks may have skipped a time of the day before, which is then due today.
      var day = pattern.nextDay(from: rules.local(start).date.adding(days: -1))
      var found: Occurrence?
      while found == nil, let date = day {
        found = pattern.occurrences(on: date, in: rules).first { $0.time > start }
        day = pattern.nextDay(from: date.adding(days: 1))
      }
      first = found
    }
    return first.flatMap { $0.time > now ? $0 : nil }
  }

  /// Returns the occurrence with a label; nil if the trigger has no such labels.
  ///
  /// The parameters are those of ``latest(through:published:crossed:on:)``.
  func occurrence(
    labelled label: Occurrence.Label, published: Timestamp, on clock: WallClock
  ) -> Occurrence? {
    switch (kind, label) {
    case (.interval(let seconds), .number(let count)):
      return Self.occurrence(count, every: seconds, since: published)
    case (.calendar(_, let zone), .wallClock(let time, let isRepeated)):
      let rules = clock.rulesOrOwn(of: zone)
      let instants = rules.instants(of: time)
      let instant = isRepeated ? instants.last : instants.first
      return Occurrence(label, at: instant ?? rules.endOfGap(at: time))
    case (.place, .crossing(let time)): return Occurrence(label, at: time)
    case (_, .beforeFirst), (.interval, _), (.calendar, _), (.place, _): return nil
    }
  }

  private static func occurrence(
    _ count: Int64, every seconds: Int64, since published: Timestamp
  ) -> Occurrence {
    Occurrence(.number(count), at: published.advanced(by: .seconds(count * seconds)))
  }
}

extension CalendarPattern {
  /// Returns the occurrences that belong to a day of the pattern, in order of time.
  ///
  /// If the hour is determined, a time that the clocks skip is due when they have skipped it, and a
  /// time that occurs twice is due the first time. With an open hour, a skipped time is not due, and a
  /// repeated one is due twice.
  fileprivate func occurrences(on date: CivilDate, in rules: ZoneRules) -> [Occurrence] {
    var found: [Occurrence] = []
    for time in times(on: date) {
      let instants = rules.instants(of: time)
      if isHourly {
        for (index, instant) in instants.enumerated() {
          found.append(Occurrence(.wallClock(time, isRepeated: index > 0), at: instant))
        }
      } else {
        let instant = instants.first ?? rules.endOfGap(at: time)
        found.append(Occurrence(.wallClock(time, isRepeated: false), at: instant))
      }
    }
    return found.sorted { $0.time < $1.time }
  }
}

extension CivilDate {
  func adding(days: Int64) -> CivilDate { CivilDate(daysSince1970: daysSince1970 + days) }
}

extension WallClock {
  /// Returns the rules of a zone, or of the device's own zone if it does not know that one.
  func rulesOrOwn(of zone: String?) -> ZoneRules {
    rules(of: zone) ?? rules(of: nil) ?? .utc
  }
}

// MARK: - Text

extension Occurrence.Label: CustomStringConvertible, LosslessStringConvertible {
  /// The text form: `3`, `2026-11-30T09:00`, or `2026-10-25T02:30/2` for the second of two.
  ///
  /// `0` is the time before the first occurrence. A crossing is a time of UTC, which ends with `Z`.
  public var description: String {
    switch self {
    case .beforeFirst: "0"
    case .number(let number): String(number)
    case .wallClock(let time, let isRepeated):
      Timestamp(milliseconds: time.shiftedMilliseconds).description.prefix(16)
        + (isRepeated ? "/2" : "")
    case .crossing(let time): time.description
    }
  }

  public init?(_ description: String) {
    if let number = Int64(description) {
      guard number >= 0, String(number) == description else { return nil }
      self = number == 0 ? .beforeFirst : .number(number)
      return
    }
    if description.hasSuffix("Z") {
      guard let time = Timestamp(description) else { return nil }
      self = .crossing(time)
      return
    }
    let isRepeated = description.hasSuffix("/2")
    let text = isRepeated ? String(description.dropLast(2)) : description
    guard text.utf8.count == 16, text.contains("T"), let time = Timestamp(text + "Z") else {
      return nil
    }
    self = .wallClock(
      CivilTime(shiftedMilliseconds: time.milliseconds), isRepeated: isRepeated)
  }
}

extension Occurrence.Label: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let label = Self(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "expected an occurrence such as 3 or 2026-11-30T09:00, as a string")
    }
    self = label
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
