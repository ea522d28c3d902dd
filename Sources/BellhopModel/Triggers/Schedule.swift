/// The part of an item's content that determines when it is delivered.
public enum Schedule: Hashable, Sendable {
  /// One delivery, at a time of the store.
  case once(at: Timestamp)
  /// The occurrences of a trigger.
  case trigger(Trigger)

  /// Returns whether a device may set this schedule for an item with this content.
  ///
  /// An item that is delivered once stays one, and one with a trigger keeps a trigger. A trigger for a
  /// place cannot be set, nor replaced.
  package func canReplace(scheduleOf content: Content) -> Bool {
    switch self {
    case .once: content.trigger == nil
    case .trigger(let new): !new.isForPlace && content.trigger.map { !$0.isForPlace } ?? false
    }
  }

  /// Returns when an item is first delivered that gets the schedule at `now`.
  ///
  /// Nil for a trigger without an occurrence to come.
  package func firstDelivery(from now: Timestamp, on clock: WallClock) -> Timestamp? {
    switch self {
    case .once(let time): max(now, time)
    case .trigger(let trigger): trigger.next(after: now, published: now, on: clock)?.time
    }
  }
}

extension Content {
  /// The schedule of the item; nil if it is delivered at once.
  package var schedule: Schedule? {
    trigger.map(Schedule.trigger) ?? deliverAt.map { .once(at: $0) }
  }

  /// Returns the same content with another schedule.
  package func with(_ schedule: Schedule) -> Content {
    var content = self
    switch schedule {
    case .once(let time): (content.deliverAt, content.trigger) = (time, nil)
    case .trigger(let trigger): (content.deliverAt, content.trigger) = (nil, trigger)
    }
    return content
  }
}

extension Operation {
  /// Whether the operation changes when an item is delivered.
  package var setsSchedule: Bool { if case .reschedule = mutation { true } else { false } }

  /// Applies a schedule that the user sets to an item, by the rules of a replacement.
  func reschedule(
    _ item: UserNotification, to schedule: Schedule, by author: Author, at time: Timestamp,
    on clock: WallClock
  ) -> OperationOutcome {
    guard schedule.canReplace(scheduleOf: item.content) else { return .superseded }
    guard item.content.schedule != schedule else { return .unchanged }
    if let expires = item.expires,
      let first = schedule.firstDelivery(from: time, on: clock), first >= expires
    {
      return .refused(latest: expires)
    }
    return .applied(
      item.replaced(
        by: item.content.with(schedule), isQuiet: false, author: author, operation: id, at: time,
        on: clock
      ).item)
  }

  /// Returns the operation that gives an item back the schedule that it had before this one.
  ///
  /// Nil for an item that was delivered at once.
  func undoOfSchedule(
    id: OperationID, at time: Timestamp, before item: UserNotification
  ) -> Operation? {
    guard let schedule = item.content.schedule else { return nil }
    var back = Operation(
      id: id, target: .item(item.id), mutation: .reschedule(schedule, at: time), expect: self.id)
    back.seenOperations = [item.id: self.id]
    return back
  }
}

extension Schedule: Codable {
  enum CodingKeys: String, CodingKey {
    case time = "deliverAfterDateTime"
    case trigger
    /// The time of the user's change, which belongs to the operation.
    case made = "rescheduledDateTime"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let time = try container.decodeIfPresent(Timestamp.self, forKey: .time)
    let trigger = try container.decodeIfPresent(Trigger.self, forKey: .trigger)
    switch (time, trigger) {
    case (let time?, nil): self = .once(at: time)
    case (nil, let trigger?): self = .trigger(trigger)
    case (nil, nil), (_?, _?):
      throw container.invalid(.time, expected: "one of deliverAfterDateTime and trigger")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .once(let time): try container.encode(time, forKey: .time)
    case .trigger(let trigger): try container.encode(trigger, forKey: .trigger)
    }
  }
}
