/// A register of an item, for code that treats all registers alike.
///
/// A field that devices set is one entry of ``all``. Operations, their undo, the size of an item and
/// what other programs may see of it follow from the entry.
package struct ItemRegister: Sendable {
  /// Returns the register's last change; nil while the value is the one of publication.
  package let lastChange: @Sendable (ItemState) -> RegisterChange?
  /// Removes the register's previous value, and by whom and when it was changed.
  package let removeProvenance: @Sendable (inout ItemState) -> Void
  /// Returns whether a change sets the register.
  let isSet: @Sendable (StateChange) -> Bool
  /// Makes a change set the register to the value that it has.
  let copyValue: @Sendable (ItemState, inout StateChange) -> Void
  /// Makes a change set the register to its previous value; leaves it alone where it has none.
  let copyPrevious: @Sendable (ItemState, inout StateChange) -> Void
  /// Carries out a change that sets the register, and returns whether that changed anything. A choice
  /// that this operation has not made before counts as a change.
  let set: @Sendable (StateChange, RegisterChange, inout ItemState) -> Bool
  /// Whether an action of the item that was chosen is kept with this register.
  let carriesChoice: Bool

  private init<Value>(
    _ register: any WritableKeyPath<ItemState, Register<Value>> & Sendable,
    setBy value: any WritableKeyPath<StateChange, Value?> & Sendable, carriesChoice: Bool = false
  ) {
    lastChange = { $0[keyPath: register].change }
    removeProvenance = { $0[keyPath: register] = Register($0[keyPath: register].value) }
    isSet = { $0[keyPath: value] != nil }
    copyValue = { $1[keyPath: value] = $0[keyPath: register].value }
    copyPrevious = { $1[keyPath: value] = $0[keyPath: register].previous }
    set = { change, provenance, state in
      guard let new = change[keyPath: value] else { return false }
      let old = state[keyPath: register]
      let isNewChoice = provenance.choice != nil && old.change?.operation != provenance.operation
      guard old.value != new || isNewChoice else { return false }
      state[keyPath: register] = old.setting(new, change: provenance)
      return true
    }
    self.carriesChoice = carriesChoice
  }

  /// All registers of an item.
  package static let all = [
    ItemRegister(\.readState, setBy: \.readState),
    ItemRegister(\.userActionState, setBy: \.userActionState, carriesChoice: true),
    ItemRegister(\.kept, setBy: \.kept),
  ]
}

extension ItemState {
  /// The last changes of the registers that were changed.
  package var registerChanges: [RegisterChange] {
    ItemRegister.all.compactMap { $0.lastChange(self) }
  }

  /// Whether an operation was the last to set one of the registers.
  package func isSet(by operation: OperationID) -> Bool {
    ItemRegister.all.contains { $0.lastChange(self)?.operation == operation }
  }
}
