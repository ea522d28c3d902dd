import BellhopModel
import BellhopText

extension Command {
  static let undoRules = Command(
    id: "undo-rules", title: "undo rules",
    help: "take back what your rules did to the item, on every device",
    synonyms: ["free of rules", "without rules"], keys: [], places: .items, chapter: .handling,
    changesItems: true,
    disabledReason: { state in
      guard let row = state.activeRow, !row.ruleReversals.isEmpty else {
        return DisabledReason("No rule has changed this item.", .absent)
      }
      return state.reasonAgainstItem
    },
    perform: { state, effects in state.takeBackRules(&effects) })
}

extension InboxState {
  /// Sets the registers that rules have set back to the values of publication.
  ///
  /// Each operation expects the one by which the rules acted, so that what the user has changed since
  /// stays (SYNC-7).
  fileprivate mutating func takeBackRules(_ effects: inout [Effect]) {
    guard let row = subject(), let first = row.ruleReversals.first else { return }
    var back = StateChange()
    var expect = UndoEntry.Expectations(first.operation)
    for reversal in row.ruleReversals {
      expect = expect.setting(reversal.back, by: reversal.operation)
      for register in ItemRegister.all {
        if let value = register.wanted(reversal.back) { _ = register.want(value, &back) }
      }
    }
    let made = back.values(of: row)
    var before = row
    if back.userActionState != nil { before.handled = nil }
    steps.forgetUndone()
    let rules = UndoEntry(
      operations: [], lines: [UndoEntry.Line(before: before, after: row)], count: 1,
      kind: .set(back: back, made: made, expect: expect), change: .withoutRules)
    guard let step = reverseSet(rules, back, made, expect, .empty, &effects) else { return }
    steps.push(step)
    notice = ItemChange.withoutRules.doneNotice(row, in: self)
  }
}
