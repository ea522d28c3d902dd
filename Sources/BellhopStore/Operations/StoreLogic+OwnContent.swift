internal import BellhopModel

extension StoreLogic {
  /// Returns the operation with the sequences of content that its device made itself.
  ///
  /// The device names the operation that made the content, because it does not know the sequence yet.
  /// Content of an operation that had no effect, or that was forgotten, has the sequence zero, which no
  /// item has: the operation is superseded. A publication may have replaced another item: then the
  /// operation is for that item, instead of the one that only the device had.
  func resolvingOwnContent(
    _ operation: Operation, of user: UserID, in state: any StoreReading
  ) throws -> Operation {
    let makers = operation.seenOperations ?? [:]
    // An undo names the operation that it undoes, and no content.
    let isUndo = operation.expect != nil
    guard isUndo || !makers.isEmpty else { return operation }
    var resolved = operation
    if !Mutant.ownContentUnchecked.isOn { resolved.seenOperations = nil }
    var stored: [NotificationID: NotificationID] = [:]
    for id in operation.notificationIDs where isUndo || makers[id] != nil {
      let maker = makers[id]
      let made = try maker.flatMap { try state.operation($0, of: user)?.content }
      if made?.item != id, try state.row(id, of: user) == nil {
        stored[id] = try state.operation(OperationID(sameAs: id), of: user)?.content?.item
      }
      guard maker != nil, !Mutant.ownContentUnchecked.isOn else { continue }
      let sequence = made.flatMap { $0.item == stored[id] ?? id ? $0.sequence : nil } ?? .zero
      switch operation.target {
      case .item: resolved.seen = sequence
      case .items: resolved.seenEach?[id] = sequence
      case .matching, .matchingRule, .setBy, .app, .rule: break
      }
    }
    for (id, item) in stored where item != id { resolved.rename(id, to: item) }
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

extension Operation {
  /// Makes the operation mean another item instead of one that it names.
  fileprivate mutating func rename(_ id: NotificationID, to item: NotificationID) {
    switch target {
    case .item: target = .item(item)
    case .items(let ids):
      target = .items(ids.filter { $0 != item }.map { $0 == id ? item : $0 })
      let sequence = seenEach?.removeValue(forKey: id) ?? .zero
      var label: Occurrence.Label?
      if case .labels(var labels)? = occurrences {
        label = labels.removeValue(forKey: id)
        occurrences = .labels(labels)
      }
      // If the device showed several contents of the item, the newest one counts.
      if let other = seenEach?[item], other > sequence { return }
      seenEach?[item] = sequence
      if case .labels(var labels)? = occurrences {
        labels[item] = label
        occurrences = .labels(labels)
      }
    case .matching, .matchingRule, .setBy, .app, .rule: break
    }
  }
}
