/// The registers an operation sets; a nil leaves its register alone.
public struct StateChange: Hashable, Sendable {
  public var readState: ReadState?
  public var userActionState: UserActionState?
  public var kept: Bool?
  /// The item's action that was chosen; with ``userActionState`` activated or dismissed, and with
  /// ``Operation/Target/item(_:)`` only.
  public var choice: ActionChoice?

  public init(
    readState: ReadState? = nil, userActionState: UserActionState? = nil, kept: Bool? = nil,
    choice: ActionChoice? = nil
  ) {
    self.readState = readState
    self.userActionState = userActionState
    self.kept = kept
    self.choice = choice
  }

  /// Whether it sets nothing. A choice goes with a register.
  public var isEmpty: Bool { !ItemRegister.all.contains { $0.isSet(self) } }
}

/// A closed condition over an item's fields and absolute times, for bulk operations
/// (SYNC-10). Every part that is set must hold.
public struct Predicate: Hashable, Sendable, Codable {
  public var app: String?
  public var group: String?
  public var readState: ReadState?
  public var userActionState: UserActionState.Kind?
  public var minimumPriority: Priority?
  /// Arrived before this instant.
  public var arrivedBefore: Timestamp?
  /// Arrived at this instant or later.
  public var arrivedSince: Timestamp?

  public init() {}

  /// The condition that it is; everything meets one without parts.
  package var condition: Condition<ItemTest> {
    var tests: [ItemTest] = []
    if let app { tests.append(.compare(.targetHostName, .equal, .text(app))) }
    if let group { tests.append(.compare(.groupName, .equal, .text(group))) }
    if let readState { tests.append(.compare(.readState, .equal, .text(readState.rawValue))) }
    if let userActionState {
      tests.append(.compare(.userActionState, .equal, .text(userActionState.rawValue)))
    }
    if let minimumPriority {
      tests.append(.compare(.priority, .atLeast, .priority(minimumPriority)))
    }
    if let arrivedBefore { tests.append(.compare(.arrivalDateTime, .less, .time(arrivedBefore))) }
    if let arrivedSince { tests.append(.compare(.arrivalDateTime, .atLeast, .time(arrivedSince))) }
    return .all(tests.map(Condition.test))
  }

  /// Whether the item meets every part.
  public func matches(_ item: UserNotification) -> Bool { condition.matches(item) }
}

/// An intended change, numbered per device when it is sealed (SYNC-9).
///
/// Operations are absolute, never toggles, so that applying one twice is applying it once.
/// The coded form is the one of the store's `operations` call.
public struct Operation: Hashable, Sendable, Identifiable {
  /// Which items it is meant for.
  public enum Target: Hashable, Sendable {
    case item(NotificationID)
    /// At most 1,000.
    case items([NotificationID])
    /// Items that meet the predicate and whose content is not newer than the sequence.
    case matching(Predicate, through: SequenceNumber)
    /// Every register that this operation set: the undo of a bulk operation.
    case setBy(OperationID)
    /// The settings of the app with this name or alias.
    case app(String)
  }

  /// What it does to them.
  public enum Mutation: Hashable, Sendable {
    case set(StateChange)
    /// Terminal: purges the content, on every device.
    case delete
    /// Each register gets back its previous value. Only with ``Target/setBy(_:)``.
    case restorePrevious
    /// Each setting that is named gets this value; settings are independent, as registers are, and
    /// the last writer wins in the store's commit order (SYNC-5). Only with ``Target/app(_:)``.
    case configure(AppSettingsChange)
  }

  public let id: OperationID
  public var target: Target
  public var mutation: Mutation
  /// The content the person was shown. An item replaced since then is left alone (SYNC-6), and
  /// with ``Target/item(_:)`` also one that a restored store holds with older content. Of several
  /// items it is the newest content, for stores that do not know ``seenEach``.
  public var seen: SequenceNumber?
  /// The content the person was shown of each item of a ``Target/items(_:)``; nil from clients that
  /// name only the newest. An item with any other content is left alone.
  public var seenEach: [NotificationID: SequenceNumber]?
  /// Undo: only registers that this operation set last are changed (SYNC-7).
  public var expect: OperationID?

  public init(
    id: OperationID, target: Target, mutation: Mutation, seen: SequenceNumber? = nil,
    expect: OperationID? = nil
  ) {
    self.id = id
    self.target = target
    self.mutation = mutation
    self.seen = seen
    self.expect = expect
  }

  /// The ids it names one by one; empty for bulk targets and settings.
  public var notificationIDs: [NotificationID] {
    switch target {
    case .item(let id): [id]
    case .items(let ids): ids
    case .matching, .setBy, .app: []
    }
  }

  /// Whether it says which items are meant, instead of naming them.
  package var isBulk: Bool {
    switch target {
    case .item, .items, .app: false
    case .matching, .setBy: true
    }
  }

  /// Whether a bulk operation is meant for the item as it stands; false for every other operation.
  package func means(_ item: UserNotification) -> Bool {
    switch target {
    case .item, .items, .app: return false
    case .matching(let predicate, let through):
      return item.state.contentSequence <= through && predicate.matches(item)
    case .setBy(let other):
      return item.state.isSet(by: other)
    }
  }

  /// The app whose settings it changes; nil for one that is meant for items.
  public var app: String? { if case .app(let name) = target { name } else { nil } }
}

extension Operation {
  /// An operation for several items, each of which changes only while it has the content that the
  /// person was shown.
  ///
  /// - Parameter shown: the items in order, with their content sequences; at most 1,000.
  public init(
    id: OperationID, onShown shown: [(id: NotificationID, content: SequenceNumber)],
    mutation: Mutation
  ) {
    self.init(
      id: id, target: .items(shown.map(\.id)), mutation: mutation,
      seen: shown.map(\.content).max())
    seenEach = Dictionary(shown.map { ($0.id, $0.content) }, uniquingKeysWith: { $1 })
  }

