extension Content {
  /// Returns when an item published at `now` arrives: then, or when it is delivered.
  package func arrival(publishedAt now: Timestamp) -> Timestamp { max(now, deliverAt ?? now) }

  fileprivate func isScheduled(at now: Timestamp) -> Bool { (deliverAt ?? now) > now }
}

extension UserNotification {
  /// Returns the item with other content, by the rules of a replacement.
  ///
  /// An unread and untouched item stays in its place, as every item does if `isQuiet`. One that was
  /// read or handled returns to the top, unread. A changed schedule moves the item to its new time.
  /// The caller assigns the sequence numbers.
  ///
  /// - Parameters:
  ///   - author: The publisher or device that replaces the content.
  ///   - operation: The operation of the device; nil for a publisher.
  ///   - now: The time of the replacement.
  ///   - clock: The user's time zones.
  /// - Returns: The item, and whether it returned to the top.
  package func replaced(
    by content: Content, isQuiet: Bool, author: Author, operation: OperationID? = nil,
    at now: Timestamp, on clock: WallClock
  ) -> (item: UserNotification, isResurfaced: Bool) {
    var item = self
    let keepsTimes = isQuiet && content.trigger == self.content.trigger
    if !keepsTimes {
      item = atLatestOccurrence(through: now, on: clock) ?? self
      item.state.registers = item.state.registers.withoutOccurrences()
      item.state.cancelled = Register(false)
      item.state.crossed = nil
    }
    let before = item.state
    let isUntouched =
      before.readState.value == .unread && before.userActionState.value == .noInteraction
    // A changed delivery time moves the item, because the item arrives at that time.
    let isRescheduled =
      content.isScheduled(at: now) || self.content.isScheduled(at: now)
      || content.trigger != nil && !keepsTimes
    item.content = content
    if isRescheduled || !(isQuiet || isUntouched) {
      item.arrival = content.arrival(publishedAt: now)
    }
    if isQuiet || isUntouched || Mutant.replacementStaysHandled.isOn { return (item, false) }
    let change = RegisterChange(at: now, by: author, operation: operation)
    if before.readState.value != .unread {
      item.state.readState = before.readState.setting(.unread, change: change)
    }
    if before.userActionState.value != .noInteraction {
      item.state.userActionState = before.userActionState.setting(.noInteraction, change: change)
    }
    return (item, true)
  }
}
