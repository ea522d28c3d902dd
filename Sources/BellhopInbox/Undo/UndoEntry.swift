import BellhopModel

/// One step that `u` takes back, or that `Ctrl-r` does again: both are made of the same, because
/// every undo is an ordinary change (SYNC-7) with an undo of its own.
struct UndoEntry: Sendable {
  /// An operation that was made.
  struct Done: Hashable, Sendable {
    var account: AccountName
    var operation: OperationID
  }

  /// The operation that set each register last: what an undo has to expect (SYNC-7). After
  /// a later step on the same item was taken back, that is the undo itself.
  struct Expectations: Sendable {
    /// In the order of `ItemRegister.all`.
    private(set) var operations: [OperationID]

    /// All registers were set by the same operation.
    init(_ operation: OperationID) {
      operations = ItemRegister.all.map { _ in operation }
    }

    /// The same after another operation has set the registers of a change.
    func setting(_ change: StateChange, by operation: OperationID) -> Expectations {
      var expect = self
      for (index, register) in ItemRegister.all.enumerated() where register.isSet(change) {
        expect.operations[index] = operation
      }
      return expect
    }
  }

  enum Kind: Sendable {
    /// One item's registers go back to what they were before they were `made` so.
    case set(back: StateChange, made: StateChange, expect: Expectations)
    /// Every register that the operations set gets back its previous value (SYNC-10); the counts
    /// are what that does where the items are not known.
    case many(InboxCounts)
    /// A delete can be taken back until it is sealed.
    case deleteMany(until: Timestamp)
    /// A delete that was taken back, to be made again.
    case deleteAgain
    /// An app's settings go back to what they were before they were `made` so.
    case settings(AppKey, back: AppSettingsChange, made: AppSettingsChange)
  }

  /// An item's line before the change, and after it.
  struct Line: Sendable {
    var before: RowSummary
    var after: RowSummary
  }

  var operations: [Done]
  /// None for a whole list.
  var lines: [Line]
  /// How many items it was.
  var count: Int
  var kind: Kind
  /// Of many items, those that a later step has set and given back: what set them last is that one.
  var since: [ItemKey: Expectations] = [:]
  /// The action that was chosen by it, which is told again when it is done again.
  var choice: ActionChoice?
  /// Where the row of a group stood that was handled: the cursor comes back to it.
  var place: RowPosition?
  /// Of a whole list, what was meant, to be shown at once when it is done again.
  var whole: PendingBulk?
  /// What was done, for the line that says it is undone.
  var change: ItemChange

  /// The registers to set back, apart by the operation that each expects.
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

  /// Notes that `operation` has set the registers of `change` on the item since.
  mutating func expect(_ operation: OperationID, after change: StateChange, on key: ItemKey) {
    guard lines.contains(where: { $0.before.key == key }) else { return }
    switch kind {
    case .set(let back, let made, let expect):
      kind = .set(back: back, made: made, expect: expect.setting(change, by: operation))
    case .many:
      let known = since[key] ?? self.operation(of: key.account).map { Expectations($0) }
      since[key] = known?.setting(change, by: operation)
    case .deleteMany, .deleteAgain, .settings: break
    }
  }

  /// Of the operations that were foreseen for a whole list, those that were made.
  mutating func keep(_ performed: [OperationID]) {
    guard whole != nil else { return }
    let made = operations.filter { performed.contains($0.operation) }
    guard let account = made.first?.account else { return }
    operations.removeAll { $0.account == account && !performed.contains($0.operation) }
  }

  /// The operation on the items of an account; nil where it has none.
  func operation(of account: AccountName) -> OperationID? {
    operations.first { $0.account == account }?.operation
  }
}

extension StateChange {
  /// The registers that it names, as they are in the line.
  func values(of row: RowSummary) -> StateChange {
    row.registers.only { $0.isSet(self) }
  }

  /// Only the registers that are in the line as `made` made them: somebody has acted on the others.
  func untouched(since made: StateChange, in row: RowSummary) -> StateChange {
    only { register in
      // A snooze that was put off is still that snooze.
      guard let value = register.wanted(made) else { return true }
      return value.code == register.wanted(row.registers)?.code
    }
  }

  /// The registers that differ from the line, without the action that was chosen.
  func without(valuesOf row: RowSummary) -> StateChange {
    var change = only { $0.wanted(self) != $0.wanted(row.registers) }
    change.choice = nil
    return change
  }

  /// The registers that the closure accepts.
  private func only(_ isMeant: (ItemRegister) -> Bool) -> StateChange {
    var change = self
    for register in ItemRegister.all where !isMeant(register) { register.leave(&change) }
    return change
  }
}
