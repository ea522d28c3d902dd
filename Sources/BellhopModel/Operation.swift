/// The registers that an operation sets; nil leaves a register unchanged.
public struct StateChange: Hashable, Sendable {
  public var readState: ReadState?
  public var userActionState: UserActionState?
  public var pinned: Bool?
  public var cancelled: Bool?
  /// The effect of rules; ``AppliedEffect/empty`` to take it back.
  public var applied: AppliedEffect?
  /// The action of the item that the user chose.
  ///
  /// Only with ``userActionState`` activated or dismissed, and with ``Operation/Target/item(_:)``. It is
  /// recorded even if the state stays the same. The store checks that the item has the action.
  public var choice: ActionChoice?

  public init(
    readState: ReadState? = nil, userActionState: UserActionState? = nil, pinned: Bool? = nil,
    cancelled: Bool? = nil, applied: AppliedEffect? = nil, choice: ActionChoice? = nil
  ) {
    self.readState = readState
    self.userActionState = userActionState
    self.pinned = pinned
    self.cancelled = cancelled
    self.applied = applied
    self.choice = choice
  }

  /// Whether no register is set. A choice alone does not count: it belongs to a register.
  public var isEmpty: Bool { !ItemRegister.all.contains { $0.isSet(self) } }
}

/// A change that a device requests, numbered per device when it is sealed (SYNC-9).
///
/// Operations are absolute, never toggles: applying one twice has the same effect as applying it
/// once. The coded form is that of the store's `operations` call.
public struct Operation: Hashable, Sendable, Identifiable {
  /// The items, the app or the rule that an operation changes.
  public enum Target: Hashable, Sendable {
    case item(NotificationID)
    /// The items with these ids, at most 1,000.
    case items([NotificationID])
    /// The items that meet the predicate and whose meaning is not newer than the sequence.
    case matching(Predicate, through: SequenceNumber)
    /// The items whose published content meets a rule's condition, with the same bound.
    indirect case matchingRule(RuleReference, through: SequenceNumber)
    /// Every register that this operation set: the target of a bulk operation's undo.
    case setBy(OperationID)
    /// The settings of the app with this name or alias.
    case app(String)
    /// The rule with this id, which may be new.
    case rule(RuleID)
  }

  /// The change that an operation makes to its target.
  public enum Mutation: Hashable, Sendable {
    case set(StateChange)
    /// Deletes the items: purges the content on every device, for good.
    case delete
    /// Sets each register to its previous value. Only with ``Target/setBy(_:)``.
    case restorePrevious
    /// Sets each of the given settings. Only with ``Target/app(_:)``.
    ///
    /// Settings are independent, as registers are: the last writer in the store's commit order wins
    /// (SYNC-5).
    case configure(AppSettingsChange)
    /// Delivers the item at another time, or by another trigger. Only with ``Target/item(_:)``.
    ///
    /// It replaces the content, so that the item returns as after a replacement by its publisher. The
    /// time is that of the user's change: a trigger counts from it, however late the store learns of it.
    case reschedule(Schedule, at: Timestamp)
    /// Publishes an item. Only with ``Target/item(_:)``, whose id has the bits of the operation's id.
    ///
    /// The item gets that id, unless it replaces a live item of the same app notification id. The time
    /// is that of the user's publication: a trigger counts from it, however late the store learns of it.
    indirect case publish(Content, at: Timestamp)
    /// Creates, changes or removes a rule. Only with ``Target/rule(_:)``.
    ///
    /// With ``Operation/expect`` it is superseded unless that operation made the rule's definition.
    indirect case changeRule(RuleChange)
    /// Applies a rule to what is already there. Only with ``Target/matchingRule(_:through:)``.
    ///
    /// The time is that of the user's change: a snooze of the rule counts from it.
    case applyRule(at: Timestamp)
  }

