package import BellhopModel

/// A key under which a publication takes effect once, however often the request is repeated.
package struct IdempotencyKey: Hashable, Sendable {
  /// The publisher's token. Keys of different tokens never collide.
  package var token: AccessTokenID
  package var key: String
  /// The SHA-256 of everything in the request that affects its outcome.
  package var bodyHash: [UInt8]

  package init(token: AccessTokenID, key: String, bodyHash: [UInt8]) {
    self.token = token
    self.key = key
    self.bodyHash = bodyHash
  }
}

/// A publisher's request.
package struct PublishRequest: Hashable, Sendable {
  package var content: Content
  /// Whether a replacement keeps the item's position and state (`Prefer: bellhop.quiet-update`).
  package var isQuietUpdate: Bool
  package var idempotency: IdempotencyKey?
  /// The token that publishes. Files uploaded with it may be attached.
  package var publisher: AccessTokenID?
  /// The number of the user's apps beyond which the publication creates no new app, if lower than
  /// ``StoreLimits/appsMax``.
  package var appsMax: Int?
  /// Whether the user's own device publishes the item, not an app.
  package var isDevice: Bool
  /// The publication of a device that came through its outbox; nil for one that is made now.
  var delayed: DelayedPublication?

  package init(
    _ content: Content, isQuietUpdate: Bool = false, idempotency: IdempotencyKey? = nil,
    publisher: AccessTokenID? = nil, appsMax: Int? = nil, isDevice: Bool = false
  ) {
    self.content = content
    self.isQuietUpdate = isQuietUpdate
    self.idempotency = idempotency
    self.publisher = publisher
    self.appsMax = appsMax
    self.isDevice = isDevice
  }
}

extension PublishRequest {
  /// Returns the time at which the item counts as published: for a trigger, that of the user.
  func start(at now: Timestamp) -> Timestamp {
    content.trigger == nil ? now : delayed?.made ?? now
  }
}

/// A publication that a device made earlier, and sends through its outbox.
struct DelayedPublication: Hashable, Sendable {
  /// The id of the item, unless it replaces another one.
  var id: NotificationID
  /// The time at which its user made it, at most now.
  var made: Timestamp
}

/// The result of a publication.
package struct Published: Hashable, Sendable {
  /// The effect on the item.
  package enum Outcome: String, Hashable, Sendable {
    case created
    /// Replaced an unread, untouched item, or replaced quietly; the position is unchanged.
    case updated
    /// Replaced an item that a user had read or handled; it is on top again and unread.
    case resurfaced
  }

  /// The item as this publication stored it.
  package var item: UserNotification
  package var outcome: Outcome
  /// The content of the request, as it was accepted.
  package var answered: Content
  /// Whether the idempotency key was known. Then this repeats the first answer, and nothing was
  /// written.
  package var isRepeat: Bool

  /// - Parameter answered: nil for the content of the item.
  package init(
    item: UserNotification, outcome: Outcome, answered: Content? = nil, isRepeat: Bool = false
  ) {
    self.item = item
    self.outcome = outcome
    self.answered = answered ?? item.content
    self.isRepeat = isRepeat
  }

  /// The item for the answer to a publisher, which must not learn what its user and their rules do.
  ///
  /// It has the content of the request, arrives as if it were new, and no register has changed.
  package var answer: UserNotification {
    var item = item
    item.content = answered
    item.arrival = answered.arrival(publishedAt: item.state.changed)
    item.state.registers = ItemRegisters()
    item.repeats = nil
    return item
  }
}

/// A part of a device's outbox, in order.
package struct OperationBatch: Hashable, Sendable {
  package var device: DeviceID
  package var lineage: Lineage
  package var operations: [NumberedOperation]
  /// The token that sends the batch. Files uploaded with it may be attached to publications, which may
  /// also have arrived with it before, under an idempotency key; nil if unknown.
  package var token: AccessTokenID?

  package init(
    device: DeviceID, lineage: Lineage, operations: [NumberedOperation],
    token: AccessTokenID? = nil
  ) {
    self.device = device
    self.lineage = lineage
    self.operations = operations
    self.token = token
  }
}

