package import BellhopModel

/// A key under which a publication is done once, whatever the network repeats.
package struct IdempotencyKey: Hashable, Sendable {
  /// Keys of different tokens never meet.
  package var token: AccessTokenID
  package var key: String
  /// SHA-256 of everything in the request that shapes its effect.
  package var bodyHash: [UInt8]

  package init(token: AccessTokenID, key: String, bodyHash: [UInt8]) {
    self.token = token
    self.key = key
    self.bodyHash = bodyHash
  }
}

/// What a publisher asks for.
package struct PublishRequest: Hashable, Sendable {
  package var content: Content
  /// A replacement keeps place and state (`Prefer: bellhop.quiet-update`).
  package var isQuietUpdate: Bool
  package var idempotency: IdempotencyKey?
  /// The token that publishes: the files that were uploaded with it may be attached.
  package var publisher: AccessTokenID?
  /// The apps of the user beyond which the publication makes no new one, where that is fewer than
  /// ``StoreLimits/appsMax``.
  package var appsMax: Int?

  package init(
    _ content: Content, isQuietUpdate: Bool = false, idempotency: IdempotencyKey? = nil,
    publisher: AccessTokenID? = nil, appsMax: Int? = nil
  ) {
    self.content = content
    self.isQuietUpdate = isQuietUpdate
    self.idempotency = idempotency
    self.publisher = publisher
    self.appsMax = appsMax
  }
}

/// What a publication did.
package struct Published: Hashable, Sendable {
  /// How the item came about.
  package enum Outcome: String, Hashable, Sendable {
    case created
    /// Replaced an unread, untouched item, or quietly: no move.
    case updated
    /// Replaced an item that somebody had read or handled: on top again, unread.
    case resurfaced
  }

  /// The item as stored by this publication.
  package var item: UserNotification
  package var outcome: Outcome
  /// The idempotency key was known: this is the first answer again, and nothing was written.
  package var isRepeat: Bool

  package init(item: UserNotification, outcome: Outcome, isRepeat: Bool = false) {
    self.item = item
    self.outcome = outcome
    self.isRepeat = isRepeat
  }
}

/// A part of a device's outbox, in order.
package struct OperationBatch: Hashable, Sendable {
  package var device: DeviceID
  package var lineage: Lineage
  package var operations: [NumberedOperation]

  package init(device: DeviceID, lineage: Lineage, operations: [NumberedOperation]) {
    self.device = device
    self.lineage = lineage
    self.operations = operations
  }
}

/// The answer to a batch: a result for each operation, in order.
package struct BatchAnswer: Hashable, Sendable {
  package var results: [OperationResult]
  /// A delta that reaches this sequence contains every effect of the batch.
  package var sequence: SequenceNumber
  /// Whether anything changed, so that other devices are to be signalled.
  package var hasEffects: Bool

  package init(results: [OperationResult], sequence: SequenceNumber, hasEffects: Bool) {
    self.results = results
    self.sequence = sequence
    self.hasEffects = hasEffects
  }
}

/// How far a batch has been applied.
package struct BatchProgress: Sendable {
  /// Of the operations that are done.
  package var results: [OperationResult] = []
  /// The user's sequence after the last step.
  var sequence = SequenceNumber.zero
  var hasEffects = false
  /// Whether the last step changed anything.
  package var stepHasEffects = false

  package init() {}
}

/// What one transaction did of a batch.
package enum BatchStep: Sendable {
  case unfinished(BatchProgress)
  case finished(BatchAnswer)
}

/// A place inside a delta or a list that is being paged through. Opaque to clients.
package struct PageToken: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
}

/// Where a client wants its changes from.
package enum DeltaStart: Hashable, Sendable {
  /// A first synchronisation: live items, newest arrival first.
  case beginning
  /// The next page of a first synchronisation or of a delta.
  case page(PageToken)
  /// What changed since the token.
  case since(DeltaToken)
}

/// A page of a first synchronisation or of a delta. It may be empty.
package struct DeltaPage: Hashable, Sendable {
  /// What follows the page.
  package enum End: Hashable, Sendable {
    case next(PageToken)
    case complete(DeltaToken)
  }

  package var changes: [Change]
  package var end: End
  /// In pages of a first synchronisation, the position at which paging began: the delta from
  /// there may be pulled while paging goes on (SYNC-14).
  package var started: DeltaToken?
  /// The user's sequence when the page was read.
  package var sequence: SequenceNumber
  /// When the store was started again since the request's token was made: up to here, what was read
  /// before is still the store's past. Who holds later rows has them from a past that was lost.
  package var validThrough: SequenceNumber?
  /// In pages of a first synchronisation, how many items the user has; expired ones that no sweep
  /// has met yet among them.
  package var itemCount: Int?

  package init(
    changes: [Change], end: End, started: DeltaToken?, sequence: SequenceNumber,
    validThrough: SequenceNumber? = nil, itemCount: Int? = nil
  ) {
    self.itemCount = itemCount
    self.changes = changes
    self.end = end
    self.started = started
    self.sequence = sequence
    self.validThrough = validThrough
  }
}

/// The tap: there are changes up to this sequence. It may be lost, doubled or late (SYNC-15).
package struct Signal: Hashable, Sendable {
  package var epoch: Epoch
  package var sequence: SequenceNumber
  /// What changed, for a receiver that asked for it, when it is little.
  package var enclosed: EnclosedChanges?

  package init(epoch: Epoch, sequence: SequenceNumber, enclosed: EnclosedChanges? = nil) {
    self.epoch = epoch
    self.sequence = sequence
    self.enclosed = enclosed
  }
}

/// What a delta from `since` answered when it was read, sent along with the signal of it: a device
/// whose base is there needs to ask for nothing. Any other asks, as if nothing had been enclosed.
package struct EnclosedChanges: Hashable, Sendable {
  package var since: DeltaToken
  /// Always complete.
  package var page: DeltaPage

  package init(since: DeltaToken, page: DeltaPage) {
    self.since = since
    self.page = page
  }
}

/// What a sweep did.
package struct SweepReport: Hashable, Sendable {
  package var expired = 0
  package var tombstonesDropped = 0
  /// Bulk operations that were finished for requests that are gone.
  package var operationsFinished = 0
  /// Files whose time was over, or that no publication named in time.
  package var filesRemoved = 0
  /// Why nothing was deleted by its age; nil while wall-clock time is plausible.
  package var clockDoubt: ClockDoubt?

  package init() {}
}