  public let id: OperationID
  public var target: Target
  public var mutation: Mutation
  /// The content sequence of the item that the user was shown.
  ///
  /// An item replaced since then does not change, but a repeated one does (SYNC-6). With
  /// ``Target/item(_:)``, neither does an item that a restored store holds with older content. For
  /// several items it is the newest sequence, for stores that do not know ``seenEach``.
  public var seen: SequenceNumber?
  /// The content sequence that the user was shown for each item of a ``Target/items(_:)``.
  ///
  /// An item with any other content does not change, unless only repeats came between. Nil from
  /// clients that send only the newest sequence.
  public var seenEach: [NotificationID: SequenceNumber]?
  /// The operations of the device itself that made the content which the user was shown, by item.
  ///
  /// The content has no sequence on the device until base contains it; the store knows its number.
  public var seenOperations: [NotificationID: OperationID]?
  /// The operation to undo; only registers that it set last are changed (SYNC-7).
  ///
  /// For a rule, the revision that the user was shown (SYNC-18).
  public var expect: OperationID?
  /// The occurrences that the user was shown, for items with a trigger.
  public var occurrences: SeenOccurrences?

  /// The occurrences for which an operation sets registers.
  ///
  /// They do not depend on the time at which the store receives the operation: a dismissal of *9:00*
  /// that is sent at 10:30 leaves *10:00* as it is.
  public enum SeenOccurrences: Hashable, Sendable {
    /// The occurrence of the item; only with ``Target/item(_:)``.
    case label(Occurrence.Label)
    /// The occurrence of each item that has a trigger; only with ``Target/items(_:)``.
    case labels([NotificationID: Occurrence.Label])
    /// The latest occurrence of each item at an instant; only with a bound of content, as in
    /// ``Target/matching(_:through:)``.
    ///
    /// Times without a zone are those of a zone with this offset from UTC at that instant, in
    /// seconds, because the device may be in another zone than the store; nil for the store's.
    case through(Timestamp, utcOffset: Int? = nil)
  }

  public init(
    id: OperationID, target: Target, mutation: Mutation, seen: SequenceNumber? = nil,
    expect: OperationID? = nil, occurrences: SeenOccurrences? = nil
  ) {
    self.id = id
    self.target = target
    self.mutation = mutation
    self.seen = seen
    self.expect = expect
    self.occurrences = occurrences
  }

  /// The ids in the target; empty for bulk targets and settings.
  public var notificationIDs: [NotificationID] {
    switch target {
    case .item(let id): [id]
    case .items(let ids): ids
    case .matching, .matchingRule, .setBy, .app, .rule: []
    }
  }

  /// Whether the target selects items by a condition instead of naming them.
  package var isBulk: Bool {
    switch target {
    case .item, .items, .app, .rule: false
    case .matching, .matchingRule, .setBy: true
    }
  }

  /// Returns whether the operation selects the item as it is; false for one that names its items.
  ///
  /// A predicate compares an item with a trigger as it was at the occurrence that the user was shown,
  /// and does not select it before its first one.
  ///
  /// - Parameters:
  ///   - time: The time of the change, which applies if the operation does not say what was shown.
  ///   - clock: The user's time zones.
  package func means(
    _ item: UserNotification, at time: Timestamp, on clock: WallClock
  ) -> Bool {
    guard mayMean(item) else { return false }
    if app != nil { return item.crossed(by: crossings) != nil }
    if let rule = appliedRule { return rule.definition.condition.isMet(by: item.content) }
    guard item.content.trigger != nil, case .matching(let predicate, _) = target else {
      return true
    }
    let shown = item.atLatestOccurrence(through: timeShown(or: time), on: clockShown(or: clock))
    return shown.map(predicate.matches) ?? false
  }

  /// Returns whether the operation may select the item.
  ///
  /// Exact for an item without a trigger, except for the tags and texts that a rule tests.
  package func mayMean(_ item: UserNotification) -> Bool {
    switch target {
    case .item, .items, .rule: return false
    case .app: return reportsCrossing && item.content.trigger != nil
    case .matching(let predicate, let through):
      return item.state.meaningSequence <= through
        && (item.content.trigger != nil || predicate.matches(item))
    case .matchingRule(let rule, let through):
      return item.state.meaningSequence <= through
        && rule.definition.condition.prefilter.matches(item)
    case .setBy(let other):
      return item.state.isSet(by: other)
    }
  }

