import BellhopModel

/// A register of an item as the judge knows it.
///
/// The list is the judge's own, beside `ItemRegister.all` of the code it judges: a register that is
/// missing there would otherwise be missed by both.
struct PlainRegister: Sendable {
  enum Outcome { case changed, blocked, nothing }

  /// Carries out what a change says of the register. With a guardian, only where that operation set
  /// the register last.
  let set:
    @Sendable (StateChange, inout UserNotification, _ guardian: OperationID?, OperationID) ->
      Outcome
  /// Makes a change set the register back to its previous value.
  let takeBack: @Sendable (ItemState, inout StateChange) -> Void
  /// Returns the operation that set the register last.
  let operation: @Sendable (ItemState) -> OperationID?
  /// Returns whether both states have the same value, regardless of who set it.
  let isEqual: @Sendable (ItemState, ItemState) -> Bool
  /// Returns whether both states agree in everything that operations decide.
  let isSame: @Sendable (ItemState, ItemState) -> Bool

  private init<Value>(
    _ register: any WritableKeyPath<ItemState, Register<Value>> & Sendable,
    _ wanted: any WritableKeyPath<StateChange, Value?> & Sendable, hasChoice: Bool = false
  ) {
    set = { change, item, guardian, operation in
      guard let value = change[keyPath: wanted] else { return .nothing }
      let choice = hasChoice ? change.choice : nil
      let old = item.state[keyPath: register]
      if let guardian, old.change?.operation != guardian { return .blocked }
      if old.value == value, choice == nil || old.change?.operation == operation {
        return .nothing
      }
      var new = Register(value)
      new.previous = old.value
      new.change = RegisterChange(
        at: .distantPast, by: Author(kind: .device, id: "", name: ""), operation: operation,
        choice: choice)
      item.state[keyPath: register] = new
      return .changed
    }
    takeBack = { $1[keyPath: wanted] = $0[keyPath: register].previous }
    operation = { $0[keyPath: register].change?.operation }
    isEqual = { $0[keyPath: register].value == $1[keyPath: register].value }
    isSame = { left, right in
      let (left, right) = (left[keyPath: register], right[keyPath: register])
      return left.value == right.value && left.previous == right.previous
        && left.change?.operation == right.change?.operation
        && left.change?.choice?.id == right.change?.choice?.id
        && left.change?.choice?.text == right.change?.choice?.text
    }
  }

  static let all = [
    PlainRegister(\.readState, \.readState),
    PlainRegister(\.userActionState, \.userActionState, hasChoice: true),
    PlainRegister(\.kept, \.kept),
  ]
}
