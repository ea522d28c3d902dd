/// The registers that one operation of rules has set last, with the values that take that back.
package struct RuleReversal: Hashable, Sendable {
  /// The operation, which an undo has to expect (SYNC-7).
  package var operation: OperationID
  /// The registers with the values of publication.
  package var back: StateChange

  package init(operation: OperationID, back: StateChange) {
    self.operation = operation
    self.back = back
  }
}

extension ItemRegisters {
  /// The reversals of changes by rules: one for each operation that set registers last.
  ///
  /// These are the rules that acted at a publication, and the effect of those that the user applied as
  /// a device. Registers that have the values of publication are left out.
  package var ruleReversals: [RuleReversal] {
    let published = ItemRegisters()
    let appliedByUser = applied.value.rules.isEmpty ? nil : applied.change?.operation
    var reversals: [RuleReversal] = []
    for register in ItemRegister.all {
      guard let last = register.lastChange(self), let operation = last.operation,
        last.by.kind == .rule || operation == appliedByUser, !register.isEqual(self, published)
      else { continue }
      let index = reversals.firstIndex { $0.operation == operation } ?? reversals.endIndex
      if index == reversals.endIndex {
        reversals.append(RuleReversal(operation: operation, back: StateChange()))
      }
      register.copyValue(published, &reversals[index].back)
    }
    return reversals
  }
}
