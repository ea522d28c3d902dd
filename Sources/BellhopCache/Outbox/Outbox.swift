package import BellhopModel

/// Sealed operations that the store has not answered, in order.
package struct OutboxBatch: Hashable, Sendable {
  package var lineage: Lineage
  /// With consecutive numbers; may be empty.
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

/// An operation that the store did not carry out, and why: for the screen to say.
package struct RejectedOperation: Hashable, Sendable {
  package var operation: Operation
  /// One of superseded, gone, refused and unacceptable.
  package var result: OperationResult

  package init(operation: Operation, result: OperationResult) {
    self.operation = operation
    self.result = result
  }
}

/// What taking in the store's answers did.
package struct AcknowledgeOutcome: Hashable, Sendable {
  /// Operations that left the outbox; those that base does not contain yet stay for a while.
  package var finished: [OperationID]
  /// Not carried out; out of the outbox, and no longer in what is shown.
  package var rejected: [RejectedOperation]
  /// Items whose shown state or pending mark changed.
  package var changed: [NotificationID]

  package init(
    finished: [OperationID] = [], rejected: [RejectedOperation] = [],
    changed: [NotificationID] = []
  ) {
    self.finished = finished
    self.rejected = rejected
    self.changed = changed
  }
}

/// How full the outbox is.
package struct OutboxCounts: Hashable, Sendable {
  /// Not sealed yet: deletes in their grace time.
  package var held: Int
  /// Sealed, not answered yet. The header's "n waiting" is held + waiting.
  package var waiting: Int
  /// Answered; base does not contain their effect yet.
  package var settling: Int

  package init(held: Int, waiting: Int, settling: Int) {
    self.held = held
    self.waiting = waiting
    self.settling = settling
  }

  /// What the store has not confirmed.
  package var unsent: Int { held + waiting }
}

/// Which operations a new numbering takes in.
package enum RenumberScope: Hashable, Sendable {
  /// What the store has not answered: a diverged outbox, a gap.
  case unanswered
  /// Everything that is still there: a new epoch or a device the store does not know may have
  /// lost what it answered (SYNC-9).
  case everything
}

/// Where the outbox and what turns over by itself stand while nothing is due.
package struct CacheGlance: Hashable, Sendable {
  /// When the next held operation is to be sealed.
  package var nextSeal: Timestamp?
  /// When the next item moves by itself.
  package var nextDue: Timestamp?
  package var outbox: OutboxCounts
  /// See ``TurnOverOutcome/needsSweep``.
  package var needsSweep: Bool

  package init(nextSeal: Timestamp?, nextDue: Timestamp?, outbox: OutboxCounts, needsSweep: Bool) {
    self.nextSeal = nextSeal
    self.nextDue = nextDue
    self.outbox = outbox
    self.needsSweep = needsSweep
  }
}
