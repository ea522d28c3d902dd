extension UserNotification {
  /// Returns the operations that take back what rules did to the item; none if they did nothing.
  ///
  /// There is one for each operation by which rules set registers, at a publication or when their user
  /// applied them. It changes only those registers that the operation set last (SYNC-7), and gives them
  /// the values of publication.
  ///
  /// - Parameter newID: Returns the id of an operation.
  package func operationsTakingBackRules(_ newID: () -> OperationID) -> [Operation] {
    let published = ItemRegisters()
    // A rule that its user applies acts as the user's device.
    let applied = state.applied.value.rules.isEmpty ? nil : state.applied.change?.operation
    var changes: [(made: OperationID, back: StateChange)] = []
    for register in ItemRegister.all {
      guard let last = register.lastChange(state.registers), let made = last.operation,
        last.by.kind == .rule || made == applied, !register.isEqual(state.registers, published)
      else { continue }
      let index = changes.firstIndex { $0.made == made } ?? changes.endIndex
      if index == changes.endIndex { changes.append((made, StateChange())) }
      register.copyValue(published, &changes[index].back)
    }
    return changes.map { change in
      Operation(
        id: newID(), target: .item(id), mutation: .set(change.back), expect: change.made)
    }
  }
}
