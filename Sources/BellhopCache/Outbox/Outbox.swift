package import BellhopModel

/// A batch of sealed operations that the store has not answered, in order.
package struct OutboxBatch: Hashable, Sendable {
  package var lineage: Lineage
  /// The operations, with consecutive numbers; may be empty.
  package var operations: [NumberedOperation]

  package init(lineage: Lineage, operations: [NumberedOperation]) {
    self.lineage = lineage
    self.operations = operations
  }
}

/// The store's answer to one sent operation.
package struct OperationAnswer: Hashable, Sendable {
  package var id: OperationID
  package var result: OperationResult

  package init(id: OperationID, result: OperationResult) {
    self.id = id
    self.result = result
  }
}

/// An operation that the store did not carry out, and the reason, to be shown to the user.
package struct RejectedOperation: Hashable, Sendable {
  package var operation: Operation
  /// The result: superseded, gone, refused, unacceptable, outcomeUnknown or notPublished.
  package var result: OperationResult

  package init(operation: Operation, result: OperationResult) {
    self.operation = operation
    self.result = result
  }
}

/// The outcome of applying the store's answers.
package struct AcknowledgeOutcome: Hashable, Sendable {
  /// Operations that left the outbox. Those that base does not contain yet stay for a while.
  package var finished: [OperationID] = []
  /// Operations that were not carried out. They are out of the outbox and the shown state.
  package var rejected: [RejectedOperation] = []
  /// Items whose shown state or pending mark changed.
  package var changed: [NotificationID] = []
}

/// The number of operations in the outbox, by stage.
package struct OutboxCounts: Hashable, Sendable {
  /// The operations that are not sealed yet: deletes in their grace period.
  package var held: Int
  /// The sealed operations without an answer. The header's "n waiting" is held + waiting.
  package var waiting: Int
  /// The answered operations whose effect base does not contain yet.
  package var settling: Int

  package init(held: Int, waiting: Int, settling: Int) {
    self.held = held
    self.waiting = waiting
    self.settling = settling
  }

  /// The operations that the store has not confirmed.
  package var unsent: Int { held + waiting }
}

/// The operations that are renumbered.
package enum RenumberScope: Hashable, Sendable {
  /// The operations that the store has not answered, after a diverged outbox or a gap.
  case unanswered
  /// All operations that are still in the outbox.
  ///
  /// After a new epoch, or if the store does not know the device, it may have lost what it answered
  /// (SYNC-9).
  case everything
}

/// The due times and counts of the cache while nothing is due.
package struct PendingWork: Hashable, Sendable {
  /// The time at which the next held operation is to be sealed.
  package var nextSeal: Timestamp?
  /// The time at which the next item moves by itself.
  package var nextDue: Timestamp?
  package var outbox: OutboxCounts
  /// See ``DueItemsOutcome/needsSweep``.
  package var needsSweep: Bool
}
