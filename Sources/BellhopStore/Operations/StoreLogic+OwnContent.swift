internal import BellhopModel

extension StoreLogic {
  /// Returns the operation with the sequences of content that its device made itself.
  ///
  /// The device names the operation that made the content, because it does not know the sequence yet.
  /// Content of an operation that had no effect, or that was forgotten, has the sequence zero, which no
  /// item has: the operation is superseded.
  func resolvingOwnContent(
    _ operation: Operation, of user: UserID, in state: any StoreReading
  ) throws -> Operation {
    guard let makers = operation.seenOperations, !Mutant.ownContentUnchecked.isOn else {
      return operation
    }
    var resolved = operation
    resolved.seenOperations = nil
    for (id, maker) in makers {
      let made = try state.operation(maker, of: user)?.content
      let sequence = made.flatMap { $0.item == id ? $0.sequence : nil } ?? .zero
      switch operation.target {
      case .item: resolved.seen = sequence
      case .items: resolved.seenEach?[id] = sequence
      case .matching, .setBy, .app: break
      }
    }
    return resolved
  }

  /// Returns whether the user may set the schedule that the operation sets, if it sets one.
  ///
  /// The expiration of the item is left to the operation, which reports the latest time.
  func isAllowed(
    _ operation: Operation, at now: Timestamp, of user: UserID, reader: RegistrationEnvironment,
    in state: any StoreReading
  ) throws -> Bool {
    guard case .reschedule(let schedule, _) = operation.mutation,
      let id = operation.notificationIDs.first,
      let item = try liveItem(id, of: user, reader: reader, in: state),
      schedule.canReplace(scheduleOf: item.content)
    else { return true }
    var content = item.content.with(schedule)
    content.expiration = nil
    let rules = ContentRules(
      limits: limits, now: now, expiryNow: expiryNow,
      wallClock: try wallClock(for: content, of: user, in: state))
    do {
      try rules.check(content)
      return true
    } catch let error as StoreError where error.isRefusal {
      return false
    }
  }

  /// Keeps a publisher waiting for the answer to an item whose schedule a device has changed.
  func keepAwaiting(
    _ item: UserNotification, insteadOf old: UserNotification, of user: UserID,
    in transaction: any StoreTransaction
  ) throws {
    guard var response = try transaction.awaitedResponse(item.id, of: user),
      response.contentSequence == old.state.contentSequence
    else { return }
    response.contentSequence = item.state.contentSequence
    try transaction.put(response, of: user)
  }
}