  /// The app whose settings the operation changes; nil for an operation on items.
  public var app: String? { if case .app(let name) = target { name } else { nil } }
}

/// The effect of an operation on one item.
public enum OperationOutcome: Hashable, Sendable {
  /// The item with its registers set; the caller assigns the sequence numbers.
  case applied(UserNotification)
  /// The item becomes a tombstone.
  case deleted
  /// There is nothing to write: the registers have the values, or the occurrence is over.
  case unchanged
  /// Another device changed the item since the user saw it, or the publisher replaced it.
  case superseded
  /// The snooze would end after the item expires; the latest allowed instant.
  case refused(latest: Timestamp)
}

extension Operation {
  /// Applies the operation to an item, without regard to ``target``.
  ///
  /// The client's optimistic update and the store's commit both use this definition. Selecting the
  /// items is up to the caller.
  ///
  /// - Parameters:
  ///   - item: The item before the operation.
  ///   - author: The device, publisher or rule that makes the change.
  ///   - time: The time of the change on the store's clock.
  ///   - clock: The user's time zones, for an item with a trigger.
  public func apply(
    to item: UserNotification, by author: Author, at time: Timestamp, on clock: WallClock
  ) -> OperationOutcome {
    if !hasSeen(item), !Mutant.unseenIsHandled.isOn { return .superseded }
    switch mutation {
    case .delete:
      return .deleted
    case .set(let change):
      if case .snoozed(let until)? = change.userActionState,
        let expires = change.pinned == true ? nil : item.expires, until > expires
      {
        return .refused(latest: expires)
      }
      let occurrence = occurrence(of: item, at: time, on: clock)
      return set(
        change, for: occurrence, on: item, expecting: expect, by: author, at: time)
    case .restorePrevious:
      guard case .setBy(let operation) = target else { return .unchanged }
      var change = StateChange()
      for register in ItemRegister.all { register.copyPrevious(item.state.registers, &change) }
      if Mutant.undoForgetsPin.isOn { change.pinned = nil }
      if Mutant.undoForgetsEffect.isOn { change.applied = nil }
      return set(
        change, for: item.state.occurrence(setBy: operation), on: item, expecting: operation,
        by: author, at: time)
    case .configure: return item.crossed(by: crossings).map(OperationOutcome.applied) ?? .unchanged
    case .reschedule(let schedule, let made):
      return reschedule(item, to: schedule, by: author, at: min(made, time), on: clock)
    // The item exists already, under the operation's id.
    case .publish: return .unchanged
    case .changeRule: return .unchanged
    case .applyRule(let made):
      return applyRule(to: item, madeAt: made, by: author, at: time, on: clock)
    }
  }

  /// Applies the operation to an app's settings; an operation on items leaves them unchanged.
  ///
  /// The client's optimistic update and the store's commit both use this definition. The parameters
  /// are those of ``apply(to:by:at:on:)``.
  public func apply(
    to settings: AppSettings, by author: Author, at time: Timestamp
  ) -> AppSettings {
    guard case .configure(let change) = mutation else { return settings }
    return change.applied(to: settings, by: author.device.map { ($0, time) })
  }

  /// Returns whether the item has the content that the user was shown.
  ///
  /// For one item, and with ``seenEach``, the content must be the same but for repeats: a restored
  /// store may hold an older one. For several items without ``seenEach``, it must not be newer.
  /// Content that the device itself made counts as seen: the store looks up its number first.
  private func hasSeen(_ item: UserNotification) -> Bool {
    if seenOperations?[item.id] != nil { return true }
    if let seenEach, !Mutant.newestSeenCounts.isOn {
      return seenEach[item.id].map { item.state.isMeant(by: $0) } ?? false
    }
    guard let seen else { return true }
    return if case .item = target {
      item.state.isMeant(by: seen)
    } else {
      item.state.meaningSequence <= seen
    }
  }

  /// Returns the occurrence that the operation names for an item; nil if it does not name one.
  private func label(of id: NotificationID) -> Occurrence.Label? {
    switch occurrences {
    case .label(let label): label
    case .labels(let labels): labels[id]
    case .through, nil: nil
    }
  }

