import BellhopModel

/// A second implementation of the times of triggers, independent of `Trigger.latest` and
/// `Trigger.next`.
///
/// It covers the triggers that the simulation publishes: intervals, and a minute of every hour in
/// zones with a constant offset. Tests of the model cover the others. Its functions take the offset
/// from UTC of the device's zone, or of the user's at the store, in seconds.
enum PlainOccurrence {
  /// The offset from UTC, in seconds, of the zones that every simulated machine knows.
  static let zones = ["Sim/East": 140, "Sim/West": -200]

  /// Returns the latest occurrence at `now`; nil before the first one.
  static func latest(
    _ item: UserNotification, at now: Timestamp, zone: Int
  ) -> Occurrence? {
    guard let latest = times(of: item, around: now, zone).before else { return nil }
    guard isCancelled(latest.label, of: item) else { return latest }
    // The cancellation itself names the one that was shown then.
    let named = labelsSet(of: item).compactMap { label in
      time(labelled: label, of: item, zone).map { Occurrence(label, at: $0) }
    }
    return named.filter { $0.time <= now }.max { $0.time < $1.time }
  }

  /// Returns the time of the next occurrence; nil if there is none.
  static func next(
    _ item: UserNotification, after now: Timestamp, zone: Int
  ) -> Timestamp? {
    guard let next = times(of: item, around: now, zone).after else { return nil }
    let named = times(of: item, around: next, zone).before?.label
    // Before a crossing, there is no label to name it.
    guard let label = item.waitsForPlace ? .crossing(next) : named else { return nil }
    guard isCancelled(label, of: item) else { return next }
    // Only one that was handled early, and is still to come.
    return labelsSet(of: item).filter { !PlainRegister.isEarlier($0, than: label) }
      .compactMap { time(labelled: $0, of: item, zone) }.filter { $0 > now }.min()
  }

  /// Whether the deliveries were cancelled before an occurrence, and no register names that one.
  private static func isCancelled(_ label: Occurrence.Label, of item: UserNotification) -> Bool {
    guard item.state.cancelled.value, let shown = item.state.cancelled.change?.occurrence else {
      return false
    }
    return PlainRegister.isEarlier(shown, than: label) && !labelsSet(of: item).contains(label)
  }

  /// Returns the labels of the occurrences for which registers were set.
  private static func labelsSet(of item: UserNotification) -> [Occurrence.Label] {
    [
      item.state.readState.change?.occurrence, item.state.userActionState.change?.occurrence,
      item.state.cancelled.change?.occurrence,
    ].compactMap { $0 }
  }

  private static func time(
    labelled label: Occurrence.Label, of item: UserNotification, _ zone: Int
  ) -> Timestamp? {
    guard let trigger = item.content.trigger else { return nil }
    if case .crossing(let time) = label { return time }
    let (first, length) = rhythm(of: trigger, from: item.arrival.milliseconds, zone)
    switch label {
    case .beforeFirst, .crossing: return nil
    case .number(let number): return Timestamp(milliseconds: first + (number - 1) * length)
    case .wallClock(let time, _):
      return Timestamp(
        milliseconds: time.shiftedMilliseconds - shift(of: trigger, in: zone))
    }
  }

  /// Returns the item's registers as they count for an occurrence.
  static func counted(_ item: UserNotification, for label: Occurrence.Label) -> UserNotification {
    guard item.content.trigger != nil else { return item }
    var item = item
    if item.state.readState.change?.occurrence != label {
      item.state.readState = Register(.unread)
    }
    if item.state.userActionState.change?.occurrence != label {
      item.state.userActionState = Register(.noInteraction)
    }
    return item
  }

  /// Returns the label of the latest occurrence; the one before the first if there is none.
  static func label(
    _ item: UserNotification, at now: Timestamp, zone: Int
  ) -> Occurrence.Label {
    latest(item, at: now, zone: zone)?.label ?? .beforeFirst
  }

  /// Returns the item as the user has it: with its state and its arrival at the latest occurrence.
  ///
  /// Nil before the first occurrence.
  static func current(
    _ item: UserNotification, at now: Timestamp, zone: Int
  ) -> UserNotification? {
    guard item.content.trigger != nil else { return item }
    guard let latest = latest(item, at: now, zone: zone) else { return nil }
    var item = counted(item, for: latest.label)
    item.arrival = latest.time
    return item
  }

  /// Returns the item as a publication finds it that does not keep the times of its trigger.
  static func replaceable(
    _ item: UserNotification, at now: Timestamp, zone: Int
  ) -> UserNotification {
    var item = current(item, at: now, zone: zone) ?? item
    item.state.readState.change?.occurrence = nil
    item.state.userActionState.change?.occurrence = nil
    item.state.cancelled = Register(false)
    item.state.crossed = nil
    return item
  }

  private static func times(
    of item: UserNotification, around now: Timestamp, _ zone: Int
  ) -> (before: Occurrence?, after: Timestamp?) {
    guard let trigger = item.content.trigger else { return (nil, nil) }
    if item.waitsForPlace {
      let never = Timestamp(milliseconds: 253_402_300_799_999)
      guard let crossed = item.state.crossed else { return (nil, never) }
      // A device's clock may be behind that of the one that noticed the crossing.
      if crossed > now { return (nil, crossed) }
      return (Occurrence(.crossing(crossed), at: crossed), trigger.repeats ? never : nil)
    }
    let start = item.arrival.milliseconds
    let (first, length) = rhythm(of: trigger, from: start, zone)
    guard now.milliseconds >= first else { return (nil, Timestamp(milliseconds: first)) }
    // The number of occurrences after the first.
    let more = trigger.repeats ? (now.milliseconds - first) / length : 0
    let time = Timestamp(milliseconds: first + more * length)
    let after = trigger.repeats ? Timestamp(milliseconds: first + (more + 1) * length) : nil
    switch trigger.kind {
    case .interval: return (Occurrence(.number(more + 1), at: time), after)
    case .calendar:
      let local = Timestamp(milliseconds: time.milliseconds + shift(of: trigger, in: zone))
      let text = String(local.description.prefix(16))
      return (Occurrence.Label(text).map { Occurrence($0, at: time) }, after)
    case .place: preconditionFailure("a trigger for a place has no rhythm")
    }
  }

  /// Returns the time of the first occurrence, and the time between two.
  private static func rhythm(
    of trigger: Trigger, from start: Int64, _ zone: Int
  ) -> (Int64, Int64) {
    switch trigger.kind {
    case .interval(let seconds): return (start + seconds * 1000, seconds * 1000)
    case .calendar(let pattern, _):
      let (hour, minute): (Int64, Int64) = (3_600_000, 60_000)
      let shift = shift(of: trigger, in: zone)
      let local = start + shift
      var first = local / hour * hour + Int64(pattern.minute ?? 0) * minute
      if first <= local { first += hour }
      return (first - shift, hour)
    case .place: preconditionFailure("a trigger for a place has no rhythm")
    }
  }

  /// Returns the milliseconds from UTC of the zone in which a trigger is due.
  private static func shift(of trigger: Trigger, in zone: Int) -> Int64 {
    guard case .calendar(_, let name?) = trigger.kind else { return Int64(zone) * 1000 }
    return Int64(zones[name] ?? zone) * 1000
  }
}
