import BellhopModel

/// A second implementation of changed schedules, independent of `Schedule` and of
/// `UserNotification.replaced`.
enum PlainSchedule {
  /// The number of content that an operation has made, before the store's number is known.
  ///
  /// It is negative, and differs from that of all other operations in the same commit.
  static func mark(_ count: Int) -> SequenceNumber { SequenceNumber(-Int64(count) - 1) }

  /// Applies a schedule that a user set.
  ///
  /// - Returns: The result that the store must give, and the item with its new schedule, if that
  ///   changes it.
  static func apply(
    _ schedule: Schedule, to item: UserNotification, by operation: OperationID, at time: Timestamp,
    zone: Int
  ) -> (result: OperationResult, item: UserNotification?) {
    var new = item
    switch schedule {
    case .once(let at):
      guard item.content.trigger == nil else { return (.superseded, nil) }
      if item.content.deliverAt == at { return (.applied, nil) }
      new.content.deliverAt = at
    case .trigger(let trigger):
      guard let old = item.content.trigger, !item.waitsForPlace else { return (.superseded, nil) }
      if old == trigger { return (.applied, nil) }
      new.content.trigger = trigger
    }
    if let end = item.content.expiration, !item.state.pinned.value {
      var fresh = new
      fresh.arrival = time
      fresh.state.cancelled = Register(false)
      let first =
        new.content.deliverAt.map { max($0, time) }
        ?? PlainOccurrence.next(fresh, after: time, zone: zone)
      if let first, first >= end { return (.refused(latest: end), nil) }
    }
    let present = PlainOccurrence.replaceable(item, at: time, zone: zone)
    new.state = present.state
    let wasDelayed = (item.content.deliverAt ?? time) > time
    let isDelayed = (new.content.deliverAt ?? time) > time
    if present.isTouched || wasDelayed || isDelayed || new.content.trigger != nil {
      new.arrival = max(time, new.content.deliverAt ?? time)
    } else {
      new.arrival = present.arrival
    }
    new.returnToTray(
      by: RegisterChange(
        at: time, by: Author(kind: .device, id: "", name: ""), operation: operation))
    return (.applied, new)
  }
}