  /// The same operation for those of its items that `isMeant` accepts, given the content that the
  /// person was shown.
  public func only(
    where isMeant: (NotificationID, SequenceNumber?) throws -> Bool
  ) rethrows -> Operation {
    guard case .items(let ids) = target else { return self }
    var operation = self
    let left = try ids.filter { try isMeant($0, seenEach?[$0]) }
    operation.target = .items(left)
    guard let seenEach else { return operation }
    let kept = Set(left)
    operation.seenEach = seenEach.filter { kept.contains($0.key) }
    operation.seen = operation.seenEach?.values.max()
    return operation
  }
}

/// What a person means, and the registers that say it.
public enum Verb: Hashable, Sendable {
  case read
  case unread
  /// Opened: handled and read.
  case activate
  /// Out of every tray; history keeps it.
  case dismiss
  /// Back to the tray.
  case restore
  case snooze(until: Timestamp)
  case keep
  case unkeep
  case delete

  /// The mutation that carries the verb out.
  public var mutation: Operation.Mutation {
    switch self {
    case .read: .set(StateChange(readState: .read))
    case .unread: .set(StateChange(readState: .unread))
    case .activate: .set(StateChange(readState: .read, userActionState: .activated))
    case .dismiss: .set(StateChange(userActionState: .dismissed))
    case .restore: .set(StateChange(userActionState: .noInteraction))
    case .snooze(let until): .set(StateChange(userActionState: .snoozed(until: until)))
    case .keep: .set(StateChange(kept: true))
    case .unkeep: .set(StateChange(kept: false))
    case .delete: .delete
    }
  }
}

/// What an operation did to one item.
public enum OperationOutcome: Hashable, Sendable {
  /// The item with its registers set; sequence numbers are the caller's to give.
  case applied(UserNotification)
  /// The item becomes a tombstone.
  case deleted
  /// Every register already has the value: nothing to write.
  case unchanged
  /// Somebody acted, or the publisher replaced the item, since the person saw it.
  case superseded
  /// A snooze would end after the item expires; the latest allowed instant.
  case refused(latest: Timestamp)
}

extension Operation {
  /// What the operation does to `item`, made by `author` at `time` on the store's clock.
  ///
  /// The one definition that both the client's optimism and the store's truth call. It does not
  /// look at ``target``: choosing the items is the caller's part.
  public func apply(
    to item: UserNotification, by author: Author, at time: Timestamp
  ) -> OperationOutcome {
    if !hasSeen(item), !Mutant.unseenIsHandled.isOn { return .superseded }
    switch mutation {
    case .delete:
      return .deleted
    case .set(let change):
      if case .snoozed(let until)? = change.userActionState,
        let expires = change.kept == true ? nil : item.expires, until > expires
      {
        return .refused(latest: expires)
      }
      return set(change, on: item, expecting: expect, by: author, at: time)
    case .restorePrevious:
      guard case .setBy(let operation) = target else { return .unchanged }
      var change = StateChange()
      for register in ItemRegister.all { register.copyPrevious(item.state.registers, &change) }
      if Mutant.undoForgetsKept.isOn { change.kept = nil }
      return set(change, on: item, expecting: operation, by: author, at: time)
    case .configure:
      return .unchanged
    }
  }

  /// What the operation makes of its app's settings; the same of those when it is meant for items.
  ///
  /// The other definition that both the client's optimism and the store's truth call.
  public func apply(to settings: AppSettings) -> AppSettings {
    guard case .configure(let change) = mutation else { return settings }
    return change.applied(to: settings)
  }

  /// Whether the item's content is what the person was shown. It has to be the very same: a restored
  /// store may hold an older one. Of several items without ``seenEach``, none may be newer.
  private func hasSeen(_ item: UserNotification) -> Bool {
    if let seenEach, !Mutant.newestSeenCounts.isOn {
      return item.state.contentSequence == seenEach[item.id]
    }
    guard let seen else { return true }
    return if case .item = target {
      item.state.contentSequence == seen
    } else {
      item.state.contentSequence <= seen
    }
  }

  private func set(
    _ change: StateChange, on item: UserNotification, expecting expected: OperationID?,
    by author: Author, at time: Timestamp
  ) -> OperationOutcome {
    var item = item
    var isChanged = false
    var isBlocked = false
    var choice = change.choice
    if choice != nil {
      // What was chosen is told even where the state stays, and only of what the item carries.
      guard let action = item.action(choice?.id) else { return .superseded }
      choice?.title = action.title
    }
    var change = change
    if Mutant.registersTied.isOn, change.userActionState == .dismissed { change.readState = .read }
    for register in ItemRegister.all where register.isSet(change) {
      if let expected, register.lastChange(item.state.registers)?.operation != expected,
        !Mutant.undoOverrides.isOn
      {
        isBlocked = true
        continue
      }
      let provenance = RegisterChange(
        at: time, by: author, operation: id, choice: register.carriesChoice ? choice : nil)
      if register.set(change, provenance, &item.state.registers) { isChanged = true }
    }
    if isChanged { return .applied(item) }
    return isBlocked ? .superseded : .unchanged
  }

  /// The operation that undoes this one on `item` as it was before; nil for a delete, whose undo
  /// is its grace time (SYNC-8).
  public func undo(id: OperationID, before item: UserNotification) -> Operation? {
    guard case .set(let change) = mutation else { return nil }
    var back = StateChange()
    for register in ItemRegister.all where register.isSet(change) {
      register.copyValue(item.state.registers, &back)
    }
    return Operation(
      id: id, target: .item(item.id), mutation: .set(back), expect: self.id)
  }
}
