import BellhopModel

/// A register of an item, for the judge.
///
/// The list is independent of `ItemRegister.all` in the code under test: otherwise both would miss
/// a register that is missing there.
struct PlainRegister: Sendable {
  enum Outcome { case changed, blocked, nothing }

  /// The name in descriptions of violations.
  let name: String
  /// Whether the value counts for one delivery of the item, so that a publication may reset it.
  let isPerDelivery: Bool
  /// Applies a change to the register; with a guardian, only if that operation set it last.
  ///
  /// In an item with a trigger, the value counts for the occurrence, and a value that was set for a
  /// later one stays.
  let set:
    @Sendable (
      StateChange, inout UserNotification, _ guardian: OperationID?, OperationID,
      Occurrence.Label?
    ) -> Outcome
  /// Makes a change restore the register's previous value.
  let takeBack: @Sendable (ItemState, inout StateChange) -> Void
  /// Returns the operation that last set the register.
  let operation: @Sendable (ItemState) -> OperationID?
  /// Returns whether both states have the same value, regardless of author.
  let isEqual: @Sendable (ItemState, ItemState) -> Bool
  /// Returns whether both states agree in everything that operations determine.
  let isSame: @Sendable (ItemState, ItemState) -> Bool

  private init<Value>(
    _ name: String, _ register: any WritableKeyPath<ItemState, Register<Value>> & Sendable,
    _ wanted: any WritableKeyPath<StateChange, Value?> & Sendable, hasChoice: Bool = false,
    atPublication initial: Value? = nil, needsTrigger: Bool = false
  ) {
    self.name = name
    isPerDelivery = initial != nil
    set = { change, item, guardian, operation, occurrence in
      guard let value = change[keyPath: wanted], !needsTrigger || item.content.trigger != nil
      else { return .nothing }
      let choice = hasChoice ? change.choice : nil
      if let initial, let occurrence {
        let known = item.state[keyPath: register].change?.occurrence
        if let known, Self.isEarlier(occurrence, than: known) {
          return guardian == nil && change.choice == nil ? .nothing : .blocked
        }
        if known != occurrence { item.state[keyPath: register] = Register(initial) }
      }
      let old = item.state[keyPath: register]
      if let guardian, old.change?.operation != guardian { return .blocked }
      if old.value == value, choice == nil || old.change?.operation == operation {
        return .nothing
      }
      var new = Register(value)
      new.previous = old.value
      new.change = RegisterChange(
        at: .distantPast, by: Author(kind: .device, id: "", name: ""), operation: operation,
        choice: choice, occurrence: initial == nil && !needsTrigger ? nil : occurrence)
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
        && left.change?.occurrence == right.change?.occurrence
        && left.change?.choice?.id == right.change?.choice?.id
        && left.change?.choice?.text == right.change?.choice?.text
    }
  }

  static func isEarlier(
    _ left: Occurrence.Label, than right: Occurrence.Label
  ) -> Bool {
    switch (left, right) {
    case (.beforeFirst, _): right != .beforeFirst
    case (_, .beforeFirst): false
    case (.number(let left), .number(let right)): left < right
    // Their texts sort by time.
    case (.wallClock, .wallClock): left.description < right.description
    case (.crossing(let left), .crossing(let right)): left.milliseconds < right.milliseconds
    case (.number, _), (.wallClock, _), (.crossing, _): false
    }
  }

  static let all = [
    PlainRegister("the read state", \.readState, \.readState, atPublication: .unread),
    PlainRegister(
      "the action", \.userActionState, \.userActionState, hasChoice: true,
      atPublication: .noInteraction),
    PlainRegister("the pin", \.pinned, \.pinned),
    PlainRegister("the cancellation", \.cancelled, \.cancelled, needsTrigger: true),
    PlainRegister("the effect of rules", \.applied, \.applied),
  ]
}
