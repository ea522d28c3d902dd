public import BellhopModel

/// A key under which a publication is done once, whatever the network repeats.
public struct IdempotencyKey: Hashable, Sendable {
  /// Keys of different tokens never meet.
  public var token: AccessTokenID
  public var key: String
  /// SHA-256 of everything in the request that shapes its effect.
  public var bodyHash: [UInt8]

  public init(token: AccessTokenID, key: String, bodyHash: [UInt8]) {
    self.token = token
    self.key = key
    self.bodyHash = bodyHash
  }
}

/// What a publisher asks for.
public struct PublishRequest: Hashable, Sendable {
  public var content: Content
  /// A replacement keeps place and state (`Prefer: bellhop.quiet-update`).
  public var isQuietUpdate: Bool
  public var idempotency: IdempotencyKey?
  /// The token that publishes: the files that were uploaded with it may be attached.
  public var publisher: AccessTokenID?
  /// The apps of the user beyond which the publication makes no new one, where that is fewer than
  /// ``StoreLimits/appsMax``.
  public var appsMax: Int?

  public init(
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
public struct Published: Hashable, Sendable {
  /// How the item came about.
  public enum Outcome: String, Hashable, Sendable {
    case created
    /// Replaced an unread, untouched item, or quietly: no move.
    case updated
    /// Replaced an item that somebody had read or handled: on top again, unread.
    case resurfaced
  }

  /// The item as stored by this publication.
  public var item: UserNotification
  public var outcome: Outcome
  /// The idempotency key was known: this is the first answer again, and nothing was written.
  public var isRepeat: Bool

  public init(item: UserNotification, outcome: Outcome, isRepeat: Bool = false) {
    self.item = item
    self.outcome = outcome
    self.isRepeat = isRepeat
  }
}

/// A part of a device's outbox, in order.
public struct OperationBatch: Hashable, Sendable {
  public var device: DeviceID
  public var lineage: Lineage
  public var operations: [NumberedOperation]

  public init(device: DeviceID, lineage: Lineage, operations: [NumberedOperation]) {
    self.device = device
    self.lineage = lineage
    self.operations = operations
  }
}

/// The answer to a batch: a result for each operation, in order.
public struct BatchAnswer: Hashable, Sendable {
  public var results: [OperationResult]
  /// A delta that reaches this sequence contains every effect of the batch.
  public var sequence: SequenceNumber
  /// Whether anything changed, so that other devices are to be signalled.
  public var hasEffects: Bool

  public init(results: [OperationResult], sequence: SequenceNumber, hasEffects: Bool) {
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
public struct PageToken: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// Where a client wants its changes from.
public enum DeltaStart: Hashable, Sendable {
  /// A first synchronisation: live items, newest arrival first.
  case beginning
  /// The next page of a first synchronisation or of a delta.
  case page(PageToken)
  /// What changed since the token.
  case since(DeltaToken)
}

/// A page of a first synchronisation or of a delta. It may be empty.
public struct DeltaPage: Hashable, Sendable {
  /// What follows the page.
  public enum End: Hashable, Sendable {
    case next(PageToken)
    case complete(DeltaToken)
  }

  public var changes: [Change]
  public var end: End
  /// In pages of a first synchronisation, the position at which paging began: the delta from
  /// there may be pulled while paging goes on (SYNC-14).
  public var started: DeltaToken?
  /// The user's sequence when the page was read.
  public var sequence: SequenceNumber
  /// When the store was started again since the request's token was made: up to here, what was read
  /// before is still the store's past. Who holds later rows has them from a past that was lost.
  public var validThrough: SequenceNumber?
  /// In pages of a first synchronisation, how many items the user has; expired ones that no sweep
  /// has met yet among them.
  public var itemCount: Int?

  public init(
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
public struct Signal: Hashable, Sendable {
  public var epoch: Epoch
  public var sequence: SequenceNumber
  /// What changed, for a receiver that asked for it, when it is little.
  public var enclosed: EnclosedChanges?

  public init(epoch: Epoch, sequence: SequenceNumber, enclosed: EnclosedChanges? = nil) {
    self.epoch = epoch
    self.sequence = sequence
    self.enclosed = enclosed
  }
}

/// What a delta from `since` answered when it was read, sent along with the signal of it: a device
/// whose base is there needs to ask for nothing. Any other asks, as if nothing had been enclosed.
public struct EnclosedChanges: Hashable, Sendable {
  public var since: DeltaToken
  /// Always complete.
  public var page: DeltaPage

  public init(since: DeltaToken, page: DeltaPage) {
    self.since = since
    self.page = page
  }
}

/// What a sweep did.
public struct SweepReport: Hashable, Sendable {
  public var expired = 0
  public var tombstonesDropped = 0
  /// Bulk operations that were finished for requests that are gone.
  public var operationsFinished = 0
  /// Files whose time was over, or that no publication named in time.
  public var filesRemoved = 0
  /// Why nothing was deleted by its age; nil while wall-clock time is plausible.
  public var clockDoubt: ClockDoubt?

  public init() {}
}
