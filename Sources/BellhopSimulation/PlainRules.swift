import BellhopModel
import BellhopStore

/// A second implementation of the effects of operations, independent of `Operation.apply`.
///
/// The client and the store share that function: if the simulation used it too, it could not detect
/// a mistake there.
enum PlainRules {
  /// Returns whether an item has the action that was chosen, as it was shown.
  typealias ActionCheck = (ActionChoice, UserNotification) -> Bool

  /// The content sequences that operations of devices made.
  typealias MadeContents = [OperationID: SequenceNumber]

  /// Applies a named operation to all its items.
  ///
  /// - Parameter hasAction: The store's check of a choice. A device has none: it shows what its user
  ///   chose.
  /// - Returns: The result that the store must give, and the items that change, in their earlier
  ///   state.
  static func apply(
    _ operation: Operation, to rows: inout [NotificationID: StoredRow], at now: Timestamp,
    zone: Int, hasAction: ActionCheck, made: MadeContents? = nil
  ) -> (result: OperationResult, changed: [UserNotification]) {
    var changed: [UserNotification] = []
    var result = OperationResult.gone
    for id in operation.notificationIDs {
      guard case .live(let item)? = rows[id], !item.isOver(at: now) else { continue }
      let one = apply(
        operation, on: id, to: &rows, at: now, zone: zone, hasAction: hasAction, made: made)
      if one.isChanged { changed.append(item) }
      switch result {
      case .applied: break
      case .refused: if one.result != .superseded { result = one.result }
      case .alreadyApplied, .superseded, .gone, .unacceptable, .outcomeUnknown, .notPublished:
        result = one.result
      }
    }
    return (result, changed)
  }

  /// Applies an operation to one live item.
  ///
  /// - Parameter made: The contents that the store knows; nil for a device, which knows none of them,
  ///   and shows its own content.
  static func apply(
    _ operation: Operation, on id: NotificationID,
    to rows: inout [NotificationID: StoredRow], at now: Timestamp,
    zone: Int, hasAction: ActionCheck = { _, _ in true }, made: MadeContents? = nil
  ) -> (result: OperationResult, isChanged: Bool) {
    guard case .live(var item)? = rows[id] else { return (.gone, false) }
    if let maker = operation.seenOperations?[id] {
      if let made, made[maker] != item.state.contentSequence { return (.superseded, false) }
    } else if let each = operation.seenEach {
      guard let seen = each[id], seen >= meaning(of: item), seen <= item.state.contentSequence
      else { return (.superseded, false) }
    } else if let seen = operation.seen {
      let isSingle = if case .item = operation.target { true } else { false }
      if seen < meaning(of: item) || isSingle && seen > item.state.contentSequence {
        return (.superseded, false)
      }
    }
    var change = StateChange()
    var guardian = operation.expect
    switch operation.mutation {
    case .delete:
      rows[id] = .tombstone(
        Tombstone(of: item, sequence: item.state.sequence, deleted: now))
      return (.applied, true)
    case .configure, .publish, .changeRule: return (.applied, false)
    case .applyRule(let made):
      guard let rule = operation.ruleToApply else { return (.applied, false) }
      change = PlainRuleApplication.change(
        rule, of: item, at: min(made, now),
        for: Self.occurrence(of: item, for: operation, undoing: nil, at: now, zone),
        zone: operation.offsetShown ?? zone)
    case .reschedule(let schedule, let set):
      let (result, new) = PlainSchedule.apply(
        schedule, to: item, by: operation.id, at: min(set, now), zone: zone)
      guard var new else { return (result, false) }
      new.state.contentSequence = PlainSchedule.mark(made?.count ?? 0)
      rows[id] = .live(new)
      return (result, true)
    case .set(let wanted):
      change = wanted
      if case .snoozed(let until)? = wanted.userActionState, wanted.pinned != true,
        !item.state.pinned.value, let end = item.content.expiration, end < until
      {
        return (.refused(latest: end), false)
      }
    case .restorePrevious:
      guard case .setBy(let undone) = operation.target else { return (.applied, false) }
      guardian = undone
      for register in PlainRegister.all { register.takeBack(item.state, &change) }
    }
    if let choice = change.choice, !hasAction(choice, item) { return (.superseded, false) }
    let occurrence = occurrence(of: item, for: operation, undoing: guardian, at: now, zone)
    let outcomes = PlainRegister.all.map {
      $0.set(change, &item, guardian, operation.id, occurrence)
    }
    if outcomes.contains(.changed) {
      rows[id] = .live(item)
      return (.applied, true)
    }
    return (outcomes.contains(.blocked) ? .superseded : .applied, false)
  }

