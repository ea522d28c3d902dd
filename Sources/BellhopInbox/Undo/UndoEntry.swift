import BellhopModel

/// One step that `u` undoes or `Ctrl-r` redoes.
///
/// Both use the same type, because every undo is an ordinary change (SYNC-7) with its own undo.
struct UndoEntry: Sendable {
  /// An operation that was made.
  struct Done: Hashable, Sendable {
    var account: AccountName
    var operation: OperationID
  }

  /// The operation that last set each register, which an undo has to expect (SYNC-7).
  ///
  /// After a later step on the same item was undone, that is the undo itself.
  struct Expectations: Sendable {
    /// The operations in the order of `ItemRegister.all`.
    private(set) var operations: [OperationID]

    /// Creates expectations for registers that were all set by the same operation.
    init(_ operation: OperationID) {
      operations = ItemRegister.all.map { _ in operation }
    }

    /// Returns the expectations after another operation has set the registers of a change.
    func setting(_ change: StateChange, by operation: OperationID) -> Expectations {
      var expect = self
      for (index, register) in ItemRegister.all.enumerated() where register.isSet(change) {
        expect.operations[index] = operation
      }
      return expect
    }
  }

  enum Kind: Sendable {
    /// Restores one item's registers to the values before they were set to `made`.
    case set(back: StateChange, made: StateChange, expect: Expectations)
    /// Restores the previous value of every register that the operations set (SYNC-10).
    ///
    /// The counts are the effect on items that are not known.
    case many(InboxCounts)
    /// Undoes a delete, which is possible until it is sealed.
    case deleteMany(until: Timestamp)
    /// Repeats a delete that was undone.
    case deleteAgain
    /// Restores an app's settings to the values before they were set to `made`.
    case settings(AppKey, back: AppSettingsChange, made: AppSettingsChange)
    /// Gives the item the schedule that it had before `made` was set.
    case schedule(ItemKey, back: Schedule, made: Schedule)
  }

  /// The rows of an item before and after the change.
  struct Line: Sendable {
    var before: RowSummary
    var after: RowSummary
  }

  var operations: [Done]
  /// The rows of the items; empty for a whole list.
  var lines: [Line]
  /// The number of items.
  var count: Int
  var kind: Kind
  /// The expectations for items that a later step changed and restored; that step set them last.
  var since: [ItemKey: Expectations] = [:]
  /// The action that the user chose, to be recorded again by a redo.
  var choice: ActionChoice?
  /// The position of a handled group's row, to which the cursor returns.
  var place: RowPosition?
  /// The change of a whole list, to be shown immediately by a redo.
  var whole: PendingBulk?
  /// The change, for the notice about its undo.
  var change: ItemChange

  /// Divides the registers to restore by the operation that each of them expects.
  static func parts(
    _ back: StateChange, _ expect: Expectations
  ) -> [(expect: OperationID, change: StateChange)] {
    var parts: [(expect: OperationID, change: StateChange)] = []
    for (register, operation) in zip(ItemRegister.all, expect.operations) {
      guard let value = register.wanted(back) else { continue }
      let index = parts.firstIndex { $0.expect == operation } ?? parts.endIndex
      if index == parts.endIndex { parts.append((operation, StateChange())) }
      _ = register.want(value, &parts[index].change)
    }
    return parts
  }

  /// Records that `operation` has since set the registers of `change` on the item.
  mutating func expect(_ operation: OperationID, after change: StateChange, on key: ItemKey) {
    guard lines.contains(where: { $0.before.key == key }) else { return }
    switch kind {
    case .set(let back, let made, let expect):
      kind = .set(back: back, made: made, expect: expect.setting(change, by: operation))
    case .many:
      let known = since[key] ?? self.operation(of: key.account).map { Expectations($0) }
      since[key] = known?.setting(change, by: operation)
    case .deleteMany, .deleteAgain, .settings, .schedule: break
    }
  }

  /// Keeps those of a whole list's planned operations that were made.
  mutating func keep(_ performed: [OperationID]) {
    guard whole != nil else { return }
    let made = operations.filter { performed.contains($0.operation) }
    guard let account = made.first?.account else { return }
    operations.removeAll { $0.account == account && !performed.contains($0.operation) }
  }

  /// Returns the operation on the items of an account; nil if there is none.
  func operation(of account: AccountName) -> OperationID? {
    operations.first { $0.account == account }?.operation
  }
}

extension StateChange {
  /// Returns the row's values of the registers that the change contains.
  func values(of row: RowSummary) -> StateChange {
    row.registers.only { $0.isSet(self) }
  }

  /// Keeps only the registers whose values in the row are still those of `made`.
  ///
  /// The others have changed since.
  func untouched(since made: StateChange, in row: RowSummary) -> StateChange {
    only { register in
      // A postponed snooze counts as the same snooze.
      guard let value = register.wanted(made) else { return true }
      return value.code == register.wanted(row.registers)?.code
    }
  }

  /// Keeps only the registers that differ from the row, without the chosen action.
  func without(valuesOf row: RowSummary) -> StateChange {
    var change = only { $0.wanted(self) != $0.wanted(row.registers) }
    change.choice = nil
    return change
  }

  /// Keeps only the registers that the closure accepts.
  private func only(_ isMeant: (ItemRegister) -> Bool) -> StateChange {
    var change = self
    for register in ItemRegister.all where !isMeant(register) { register.leave(&change) }
    return change
  }
}
