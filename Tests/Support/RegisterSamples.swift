package import BellhopModel

/// States in which every register has each of its values, set once by each kind of author.
package enum RegisterSamples {
  private static let rule = RuleMark(
    id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "passed ✓")

  /// An effect of rules with every part, which a device may set.
  package static let effect: AppliedEffect = {
    var effect = AppliedEffect()
    effect.level = .low
    effect.group = "builds ✓"
    effect.app = "noise.example.com"
    effect.tags = ["ci", "\"quoted\" / ü"]
    effect.isSilent = true
    effect.rules = [
      AppliedEffect.Contribution(rule: rule, parts: AppliedEffect.Part.allCases)
    ]
    effect.exhausted = [rule]
    return effect
  }()

  /// Returns the value of a register with this code.
  ///
  /// - Parameter end: The time at which a value ends that must end.
  package static func value(
    _ code: Int, of register: ItemRegister, end: Timestamp
  ) -> CodedValue {
    if register.form == .document {
      return CodedValue(document: code == 0 ? .empty : effect)
    }
    let value = CodedValue(code: UInt8(code))
    var change = StateChange()
    return register.want(value, &change) ? value : CodedValue(code: UInt8(code), until: end)
  }

  package static func states(_ sequence: SequenceNumber, at time: Timestamp) -> [ItemState] {
    let authors = [
      Author(kind: .device, id: "laptop", name: "the laptop"),
      Author(kind: .publisher, id: "ci.example.com", name: "CI"),
      Author(rule: rule),
    ]
    var states: [ItemState] = []
    for (index, register) in ItemRegister.all.enumerated() {
      for code in register.words.indices {
        for (number, author) in authors.enumerated() {
          var state = ItemState(sequence: sequence, contentSequence: sequence, changed: time)
          var change = RegisterChange(
            at: time.advanced(by: .milliseconds(Int64(code) + 1)), by: author,
            operation: author.kind == .publisher
              ? nil
              : OperationID(
                high: UInt64(index) + 1, low: UInt64(code * authors.count + number) + 1))
          if register.carriesChoice, number == 0 {
            change.choice = ActionChoice(id: "rerun", title: "Rerun ✓", text: "now")
          }
          let end = time.advanced(by: .seconds(60))
          let value = Self.value(code, of: register, end: end)
          let previous = Self.value(register.words.count - 1 - code, of: register, end: end)
          precondition(register.load(value, previous, change, &state.registers))
          states.append(state)
        }
      }
    }
    return states
  }
}
