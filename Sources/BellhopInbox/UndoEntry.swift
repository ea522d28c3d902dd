import BellhopModel

/// One step that `u` takes back.
struct UndoEntry: Sendable {
  /// The operation that set each register last: what an undo has to expect (SYNC rule 7). After
  /// a later step on the same item was taken back, that is the undo itself.
  struct Expectations: Sendable {
    var readState: OperationID
    var action: OperationID
    var kept: OperationID
  }

  enum Kind: Sendable {
    case set(back: StateChange, expect: Expectations)
    /// A delete can be taken back until it is sealed.
    case delete(until: Timestamp)
  }

  var operation: OperationID
  var key: ItemKey
  var kind: Kind
  /// The line before the change.
  var before: RowSummary
  /// What was done, for the line that says it is undone.
  var verb: Verb

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
    guard key == self.key, case .set(let back, var expect) = kind else { return }
    if change.readState != nil { expect.readState = operation }
    if change.userActionState != nil { expect.action = operation }
    if change.kept != nil { expect.kept = operation }
    kind = .set(back: back, expect: expect)
  }
}