  /// Returns the time up to which the user was shown occurrences.
  private func timeShown(or time: Timestamp) -> Timestamp {
    if case .through(let shown, _)? = occurrences, !Mutant.bulkHandlesLater.isOn { return shown }
    return time
  }

  /// Returns the clock by which the user was shown occurrences.
  func clockShown(or clock: WallClock) -> WallClock {
    if case .through(_, let offset?)? = occurrences, !Mutant.bulkInStoreZone.isOn {
      return clock.withOwnOffset(offset)
    }
    return clock
  }

  /// Returns the occurrence of the item's trigger that the user was shown.
  ///
  /// Nil for an item without a trigger. If the operation does not say what was shown, it is the
  /// occurrence for which the operation to undo set registers, or else the latest one at `time`.
  func occurrence(
    of item: UserNotification, at time: Timestamp, on clock: WallClock
  ) -> Occurrence.Label? {
    guard item.content.trigger != nil else { return nil }
    if !Mutant.occurrenceAtCommit.isOn, let label = label(of: item.id) { return label }
    if let expect { return item.state.occurrence(setBy: expect) }
    return item.latestLabel(through: timeShown(or: time), on: clockShown(or: clock))
  }

  /// Sets registers for an occurrence of the item's trigger; nil for an item without one.
  ///
  /// A register that was set for a later occurrence keeps its value. Only an undo and an answer to the
  /// app are superseded by that.
  func set(
    _ change: StateChange, for occurrence: Occurrence.Label?, on item: UserNotification,
    expecting expected: OperationID?, by author: Author, at time: Timestamp
  ) -> OperationOutcome {
    var item = item
    var isChanged = false
    var isBlocked = false
    var choice = change.choice
    if let id = choice?.id, choice?.title == nil {
      choice?.title = item.content.extras.actions?.first { $0.id == id }?.title
    }
    var change = change
    if Mutant.registersTied.isOn, change.userActionState == .dismissed { change.readState = .read }
    let hasTrigger = item.content.trigger != nil
    for register in ItemRegister.all where register.isSet(change) {
      if register.needsTrigger, !hasTrigger { continue }
      if hasTrigger, register.isPerOccurrence {
        let known = register.lastChange(item.state.registers)?.occurrence
        if let known, occurrence.map({ $0 < known }) ?? true {
          // What was done with a past occurrence is done; an undo and an answer are not.
          if expected != nil || choice != nil { isBlocked = true }
          continue
        }
        if known != occurrence { register.reset(&item.state.registers) }
      }
      if let expected, register.lastChange(item.state.registers)?.operation != expected,
        !Mutant.undoOverrides.isOn
      {
        isBlocked = true
        continue
      }
      let provenance = RegisterChange(
        at: time, by: author, operation: id, choice: register.carriesChoice ? choice : nil,
        occurrence: register.recordsOccurrence ? occurrence : nil)
      if register.set(change, provenance, &item.state.registers) { isChanged = true }
    }
    if isChanged { return .applied(item) }
    return isBlocked ? .superseded : .unchanged
  }

  /// Returns the operation that undoes this one on an item.
  ///
  /// Nil for a delete, which is undone within its grace period (SYNC-8), for a publication, and for a
  /// rule that is applied: its undo is a ``Mutation/restorePrevious``.
  ///
  /// - Parameter item: The item as it was before this operation.
  public func undo(id: OperationID, before item: UserNotification) -> Operation? {
    if case .reschedule(_, let made) = mutation {
      return undoOfSchedule(id: id, at: made, before: item)
    }
    guard case .set(let change) = mutation else { return nil }
    var registers = item.state.registers
    let label = label(of: item.id)
    if let label { registers = registers.counting(for: label) }
    var back = StateChange()
    for register in ItemRegister.all where register.isSet(change) {
      register.copyValue(registers, &back)
    }
    return Operation(
      id: id, target: .item(item.id), mutation: .set(back), expect: self.id,
      occurrences: label.map(SeenOccurrences.label))
  }
}
