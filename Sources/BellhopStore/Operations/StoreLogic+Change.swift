package import BellhopModel

extension StoreLogic {
  /// Sets registers of one item.
  ///
  /// - Parameters:
  ///   - match: sequences of which the item must still have one (`If-Match`); nil for any.
  ///   - author: the author who is recorded for the change.
  ///   - reader: the environment of the requesting device.
  /// - Returns: the item after the change; unchanged, with its sequence, if every register already
  ///   has the value.
  /// - Throws: ``StoreError/notFound(what:)``, ``StoreError/modified(current:)``, and
  ///   ``StoreError/invalid(field:expectation:)`` for a snooze past the expiration.
  package func change(
    _ id: NotificationID, _ change: StateChange, ifMatch match: Set<SequenceNumber>? = nil,
    by author: Author, for user: UserID, reader: RegistrationEnvironment = .production,
    in transaction: any StoreTransaction
  ) throws -> UserNotification {
    let now = now
    guard let item = try liveItem(id, of: user, reader: reader, in: transaction) else {
      throw StoreError.notFound(what: "item")
    }
    if let match, !match.contains(item.state.sequence) {
      throw StoreError.modified(current: item.state.sequence)
    }
    if let until = change.userActionState?.snoozedUntil { try check(snooze: until, at: now) }
    try check(change.choice)
    try check(change.applied)
    if let choice = change.choice {
      let category = try category(of: item, for: user, in: transaction)
      guard item.action(chosen: choice, with: category) != nil else {
        throw StoreError.invalid(
          field: "actionId", expectation: "the id of one of the item's actions")
      }
    }
    var ledger = try CounterUpdates(user, in: transaction)
    let operation = Operation(id: newID(), target: .item(id), mutation: .set(change))
    let outcome = try apply(
      operation, to: item, by: author, ledger: &ledger, at: now, in: transaction)
    try ledger.close(in: transaction)
    switch outcome {
    case .applied(let item): return try asAnswered(item, of: user, in: transaction)
    case .unchanged, .deleted: return try asAnswered(item, of: user, in: transaction)
    case .superseded: throw StoreError.modified(current: item.state.sequence)
    case .refused(let latest):
      throw StoreError.invalid(
        field: "snoozedUntilDateTime", expectation: "a time no later than \(latest)")
    }
  }

  /// Deletes one item. Deleting it again, or deleting an item that never existed, has no effect.
  ///
  /// - Parameter reader: the environment of the requesting device.
  /// - Returns: the sequence of the deletion; nil when there was nothing to delete.
  /// - Throws: ``StoreError/modified(current:)`` when `match` does not contain the item's sequence.
  package func delete(
    _ id: NotificationID, ifMatch match: Set<SequenceNumber>? = nil, for user: UserID,
    reader: RegistrationEnvironment = .production, in transaction: any StoreTransaction
  ) throws -> SequenceNumber? {
    guard let item = try liveItem(id, of: user, reader: reader, in: transaction) else {
      return nil
    }
    if let match, !match.contains(item.state.sequence) {
      throw StoreError.modified(current: item.state.sequence)
    }
    var ledger = try CounterUpdates(user, in: transaction)
    try replaceWithTombstone(item, ledger: &ledger, at: now, in: transaction)
    try ledger.close(in: transaction)
    return ledger.counters.sequence
  }

