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
    var readState: OperationID
    var action: OperationID
    var kept: OperationID
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
    func add(_ operation: OperationID, _ set: (inout StateChange) -> Void) {
      if let index = parts.firstIndex(where: { $0.expect == operation }) {
        set(&parts[index].change)
      } else {
        var change = StateChange()
        set(&change)
        parts.append((operation, change))
      }
    }
    if let value = back.readState { add(expect.readState) { $0.readState = value } }
    if let value = back.userActionState { add(expect.action) { $0.userActionState = value } }
    if let value = back.kept { add(expect.kept) { $0.kept = value } }
    return parts
  }

  /// Notes that `operation` has set the registers of `change` on the item since.
  mutating func expect(_ operation: OperationID, after change: StateChange, on key: ItemKey) {
    guard lines.contains(where: { $0.before.key == key }) else { return }
    switch kind {
    case .set(let back, let made, let expect):
      kind = .set(back: back, made: made, expect: expect.setting(change, by: operation))
    case .many:
      guard let known = since[key] ?? expectations(of: key.account) else { return }
      since[key] = known.setting(change, by: operation)
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

  /// What set the registers of every item of the account that nobody has set since.
  func expectations(of account: AccountName) -> Expectations? {
    operations.first { $0.account == account }.map { made in
      Expectations(
        readState: made.operation, action: made.operation, kept: made.operation)
    }
  }
}

extension UndoEntry.Expectations {
  func setting(_ change: StateChange, by operation: OperationID) -> UndoEntry.Expectations {
    var expect = self
    if change.readState != nil { expect.readState = operation }
    if change.userActionState != nil { expect.action = operation }
    if change.kept != nil { expect.kept = operation }
    return expect
  }
}

extension StateChange {
  /// The registers that it names, as they are in the line.
  func values(of row: RowSummary) -> StateChange {
    StateChange(
      readState: readState == nil ? nil : row.readState,
      userActionState: userActionState == nil ? nil : row.action,
      kept: kept == nil ? nil : row.isKept)
  }

  /// Only the registers that are in the line as `made` made them: somebody has acted on the others.
  func untouched(since made: StateChange, in row: RowSummary) -> StateChange {
    var change = self
    if let value = made.readState, value != row.readState { change.readState = nil }
    if let value = made.userActionState, value.kind != row.action.kind {
      change.userActionState = nil
    }
    if let value = made.kept, value != row.isKept { change.kept = nil }
    return change
  }
}
