import BellhopModel
import BellhopStore

extension Truth {
  /// Checks that a publisher's cancellation ended the deliveries of its item, and nothing else.
  ///
  /// It also becomes the cancellation of an item that the user had cancelled.
  mutating func checkCancellation(of id: NotificationID, _ commit: Commit) {
    let changed = changes(of: id, in: commit)
    guard
      let old = pending(id, at: commit.now) ?? pendingForPublisher(id, at: commit.now)
    else {
      if changed != nil { violate("a cancellation changed an item that is not to be delivered") }
      return
    }
    if isCancelledByPublisher(old), delivery(of: old, at: commit.now) != nil {
      // The remaining occurrences were handled early, by a device whose clock was ahead.
      if changed != nil { violate("a second cancellation changed #\(old.shortNumber)") }
      return
    }
    guard let latest = delivery(of: old, at: commit.now) else {
      guard case .tombstone? = changed else {
        return violate("#\(old.shortNumber) was cancelled before its delivery, and stayed")
      }
      return
    }
    guard case .live(let new)? = changed, isCancelledByPublisher(new),
      new.state.cancelled.change?.occurrence == latest
    else { return violate("the deliveries of #\(old.shortNumber) were not cancelled") }
    if new.state.readState != old.state.readState || new.content != old.content
      || new.state.userActionState != old.state.userActionState || new.arrival != old.arrival
    {
      violate("a cancellation changed more of #\(old.shortNumber) than its deliveries")
    }
  }

  /// Checks that a publisher's removal removed what was delivered of its item, and nothing else.
  mutating func checkRemoval(of id: NotificationID, _ commit: Commit) {
    let changed = changes(of: id, in: commit)
    guard let old = live(id), !old.isOver(at: commit.now),
      let shown = PlainOccurrence.current(old, at: commit.now, zone: zone),
      shown.arrival <= commit.now
    else {
      if changed != nil { violate("a removal changed an item that was not delivered") }
      return
    }
    guard pending(id, at: commit.now) != nil else {
      guard case .tombstone? = changed else {
        return violate("#\(old.shortNumber) was removed, and stayed")
      }
      return
    }
    let latest = delivery(of: old, at: commit.now)
    let known = old.state.userActionState.change?.occurrence
    if let known, let latest, PlainRegister.isEarlier(latest, than: known) {
      // A device whose clock was ahead handled a later delivery.
      if changed != nil { violate("a removal changed #\(old.shortNumber) after a later delivery") }
      return
    }
    switch shown.state.userActionState.value {
    case .dismissed, .activated:
      if changed != nil { violate("a removal changed #\(old.shortNumber), which was handled") }
    case .noInteraction, .snoozed:
      guard case .live(let new)? = changed, new.state.userActionState.value == .dismissed,
        new.state.userActionState.change?.occurrence == latest,
        new.state.cancelled == old.state.cancelled
      else { return violate("the latest delivery of #\(old.shortNumber) was not removed") }
    }
  }

  /// Returns the new row of the item, and reports changes of other items.
  private mutating func changes(of id: NotificationID, in commit: Commit) -> StoredRow? {
    for row in commit.changed where row.id != id {
      violate("#\(row.shortNumber) changed with the request for another item")
    }
    return commit.changed.first { $0.id == id }
  }

  /// Returns the item if it is still to be delivered, or will be again.
  private func pending(_ id: NotificationID, at now: Timestamp) -> UserNotification? {
    guard let item = live(id), !item.isOver(at: now) else { return nil }
    guard item.content.trigger != nil else { return item.arrival > now ? item : nil }
    guard let next = PlainOccurrence.next(item, after: now, zone: zone) else { return nil }
    return item.isOver(at: next) ? nil : item
  }

  /// Returns the item if it will be delivered, as far as its publisher knows.
  ///
  /// The publisher knows the time, and its own cancellation.
  private func pendingForPublisher(
    _ id: NotificationID, at now: Timestamp
  ) -> UserNotification? {
    guard let item = live(id), item.content.trigger != nil else { return pending(id, at: now) }
    var known = item
    known.state.crossed = nil
    known.state.readState = Register(.unread)
    known.state.userActionState = Register(.noInteraction)
    known.state.pinned = Register(false)
    if !isCancelledByPublisher(item) { known.state.cancelled = Register(false) }
    guard !known.isOver(at: now), let next = PlainOccurrence.next(known, after: now, zone: zone)
    else { return nil }
    // A crossing may come at any time before the item expires.
    return known.isOver(at: item.waitsForPlace ? now : next) ? nil : item
  }

  private func isCancelledByPublisher(_ item: UserNotification) -> Bool {
    item.state.cancelled.value && item.state.cancelled.change?.by.kind == .publisher
  }

  /// Returns the latest occurrence of an item with a trigger; nil before the first.
  private func delivery(of item: UserNotification, at now: Timestamp) -> Occurrence.Label? {
    PlainOccurrence.latest(item, at: now, zone: zone)?.label
  }
}