  /// Returns the occurrence that an operation is for; nil for an item without a trigger.
  private static func occurrence(
    of item: UserNotification, for operation: Operation, undoing undone: OperationID?,
    at now: Timestamp, _ zone: Int
  ) -> Occurrence.Label? {
    guard item.content.trigger != nil else { return nil }
    switch operation.occurrences {
    case .label(let label): return label
    case .labels(let labels): if let label = labels[item.id] { return label }
    case .through(let time, let offset):
      return PlainOccurrence.label(item, at: time, zone: offset ?? zone)
    case nil: break
    }
    guard let undone else { return PlainOccurrence.label(item, at: now, zone: zone) }
    let changes = [item.state.readState.change, item.state.userActionState.change]
    return changes.compactMap { $0 }.first { $0.operation == undone }?.occurrence
  }

  /// Returns the content sequence of the item's last publication that was not a repeat.
  ///
  /// It is independent of `ItemState.meaningSequence`, which the client and the store use.
  static func meaning(of item: UserNotification) -> SequenceNumber {
    guard let meaning = item.state.meaning else { return item.state.contentSequence }
    return meaning
  }

  /// Returns whether an operation selects the item.
  ///
  /// An item with a trigger is selected as it was shown: at its latest occurrence then.
  /// A bulk operation of the simulation always says in which zone that was.
  static func isMeant(_ item: UserNotification, by operation: Operation) -> Bool {
    var item = item
    if item.content.trigger != nil, case .matching = operation.target {
      guard case .through(let time, let offset?)? = operation.occurrences,
        let shown = PlainOccurrence.current(item, at: time, zone: offset)
      else { return false }
      item = shown
    }
    switch operation.target {
    case .app, .rule: return false
    case .item(let id): return item.id == id
    case .items(let ids): return ids.contains(item.id)
    case .setBy(let other):
      return PlainRegister.all.contains { $0.operation(item.state) == other }
    case .matchingRule(let rule, let through):
      return item.state.contentSequence > .zero && meaning(of: item) <= through
        && PlainRuleApplication.matches(rule.definition.condition, item.content)
    case .matching(let predicate, let through):
      // Content that a device made itself has no number yet, and is newer than every list.
      guard item.state.contentSequence > .zero, meaning(of: item) <= through else { return false }
      let effect = predicate.isEffective ? item.state.applied.value : .empty
      if let app = predicate.app, app != effect.app ?? item.content.app { return false }
      if let group = predicate.group, group != effect.group ?? item.content.group { return false }
      if let least = predicate.minimumPriority, effect.level ?? item.content.priority < least {
        return false
      }
      if let since = predicate.arrivedSince, item.arrival < since { return false }
      if let before = predicate.arrivedBefore, item.arrival >= before { return false }
      if let read = predicate.readState, read != item.state.readState.value { return false }
      if let kind = predicate.userActionState, kind != item.state.userActionState.value.kind {
        return false
      }
      return true
    }
  }

  /// Returns whether a row agrees with the expected one in everything that operations determine.
  static func isSame(_ left: StoredRow?, _ right: StoredRow?) -> Bool {
    switch (left, right) {
    case (.tombstone, .tombstone): return true
    case (.live(let left), .live(let right)):
      return left.content == right.content && left.arrival == right.arrival
        && (left.state.contentSequence == right.state.contentSequence
          || right.state.contentSequence < .zero)
        && left.state.crossed == right.state.crossed && left.state.meaning == right.state.meaning
        && left.state.resolved == right.state.resolved && left.repeats == right.repeats
        && PlainRegister.all.allSatisfy { $0.isSame(left.state, right.state) }
    case (.live, .tombstone), (.tombstone, .live), (nil, _), (_, nil): return false
    }
  }
}

extension UserNotification {
  /// Returns whether the item's expiration has passed.
  func isOver(at now: Timestamp) -> Bool {
    guard !state.pinned.value, let end = content.expiration else { return false }
    return end <= now
  }

  /// Whether the user has read or handled the item.
  var isTouched: Bool {
    state.readState.value == .read || state.userActionState.value != .noInteraction
  }

  /// Makes the item unread and not handled again, where it was touched.
  mutating func returnToTray(by change: RegisterChange) {
    if state.readState.value == .read {
      state.readState = Register(.unread, previous: .read, change: change)
    }
    let action = state.userActionState.value
    if action != .noInteraction {
      state.userActionState = Register(.noInteraction, previous: action, change: change)
    }
  }
}

extension Operation {
  /// Whether the operation chooses an action of an item.
  var isChoice: Bool {
    if case .set(let change) = mutation { change.choice != nil } else { false }
  }

  var isBulkTarget: Bool {
    switch target {
    case .item, .items, .app, .rule: false
    case .matching, .matchingRule, .setBy: true
    }
  }

  /// The rule that the operation applies to items.
  var ruleToApply: RuleReference? {
    if case .matchingRule(let rule, _) = target { rule } else { nil }
  }

  /// The offset from UTC of the zone in which the user was shown occurrences, if the operation has it.
  fileprivate var offsetShown: Int? {
    if case .through(_, let offset)? = occurrences { offset } else { nil }
  }

  /// Returns the operation limited to one of the items that it selects.
  func on(_ id: NotificationID) -> Operation {
    var one = self
    if case .matching = target { one.target = .item(id) }
    return one
  }
}
