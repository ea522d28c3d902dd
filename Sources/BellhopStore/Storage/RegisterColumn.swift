internal import BellhopModel

/// A column of an item's registers, which has the same name in every database of a store.
///
/// Each case is spelled like its column: `kept` holds the register `ItemRegisters.pinned`. Statements
/// write and select the columns in this order.
package enum RegisterColumn: Int, TableColumn {
  case readState, readPrevious, readAt, readBy, readOperation, readOccurrence
  case action, actionUntil, actionPrevious, actionPreviousUntil, actionAt, actionBy
  case actionOperation, actionChoice, actionOccurrence
  case kept, keptPrevious, keptAt, keptBy, keptOperation
  case cancelled, cancelledPrevious, cancelledAt, cancelledBy, cancelledOperation
  case cancelledOccurrence
  case applied, appliedPrevious, appliedAt, appliedBy, appliedOperation

  /// Whether the column stays as it is when the item becomes a tombstone; otherwise it is NULL.
  ///
  /// The values of registers stay, except documents: the others reveal no written content.
  package var outlivesItem: Bool {
    zip(ItemRegister.all, RegisterColumns.all).contains { register, columns in
      columns.value == self && register.form != .document
    }
  }
}

/// The columns of a register.
package struct RegisterColumns: Sendable {
  package let value: RegisterColumn
  /// The time at which the value ends; nil for a register without such values.
  package var until: RegisterColumn?
  package let previous: RegisterColumn
  package var previousUntil: RegisterColumn?
  package let at: RegisterColumn
  package let by: RegisterColumn
  package let operation: RegisterColumn
  /// The chosen action; nil for a register without actions.
  package var choice: RegisterColumn?
  /// The occurrence that was shown when the register was set; nil for one that records none.
  package var occurrence: RegisterColumn?

  /// The columns of all registers, in the order of `ItemRegister.all`.
  package static let all = [
    RegisterColumns(
      value: .readState, previous: .readPrevious, at: .readAt, by: .readBy,
      operation: .readOperation, occurrence: .readOccurrence),
    RegisterColumns(
      value: .action, until: .actionUntil, previous: .actionPrevious,
      previousUntil: .actionPreviousUntil, at: .actionAt, by: .actionBy,
      operation: .actionOperation, choice: .actionChoice, occurrence: .actionOccurrence),
    RegisterColumns(
      value: .kept, previous: .keptPrevious, at: .keptAt, by: .keptBy,
      operation: .keptOperation),
    RegisterColumns(
      value: .cancelled, previous: .cancelledPrevious, at: .cancelledAt, by: .cancelledBy,
      operation: .cancelledOperation, occurrence: .cancelledOccurrence),
    RegisterColumns(
      value: .applied, previous: .appliedPrevious, at: .appliedAt, by: .appliedBy,
      operation: .appliedOperation),
  ]
}
