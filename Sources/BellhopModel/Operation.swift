/// The registers that an operation sets; nil leaves a register unchanged.
public struct StateChange: Hashable, Sendable {
  public var readState: ReadState?
  public var userActionState: UserActionState?
  public var pinned: Bool?
  /// The action of the item that the user chose.
  ///
  /// Only with ``userActionState`` activated or dismissed, and with ``Operation/Target/item(_:)``.
  public var choice: ActionChoice?

  public init(
    readState: ReadState? = nil, userActionState: UserActionState? = nil, pinned: Bool? = nil,
    choice: ActionChoice? = nil
  ) {
    self.readState = readState
    self.userActionState = userActionState
    self.pinned = pinned
    self.choice = choice
  }

  /// Whether no register is set. A choice alone does not count: it belongs to a register.
  public var isEmpty: Bool { !ItemRegister.all.contains { $0.isSet(self) } }
}

/// A closed set of conditions on item fields and absolute times, for bulk operations (SYNC-10).
///
/// Every part that is set must be true.
public struct Predicate: Hashable, Sendable, Codable {
  public var app: String?
  public var group: String?
  public var readState: ReadState?
  public var userActionState: UserActionState.Kind?
  public var minimumPriority: Priority?
  /// The item arrived before this instant.
  public var arrivedBefore: Timestamp?
  /// The item arrived at this instant or later.
  public var arrivedSince: Timestamp?

  public init() {}

  /// The equivalent condition; without parts, every item meets it.
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

  /// Returns whether the item meets every part.
  public func matches(_ item: UserNotification) -> Bool { condition.matches(item) }
}

/// A change that a device requests, numbered per device when it is sealed (SYNC-9).
///
/// Operations are absolute, never toggles: applying one twice has the same effect as applying it
/// once. The coded form is that of the store's `operations` call.
public struct Operation: Hashable, Sendable, Identifiable {
  /// The items or the app that an operation changes.
  public enum Target: Hashable, Sendable {
    case item(NotificationID)
    /// The items with these ids, at most 1,000.
    case items([NotificationID])
    /// The items that meet the predicate and whose content is not newer than the sequence.
    case matching(Predicate, through: SequenceNumber)
    /// Every register that this operation set: the target of a bulk operation's undo.
    case setBy(OperationID)
    /// The settings of the app with this name or alias.
    case app(String)
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
  }

  public let id: OperationID
  public var target: Target
  public var mutation: Mutation
  /// The content sequence of the item that the user was shown.
  ///
  /// An item replaced since then does not change (SYNC-6). With ``Target/item(_:)``, neither does
  /// an item that a restored store holds with older content. For several items it is the newest
  /// sequence, for stores that do not know ``seenEach``.
  public var seen: SequenceNumber?
  /// The content sequence that the user was shown for each item of a ``Target/items(_:)``.
  ///
  /// An item with any other content does not change. Nil from clients that send only the newest
  /// sequence.
  public var seenEach: [NotificationID: SequenceNumber]?
  /// The operation to undo; only registers that it set last are changed (SYNC-7).
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

  /// The ids in the target; empty for bulk targets and settings.
  public var notificationIDs: [NotificationID] {
    switch target {
    case .item(let id): [id]
    case .items(let ids): ids
    case .matching, .setBy, .app: []
    }
  }

  /// Whether the target selects items by a condition instead of naming them.
  package var isBulk: Bool {
    switch target {
    case .item, .items, .app: false
    case .matching, .setBy: true
    }
  }

  /// Returns whether a bulk operation selects the item as it is; false for all other operations.
  package func means(_ item: UserNotification) -> Bool {
    switch target {
    case .item, .items, .app: return false
    case .matching(let predicate, let through):
      return item.state.contentSequence <= through && predicate.matches(item)
    case .setBy(let other):
      return item.state.isSet(by: other)
    }
  }

  /// The app whose settings the operation changes; nil for an operation on items.
  public var app: String? { if case .app(let name) = target { name } else { nil } }
}

extension Operation {
  /// Creates an operation on several items as the user was shown them.
  ///
  /// An item changes only while it has that content.
  ///
  /// - Parameter shown: The items in order, with their content sequences; at most 1,000.
  public init(
    id: OperationID, onShown shown: [(id: NotificationID, content: SequenceNumber)],
    mutation: Mutation
  ) {
    self.init(
      id: id, target: .items(shown.map(\.id)), mutation: mutation,
      seen: shown.map(\.content).max())
    seenEach = Dictionary(shown.map { ($0.id, $0.content) }, uniquingKeysWith: { $1 })
  }

  /// Returns the same operation, limited to those of its named items that `isMeant` accepts.
  ///
  /// - Parameter isMeant: Receives an item's id and the content sequence that the user was shown,
  ///   if the operation has one.
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

/// A command of a user on an item, such as dismissing it.
public enum ItemCommand: Hashable, Sendable {
  case read
  case unread
  /// Marks the item as activated and read.
  case activate
  /// Removes the item from every tray; it stays in the history.
  case dismiss
  /// Returns the item to the tray.
  case restore
  case snooze(until: Timestamp)
  case pin
  case unpin
  case delete

  /// The mutation that performs the command.
  public var mutation: Operation.Mutation {
    switch self {
    case .read: .set(StateChange(readState: .read))
    case .unread: .set(StateChange(readState: .unread))
    case .activate: .set(StateChange(readState: .read, userActionState: .activated))
    case .dismiss: .set(StateChange(userActionState: .dismissed))
    case .restore: .set(StateChange(userActionState: .noInteraction))
    case .snooze(let until): .set(StateChange(userActionState: .snoozed(until: until)))
    case .pin: .set(StateChange(pinned: true))
    case .unpin: .set(StateChange(pinned: false))
    case .delete: .delete
    }
  }
}

/// The effect of an operation on one item.
public enum OperationOutcome: Hashable, Sendable {
  /// The item with its registers set; the caller assigns the sequence numbers.
  case applied(UserNotification)
  /// The item becomes a tombstone.
  case deleted
  /// Every register already has the value; there is nothing to write.
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
  ///   - author: The device or publisher that makes the change.
  ///   - time: The time of the change on the store's clock.
  public func apply(
    to item: UserNotification, by author: Author, at time: Timestamp
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
      return set(change, on: item, expecting: expect, by: author, at: time)
    case .restorePrevious:
      guard case .setBy(let operation) = target else { return .unchanged }
      var change = StateChange()
      for register in ItemRegister.all { register.copyPrevious(item.state.registers, &change) }
      if Mutant.undoForgetsPin.isOn { change.pinned = nil }
      return set(change, on: item, expecting: operation, by: author, at: time)
    case .configure:
      return .unchanged
    }
  }

  /// Applies the operation to an app's settings; an operation on items leaves them unchanged.
  ///
  /// The client's optimistic update and the store's commit both use this definition.
  public func apply(to settings: AppSettings) -> AppSettings {
    guard case .configure(let change) = mutation else { return settings }
    return change.applied(to: settings)
  }

  /// Returns whether the item has the content that the user was shown.
  ///
  /// For one item, and with ``seenEach``, the content must be the same: a restored store may hold
  /// an older one. For several items without ``seenEach``, it must not be newer.
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
      // A choice is recorded even if the state does not change, but only for an action of the item.
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

  /// Returns the operation that undoes this one on an item.
  ///
  /// Nil for a delete, which is undone within its grace period (SYNC-8).
  ///
  /// - Parameter item: The item as it was before this operation.
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
