public import BellhopModel

/// Sealed operations that the store has not answered, in order.
public struct OutboxBatch: Hashable, Sendable {
  public var lineage: Lineage
  /// With consecutive numbers; may be empty.
  public var operations: [NumberedOperation]

  public init(lineage: Lineage, operations: [NumberedOperation]) {
    self.lineage = lineage
    self.operations = operations
  }
}

/// The store's answer to one sent operation.
public struct OperationAnswer: Hashable, Sendable {
  public var id: OperationID
  public var result: OperationResult

  public init(id: OperationID, result: OperationResult) {
    self.id = id
    self.result = result
  }
}

/// An operation that the store did not carry out, and why: for the screen to say.
public struct RejectedOperation: Hashable, Sendable {
  public var operation: Operation
  /// One of superseded, gone, refused and unacceptable.
  public var result: OperationResult

  public init(operation: Operation, result: OperationResult) {
    self.operation = operation
    self.result = result
  }
}

/// What taking in the store's answers did.
public struct AcknowledgeOutcome: Hashable, Sendable {
  /// Operations that left the outbox; those that base does not contain yet stay for a while.
  public var finished: [OperationID]
  /// Not carried out; out of the outbox, and no longer in what is shown.
  public var rejected: [RejectedOperation]
  /// Items whose shown state or pending mark changed.
  public var changed: [NotificationID]

  public init(
    finished: [OperationID] = [], rejected: [RejectedOperation] = [],
    changed: [NotificationID] = []
  ) {
    self.finished = finished
    self.rejected = rejected
    self.changed = changed
  }
}

/// How full the outbox is.
public struct OutboxCounts: Hashable, Sendable {
  /// Not sealed yet: deletes in their grace time.
  public var held: Int
  /// Sealed, not answered yet. The header's "n waiting" is held + waiting.
  public var waiting: Int
  /// Answered; base does not contain their effect yet.
  public var settling: Int

  public init(held: Int, waiting: Int, settling: Int) {
    self.held = held
    self.waiting = waiting
    self.settling = settling
  }

  /// What the store has not confirmed.
  public var unsent: Int { held + waiting }
}

/// Which operations a new numbering takes in.
public enum RenumberScope: Hashable, Sendable {
  /// What the store has not answered: a diverged outbox, a gap.
  case unanswered
  /// Everything that is still there: a new epoch or a device the store does not know may have
  /// lost what it answered (SYNC-9).
  case everything
}

/// Where the outbox and what turns over by itself stand while nothing is due.
public struct CacheGlance: Hashable, Sendable {
  /// When the next held operation is to be sealed.
  public var nextSeal: Timestamp?
  /// When the next item moves by itself.
  public var nextDue: Timestamp?
  public var outbox: OutboxCounts
  /// See ``TurnOverOutcome/needsSweep``.
  public var needsSweep: Bool

  public init(nextSeal: Timestamp?, nextDue: Timestamp?, outbox: OutboxCounts, needsSweep: Bool) {
    self.nextSeal = nextSeal
    self.nextDue = nextDue
    self.outbox = outbox
    self.needsSweep = needsSweep
  }
}
