extension UserNotification {
  /// Returns the operations that take back what rules did to the item; none if they did nothing.
  ///
  /// There is one for each of ``ItemRegisters/ruleReversals``. It changes only those registers that the
  /// operation of rules set last (SYNC-7).
  ///
  /// - Parameter newID: Returns the id of an operation.
  package func operationsTakingBackRules(_ newID: () -> OperationID) -> [Operation] {
    state.registers.ruleReversals.map { reversal in
      Operation(
        id: newID(), target: .item(id), mutation: .set(reversal.back), expect: reversal.operation)
    }
  }
}