/// The answer to a batch, with a result for each operation, in order.
package struct BatchAnswer: Hashable, Sendable {
  package var results: [OperationResult]
  /// The sequence from which on a delta contains every effect of the batch.
  package var sequence: SequenceNumber
  /// Whether anything changed, so that other devices must be signalled.
  package var hasEffects: Bool
  /// The epoch of the sequence.
  package var epoch: Epoch

  package init(
    results: [OperationResult], sequence: SequenceNumber, hasEffects: Bool, epoch: Epoch
  ) {
    self.results = results
    self.sequence = sequence
    self.hasEffects = hasEffects
    self.epoch = epoch
  }
}

/// The progress of applying a batch.
package struct BatchProgress: Sendable {
  /// The results of the operations applied so far.
  package var results: [OperationResult] = []
  /// The user's sequence after the last step.
  var sequence = SequenceNumber.zero
  var hasEffects = false
  /// Whether the last step changed anything.
  package var stepHasEffects = false

  package init() {}
}

/// The result of one transaction on a batch.
package enum BatchStep: Sendable {
  case unfinished(BatchProgress)
  case finished(BatchAnswer)

  /// The results of the operations applied so far.
  var results: [OperationResult] {
    switch self {
    case .unfinished(let progress): progress.results
    case .finished(let answer): answer.results
    }
  }
}

/// A position in a delta or a list that a client pages through. Opaque to clients.
package struct PageToken: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
}

/// The starting point for a client's changes.
package enum DeltaStart: Hashable, Sendable {
  /// A first synchronisation: live items, newest arrival first.
  case beginning
  /// The next page of a first synchronisation or of a delta.
  case page(PageToken)
  /// Changes since the token.
  case since(DeltaToken)
}

/// A page of a first synchronisation or of a delta. It may be empty.
package struct DeltaPage: Hashable, Sendable {
  /// The continuation after a page.
  package enum End: Hashable, Sendable {
    case next(PageToken)
    case complete(DeltaToken)
  }

  package var changes: [Change]
  package var end: End
  /// The position at which paging began, in pages of a first synchronisation. The delta from there
  /// may be pulled while paging continues (SYNC-14).
  package var started: DeltaToken?
  /// The user's sequence when the page was read.
  package var sequence: SequenceNumber
  /// The epoch of the sequence.
  package var epoch: Epoch
  /// The sequence up to which the client's rows are still part of the store's past.
  ///
  /// It is set if the store restarted, or its database failed over, after it issued the request's
  /// token. A client with later rows read them from a past that was lost.
  package var validThrough: SequenceNumber?
  /// The number of the user's items, in pages of a first synchronisation. It includes expired items
  /// that no sweep has removed yet.
  package var itemCount: Int?

  package init(
    changes: [Change], end: End, started: DeltaToken?, sequence: SequenceNumber, epoch: Epoch,
    validThrough: SequenceNumber? = nil, itemCount: Int? = nil
  ) {
    self.itemCount = itemCount
    self.epoch = epoch
    self.changes = changes
    self.end = end
    self.started = started
    self.sequence = sequence
    self.validThrough = validThrough
  }
}

/// A notice that there are changes up to this sequence. It may be lost, duplicated or late
/// (SYNC-15).
package struct Signal: Hashable, Sendable {
  package var epoch: Epoch
  package var sequence: SequenceNumber
  /// The changes themselves, if the receiver requested them and they are small enough.
  package var enclosed: EnclosedChanges?

  package init(epoch: Epoch, sequence: SequenceNumber, enclosed: EnclosedChanges? = nil) {
    self.epoch = epoch
    self.sequence = sequence
    self.enclosed = enclosed
  }
}

/// The delta from `since` as it was read, enclosed in its signal. A device whose base is `since`
/// needs no request. Any other device requests its delta as if nothing had been enclosed.
package struct EnclosedChanges: Hashable, Sendable {
  package var since: DeltaToken
  /// The delta; always complete.
  package var page: DeltaPage

  package init(since: DeltaToken, page: DeltaPage) {
    self.since = since
    self.page = page
  }
}

/// The result of a sweep.
package struct SweepReport: Hashable, Sendable {
  package var expired = 0
  /// Items and rules that were removed long ago.
  package var tombstonesDropped = 0
  /// Bulk operations that were finished for requests that no longer exist.
  package var operationsFinished = 0
  /// Files whose lifetime ended, or that no publication named in time.
  package var filesRemoved = 0
  /// The reason why nothing was deleted by age; nil while wall-clock time is plausible.
  package var clockDoubt: ClockDoubt?

  package init() {}
}
