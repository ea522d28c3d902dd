package import BellhopModel

/// States in which every register has each of its values, set once by a device, once by a publisher
/// and once by a rule.
package enum RegisterSamples {
  package static func states(_ sequence: SequenceNumber, at time: Timestamp) -> [ItemState] {
    let authors = [
      Author(kind: .device, id: "laptop", name: "the laptop"),
      Author(kind: .publisher, id: "ci.example.com", name: "CI"),
      Author(
        rule: RuleMark(
          id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "passed ✓")),
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
          func value(_ code: Int) -> CodedValue {
            let ends =
              register.load(
                CodedValue(code: UInt8(code)), nil, nil, &state.registers) == false
            return CodedValue(
              code: UInt8(code), until: ends ? time.advanced(by: .seconds(60)) : nil)
          }
          let previous = value(register.words.count - 1 - code)
          precondition(register.load(value(code), previous, change, &state.registers))
          states.append(state)
        }
      }
    }
    return states
  }
}