  /// Applies one operation to one item and stores the outcome.
  func apply(
    _ operation: Operation, to item: UserNotification, by author: Author,
    ledger: inout CounterUpdates, at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> OperationOutcome {
    guard let operation = try checkingChoice(operation, on: item, of: ledger.user, in: transaction)
    else { return .superseded }
    let usesZone =
      operation.setsSchedule || operation.appliedRule?.definition.actions.namesTime == true
    let clock =
      usesZone
      ? try wallClock(of: ledger.user, in: transaction)
      : try wallClock(for: item.content, of: ledger.user, in: transaction)
    switch operation.apply(to: item, by: author, at: now, on: clock) {
    case .applied(var changed):
      guard
        try answer(item, by: operation, author, of: ledger.user, at: now, in: transaction)
      else { return .superseded }
      let sequence = try ledger.nextSequence(identity.start, at: now, in: transaction)
      guard changed.content == item.content else {
        changed.state.noteContent(sequence, at: now)
        try replace(item, with: changed, ledger: &ledger, in: transaction)
        try keepAwaiting(changed, insteadOf: item, of: ledger.user, in: transaction)
        return .applied(changed)
      }
      changed.state.sequence = sequence
      changed.state.changed = now
      try update(changed, ledger: &ledger, in: transaction)
      return .applied(changed)
    case .deleted:
      try replaceWithTombstone(item, ledger: &ledger, at: now, in: transaction)
      return .deleted
    case let outcome: return outcome
    }
  }

  /// Returns the operation with the title of the action that it chooses.
  ///
  /// Nil if the item has no such action, or no longer has it as it was shown.
  private func checkingChoice(
    _ operation: Operation, on item: UserNotification, of user: UserID, in state: any StoreReading
  ) throws -> Operation? {
    guard case .set(var change) = operation.mutation, let choice = change.choice else {
      return operation
    }
    let category = try category(of: item, for: user, in: state)
    guard
      let action = Mutant.changedActionChosen.isOn
        ? item.actions(with: category).first(where: { $0.id == choice.id })
        : item.action(chosen: choice, with: category)
    else { return nil }
    change.choice?.title = action.title
    change.choice?.revision = nil
    var operation = operation
    operation.mutation = .set(change)
    return operation
  }

  /// Checks that typed text is bounded and that databases accept it.
  func check(_ choice: ActionChoice?) throws {
    guard let text = choice?.text else { return }
    guard text.utf8.count <= ActionChoice.textBytesMax else {
      throw StoreError.invalid(
        field: "actionText", expectation: "at most \(ActionChoice.textBytesMax) bytes")
    }
    try ContentRules.checkText(text, "actionText")
  }

  /// Checks an effect of rules that a device sets: it has the bounds of one that rules have.
  func check(_ effect: AppliedEffect?) throws {
    guard let effect else { return }
    if let app = effect.app, !ContentRules.isAppName(app) {
      throw StoreError.invalid(field: "applied.targetHostName", expectation: "the name of an app")
    }
    if let group = effect.group {
      try check([group], bytesMax: limits.nameBytesMax, "applied.groupName")
    }
    guard effect.tags.count <= AppliedEffect.tagsMax else {
      throw StoreError.invalid(
        field: "applied.tags", expectation: "at most \(AppliedEffect.tagsMax) tags")
    }
    try check(effect.tags, bytesMax: RuleActions.tagBytesMax, "applied.tags")
    guard effect.rules.count <= AppliedEffect.rulesMax,
      effect.exhausted.count <= AppliedEffect.exhaustedMax
    else {
      throw StoreError.invalid(
        field: "applied.rules",
        expectation: "at most \(AppliedEffect.rulesMax) rules, and "
          + "\(AppliedEffect.exhaustedMax) of exhausted")
    }
    let names = effect.rules.map(\.rule.name) + effect.exhausted.map(\.name)
    try check(names, bytesMax: RuleDefinition.nameBytesMax, "applied.rules")
  }

  /// Checks that texts are not empty, are bounded, and that databases accept them.
  private func check(_ texts: [String], bytesMax: Int, _ field: String) throws {
    for text in texts {
      guard (1...bytesMax).contains(text.utf8.count) else {
        throw StoreError.invalid(field: field, expectation: "texts of 1 to \(bytesMax) bytes")
      }
      try ContentRules.checkText(text, field)
    }
  }

  /// Checks that a snooze ends within the range of representable times.
  private func check(snooze until: Timestamp, at now: Timestamp) throws {
    guard until > min(now, expiryNow), until <= Timestamp.distantFuture else {
      throw StoreError.invalid(
        field: "snoozedUntilDateTime", expectation: "a time after now, \(now)")
    }
  }
}
