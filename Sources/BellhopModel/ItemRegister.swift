/// A descriptor of an item's register, for code that treats all registers alike.
///
/// Each field that devices set has one entry in ``all``. Operations, their undo, the wire, the
/// databases, the size of an item and what other programs may see of it all derive from the entry.
package final class ItemRegister: Sendable {
  /// The registers, each spelled like its member of an item. Append new ones at the end.
  package enum ID: String, CaseIterable, Sendable {
    case readState, userActionState
    /// The register `ItemRegisters.pinned`.
    case kept
    case cancelled
    /// The register `ItemRegisters.applied`.
    case applied
  }

  /// The identity, for texts that differ between registers.
  package let id: ID
  /// The member of an item, and of an operation's `set`, with the value.
  package let name: String
  /// The member of an item with the last change: author, time and previous value.
  package let changeName: String
  /// The member with the end of the value; nil if values never end by themselves.
  package let untilName: String?
  /// The words for the values.
  package let words: [String]
  /// The form of the values in JSON and in the databases of stores.
  package let form: RegisterForm
  /// Whether the register stores the user's choice of an action.
  package let carriesChoice: Bool
  /// Whether the value counts only for the occurrence for which it was set.
  package let isPerOccurrence: Bool
  /// Whether the register exists only for an item with a trigger.
  ///
  /// A change of it records the occurrence that the user was shown.
  package let needsTrigger: Bool
  /// Whether a change records the occurrence that the user was shown.
  package var recordsOccurrence: Bool { isPerOccurrence || needsTrigger }

  /// Whether the members are left out of an item whose register has never changed.
  ///
  /// Stores and clients of earlier versions do not write them. In a store's database, the value is then
  /// NULL, which counts as that of publication.
  package let isOptional: Bool

  /// Returns the value.
  package let value: @Sendable (ItemRegisters) -> CodedValue
  /// Returns the value before the last change; nil if the register has never changed.
  package let previous: @Sendable (ItemRegisters) -> CodedValue?
  /// Returns the last change; nil while the value is that of publication.
  package let lastChange: @Sendable (ItemRegisters) -> RegisterChange?
  /// Returns whether both have the same value, regardless of author.
  package let isEqual: @Sendable (ItemRegisters, ItemRegisters) -> Bool
  /// Sets the register's value, previous value and change to stored ones.
  ///
  /// Returns false and does nothing for a value that the register does not have.
  package let load:
    @Sendable (CodedValue, CodedValue?, RegisterChange?, inout ItemRegisters) -> Bool
  /// Sets the register's previous value and change; leaves its value as it is.
  package let loadProvenance: @Sendable (CodedValue?, RegisterChange?, inout ItemRegisters) -> Void

  /// Returns the value that a change sets; nil if it leaves the register unchanged.
  package let wanted: @Sendable (StateChange) -> CodedValue?
  /// Makes a change set the register; returns false and does nothing for an invalid value.
  package let want: @Sendable (CodedValue, inout StateChange) -> Bool
  /// Gives the register the value of publication, without a change.
  let reset: @Sendable (inout ItemRegisters) -> Void
  /// Makes a change leave the register unchanged.
  package let leave: @Sendable (inout StateChange) -> Void
  /// Makes a change set the register to its current value.
  let copyValue: @Sendable (ItemRegisters, inout StateChange) -> Void
  /// Makes a change set the register to its previous value.
  ///
  /// If there is none, the change leaves the register unchanged.
  let copyPrevious: @Sendable (ItemRegisters, inout StateChange) -> Void
  /// Applies a change to the register; returns whether anything changed.
  ///
  /// A choice that this operation has not made before counts as a change. So does a value that a
  /// device has set and a publisher sets again: what a publisher may see depends on its own acts.
  package let set: @Sendable (StateChange, RegisterChange, inout ItemRegisters) -> Bool

  private init<Value: RegisterValue>(
    _ id: ID, _ register: any WritableKeyPath<ItemRegisters, Register<Value>> & Sendable,
    setBy wanted: any WritableKeyPath<StateChange, Value?> & Sendable,
    endsAt untilName: String? = nil,
    carriesChoice: Bool = false, isPerOccurrence: Bool = false, needsTrigger: Bool = false,
    isOptional: Bool = false
  ) {
    self.id = id
    name = id.rawValue
    changeName = id.rawValue + "Change"
    self.untilName = untilName
    words = Value.words
    form = Value.form
    self.carriesChoice = carriesChoice
    self.isPerOccurrence = isPerOccurrence
    self.needsTrigger = needsTrigger
    self.isOptional = isOptional
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
    reset = { $0[keyPath: register] = ItemRegisters()[keyPath: register] }
    leave = { $0[keyPath: wanted] = nil }
    copyValue = { $1[keyPath: wanted] = $0[keyPath: register].value }
    copyPrevious = { $1[keyPath: wanted] = $0[keyPath: register].previous }
    set = { change, provenance, registers in
      guard let new = change[keyPath: wanted] else { return false }
      let old = registers[keyPath: register]
      let isNewChoice = provenance.choice != nil && old.change?.operation != provenance.operation
      let isTakenOver = provenance.by.kind == .publisher && old.change?.by.kind == .device
      guard old.value != new || isNewChoice || isTakenOver else { return false }
      registers[keyPath: register] = old.setting(new, change: provenance)
      return true
    }
  }

  /// All registers of an item, in the order of ``ID``.
  package static let all: [ItemRegister] = ID.allCases.map { id -> ItemRegister in
    switch id {
    case .readState: ItemRegister(id, \.readState, setBy: \.readState, isPerOccurrence: true)
    case .userActionState:
      ItemRegister(
        id, \.userActionState, setBy: \.userActionState, endsAt: "snoozedUntilDateTime",
        carriesChoice: true, isPerOccurrence: true)
    case .kept: ItemRegister(id, \.pinned, setBy: \.pinned)
    case .cancelled:
      ItemRegister(id, \.cancelled, setBy: \.cancelled, needsTrigger: true, isOptional: true)
    case .applied: ItemRegister(id, \.applied, setBy: \.applied, isOptional: true)
    }
  }

  /// Returns whether the register has never changed.
  package func isUntouched(_ registers: ItemRegisters) -> Bool {
    lastChange(registers) == nil && previous(registers) == nil
  }

  /// Returns whether the register has the value of publication, and has never changed.
  package func isInitial(_ registers: ItemRegisters) -> Bool {
    value(registers).code == 0 && isUntouched(registers)
  }

  /// Returns whether a change sets the register.
  package func isSet(_ change: StateChange) -> Bool { wanted(change) != nil }

  /// Returns the value that a word represents; nil for a word of another register.
  package func value(_ word: String, until: Timestamp?) -> CodedValue? {
    words.firstIndex(of: word).map { CodedValue(code: UInt8($0), until: until) }
  }

  /// Returns the word for a value.
  package func word(_ value: CodedValue) -> String { words[Int(value.code)] }

  /// The accepted words, to complete the sentence "expected …".
  package var expectation: String { "one of " + words.joined(separator: ", ") }

  /// Removes the register's previous value and the author and time of its last change.
  package func removeProvenance(_ registers: inout ItemRegisters) {
    loadProvenance(nil, nil, &registers)
  }
}

