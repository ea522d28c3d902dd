/// A register of an item, for code that treats all registers alike.
///
/// A field that devices set is one entry of ``all``. Operations, their undo, the wire, the databases,
/// the size of an item and what other programs may see of it follow from the entry.
package final class ItemRegister: Sendable {
  /// The member of an item, and of an operation's `set`, that has the value.
  package let name: String
  /// The member of an item that says who set it, when, and what it was before.
  package let changeName: String
  /// The member that has the time at which the value ends; nil where no value ends by itself.
  package let untilName: String?
  /// The words for the values.
  package let words: [String]
  /// Whether the value is `true` or `false` in JSON, instead of a word.
  package let isFlag: Bool
  /// Whether an action of the item that was chosen is kept with this register.
  package let carriesChoice: Bool

  /// Returns the value.
  package let value: @Sendable (ItemRegisters) -> CodedValue
  /// Returns the value before the last change; nil while the register was never changed.
  package let previous: @Sendable (ItemRegisters) -> CodedValue?
  /// Returns the last change; nil while the value is the one of publication.
  package let lastChange: @Sendable (ItemRegisters) -> RegisterChange?
  /// Returns whether both have the same value, regardless of who set it.
  package let isEqual: @Sendable (ItemRegisters, ItemRegisters) -> Bool
  /// Gives the register the value, the previous value and the change that were written down; false,
  /// and nothing done, for a value that the register does not have.
  package let load:
    @Sendable (CodedValue, CodedValue?, RegisterChange?, inout ItemRegisters) -> Bool
  /// Gives the register a previous value and a change, and leaves its value as it is.
  package let loadProvenance: @Sendable (CodedValue?, RegisterChange?, inout ItemRegisters) -> Void

  /// Returns the value that a change sets; nil where it leaves the register alone.
  package let wanted: @Sendable (StateChange) -> CodedValue?
  /// Makes a change set the register; false, and nothing done, for a value that it does not have.
  package let want: @Sendable (CodedValue, inout StateChange) -> Bool
  /// Makes a change leave the register alone.
  package let leave: @Sendable (inout StateChange) -> Void
  /// Makes a change set the register to the value that it has.
  let copyValue: @Sendable (ItemRegisters, inout StateChange) -> Void
  /// Makes a change set the register to its previous value; leaves it alone where it has none.
  let copyPrevious: @Sendable (ItemRegisters, inout StateChange) -> Void
  /// Carries out a change that sets the register, and returns whether that changed anything. A choice
  /// that this operation has not made before counts as a change.
  let set: @Sendable (StateChange, RegisterChange, inout ItemRegisters) -> Bool

  private init<Value: RegisterValue>(
    _ name: String, _ register: any WritableKeyPath<ItemRegisters, Register<Value>> & Sendable,
    setBy wanted: any WritableKeyPath<StateChange, Value?> & Sendable,
    endsAt untilName: String? = nil,
    carriesChoice: Bool = false
  ) {
    self.name = name
    changeName = name + "Change"
    self.untilName = untilName
    words = Value.words
    isFlag = Value.self == Bool.self
    self.carriesChoice = carriesChoice
    value = { CodedValue($0[keyPath: register].value) }
    previous = { $0[keyPath: register].previous.map { CodedValue($0) } }
    lastChange = { $0[keyPath: register].change }
    isEqual = { $0[keyPath: register].value == $1[keyPath: register].value }
    load = { value, previous, change, registers in
      guard let value = Value(value) else { return false }
      registers[keyPath: register] = Register(
        value, previous: previous.flatMap { Value($0) }, change: change)
      return true
    }
    loadProvenance = { previous, change, registers in
      registers[keyPath: register].previous = previous.flatMap { Value($0) }
      registers[keyPath: register].change = change
    }
    self.wanted = { $0[keyPath: wanted].map { CodedValue($0) } }
    want = { value, change in
      guard let value = Value(value) else { return false }
      change[keyPath: wanted] = value
      return true
    }
    leave = { $0[keyPath: wanted] = nil }
    copyValue = { $1[keyPath: wanted] = $0[keyPath: register].value }
    copyPrevious = { $1[keyPath: wanted] = $0[keyPath: register].previous }
    set = { change, provenance, registers in
      guard let new = change[keyPath: wanted] else { return false }
      let old = registers[keyPath: register]
      let isNewChoice = provenance.choice != nil && old.change?.operation != provenance.operation
      guard old.value != new || isNewChoice else { return false }
      registers[keyPath: register] = old.setting(new, change: provenance)
      return true
    }
  }

  /// All registers of an item. A new one comes at the end.
  package static let all = [
    ItemRegister("readState", \.readState, setBy: \.readState),
    ItemRegister(
      "userActionState", \.userActionState, setBy: \.userActionState,
      endsAt: "snoozedUntilDateTime", carriesChoice: true),
    ItemRegister("kept", \.kept, setBy: \.kept),
  ]

  /// Whether a change sets the register.
  package func isSet(_ change: StateChange) -> Bool { wanted(change) != nil }

  /// The value that a word stands for; nil for one of another register.
  package func value(_ word: String, until: Timestamp?) -> CodedValue? {
    words.firstIndex(of: word).map { CodedValue(code: UInt8($0), until: until) }
  }

  /// The word for a value.
  package func word(_ value: CodedValue) -> String { words[Int(value.code)] }

  /// The words in a sentence that says what was expected.
  package var expectation: String { "one of " + words.joined(separator: ", ") }

  /// Removes the register's previous value, and by whom and when it was changed.
  package func removeProvenance(_ registers: inout ItemRegisters) {
    loadProvenance(nil, nil, &registers)
  }
}

extension CodedValue {
  fileprivate init(_ value: some RegisterValue) {
    self.init(code: value.code, until: value.until)
  }
}

extension RegisterValue {
  fileprivate init?(_ value: CodedValue) { self.init(code: value.code, until: value.until) }
}

extension ItemRegisters {
  /// Whether nothing was changed since the publication.
  package var isUntouched: Bool {
    ItemRegister.all.allSatisfy { $0.lastChange(self) == nil && $0.previous(self) == nil }
  }

  /// Whether all values are the same, regardless of who set them.
  package func haveSameValues(as other: ItemRegisters) -> Bool {
    ItemRegister.all.allSatisfy { $0.isEqual(self, other) }
  }
}

extension ItemState {
  /// The last changes of the registers that were changed.
  package var registerChanges: [RegisterChange] {
    ItemRegister.all.compactMap { $0.lastChange(registers) }
  }

  /// Whether an operation was the last to set one of the registers.
  package func isSet(by operation: OperationID) -> Bool {
    ItemRegister.all.contains { $0.lastChange(registers)?.operation == operation }
  }
}