extension RegisterValue {
  fileprivate init?(_ value: CodedValue) {
    self.init(code: value.code, until: value.until, document: value.document)
  }
}

extension ItemRegisters {
  /// Returns the registers as they count for an occurrence of the item's trigger.
  ///
  /// A register that was set for another occurrence has the value of publication.
  package func counting(for occurrence: Occurrence.Label) -> ItemRegisters {
    var registers = self
    for register in ItemRegister.all
    where register.isPerOccurrence && register.lastChange(self)?.occurrence != occurrence {
      register.reset(&registers)
    }
    return registers
  }

  /// Returns the registers with the same values, set for no occurrence in particular.
  package func withoutOccurrences() -> ItemRegisters {
    var registers = self
    for register in ItemRegister.all {
      guard var change = register.lastChange(self), change.occurrence != nil else { continue }
      change.occurrence = nil
      register.loadProvenance(register.previous(self), change, &registers)
    }
    return registers
  }

  /// Whether no register has changed since publication.
  package var isUntouched: Bool {
    ItemRegister.all.allSatisfy { $0.isUntouched(self) }
  }

  /// Returns whether all values are equal, regardless of author.
  package func haveSameValues(as other: ItemRegisters) -> Bool {
    ItemRegister.all.allSatisfy { $0.isEqual(self, other) }
  }
}

extension ItemState {
  /// The last changes of the registers that have changed.
  package var registerChanges: [RegisterChange] {
    ItemRegister.all.compactMap { $0.lastChange(registers) }
  }

  /// Returns the occurrence for which an operation, the last to do so, set registers.
  func occurrence(setBy operation: OperationID) -> Occurrence.Label? {
    registerChanges.first { $0.operation == operation }?.occurrence
  }

  /// The occurrence that was shown when the trigger was cancelled; nil if it was not.
  var occurrenceAtCancellation: Occurrence.Label? {
    guard cancelled.value, !Mutant.cancelledOccursAgain.isOn else { return nil }
    return cancelled.change?.occurrence
  }

  /// Returns whether an operation was the last to set one of the registers.
  package func isSet(by operation: OperationID) -> Bool {
    ItemRegister.all.contains { $0.lastChange(registers)?.operation == operation }
  }
}
