package import BellhopModel

/// The reason why a store did not carry out a request. A failed request leaves nothing behind, except
/// perhaps one with ``outcomeUnknown``.
///
/// Messages name what was wrong and what was expected; they never repeat input.
package enum StoreError: Error, Hashable, Sendable {
  /// A value breaks the contract. `field` is the wire name.
  case invalid(field: String, expectation: String)
  /// The access token is missing, unknown or expired.
  case unauthenticated(reason: String)
  /// The access token was revoked.
  case revoked(Revocation)
  /// The access token is valid but lacks this right.
  case accessDenied(reason: String)
  /// The object that the request names does not exist: `item`, `device`, `user`, `token`,
  /// `subscription`.
  case notFound(what: String)
  /// A name that must be unique is taken.
  case alreadyExists(what: String)
  /// The item changed after the state that `If-Match` names.
  case modified(current: SequenceNumber)
  /// The idempotency key was used before, with another body.
  case idempotencyConflict
  /// The delta token cannot be followed: start again with a first synchronisation.
  case resyncRequired(reason: String)
  /// Operations are missing before the first one sent (SYNC-9).
  case outboxGap(expected: Int64)
  /// Another operation already has this number: start a new lineage (SYNC-9).
  case outboxDiverged
  /// A part of the contract that this version does not support yet.
  case notSupported(what: String)
  /// More requests are waiting than the store accepts; try again a little later.
  case busy
  /// The user or the token has reached the limit of open signal streams.
  case tooManyStreams
  /// The user has reached the limit of waiting list requests.
  case tooManyLists
  /// The user has reached the limit of subscriptions.
  case tooManySubscriptions(max: Int)
  /// The app or the user has reached a quota.
  case quotaReached(what: String)
  /// The app or the user exceeds its rate limit for publications.
  case tooManyRequests(retryAfter: Duration)
  /// The disk is full. Nothing was stored; existing data is safe.
  case storageFull
  /// The database was written by a newer version and was not changed.
  case newerSchema
  /// The store was moved, or a move of it has begun. `target` names its new place.
  case moved(target: String)
  /// The storage is the target of a copy that is not finished.
  case unfinishedCopy
  /// Processes serve the store, which must not be served for this.
  case inUse(processes: Int)
  /// The storage did not confirm a commit: the request was carried out or not.
  case outcomeUnknown
  /// The storage failed; nothing was stored.
  case unavailable(reason: String)
}

extension StoreError {
  /// Whether the request itself was refused. Otherwise the store could not carry it out and may do
  /// so later, or the whole that the request belongs to must be refused.
  var isRefusal: Bool {
    switch self {
    case .invalid, .accessDenied, .notFound, .alreadyExists, .modified, .notSupported,
      .quotaReached, .tooManyRequests, .tooManySubscriptions:
      true
    case .unauthenticated, .revoked, .idempotencyConflict, .resyncRequired, .outboxGap,
      .outboxDiverged, .busy, .tooManyStreams, .tooManyLists, .storageFull, .newerSchema,
      .moved, .unfinishedCopy, .inUse, .outcomeUnknown, .unavailable:
      false
    }
  }
}

extension StoreError: ExplainedError {
  package var description: String {
    switch self {
    case .invalid(let field, let expectation): "\(field): expected \(expectation)"
    case .unauthenticated(let reason): "not signed in: \(reason)"
    case .revoked: "not signed in: the access token was revoked"
    case .accessDenied(let reason): "not allowed: \(reason)"
    case .notFound(let what): "no such \(what)"
    case .alreadyExists(let what): "\(what) already exists"
    case .modified(let current): "the item changed meanwhile; its etag is now \(current)"
    case .idempotencyConflict:
      "this Idempotency-Key was used with another body; use a new key for a new request"
    case .resyncRequired(let reason): "start again without a token: \(reason)"
    case .outboxGap(let expected): "operations are missing; the next number must be \(expected)"
    case .outboxDiverged:
      "another operation has this number; start a new lineage and number from 1"
    case .notSupported(let what): "\(what) is not supported by this version"
    case .busy: "too many requests are waiting; try again in a second"
    case .tooManyStreams: "too many signal streams are open; close one and try again"
    case .tooManyLists:
      "this user is reading too many lists at once; try again in a second"
    case .tooManySubscriptions(let max):
      "a user has at most \(max) subscriptions; delete one, or let one expire"
    case .quotaReached(let what): "the limit is reached: at most \(what)"
    case .tooManyRequests(let wait):
      "too many publications in a minute; try again in \(wait.wholeSeconds) s"
    case .storageFull:
      "the store's disk is full; nothing was changed; free disk space and try again"
    case .newerSchema:
      "the database was written by a newer version; nothing was changed; use that version"
    case .moved(let target):
      "the store was moved to \(target), or a move there was interrupted; nothing was changed; use "
        + "it there, run the move again, or revive this one"
    case .unfinishedCopy:
      "the storage holds an unfinished copy of a store; run the same command again to finish it"
    case .inUse(let count):
      count.counted("process serves", "processes serve")
        + " the store or did until a moment ago; nothing was changed; stop "
        + "\(count == 1 ? "it" : "them"), and try again in \(ServingProcess.liveTime.wholeSeconds) s"
    case .outcomeUnknown:
      "the storage did not confirm the request, which may have been carried out; send the same "
        + "request again, a publication with the same Idempotency-Key"
    case .unavailable(let reason): "the store cannot be used: \(reason); nothing was changed"
    }
  }
}

extension Duration {
  /// The duration in whole seconds, rounded up, as `Retry-After` requires.
  package var wholeSeconds: Int64 { (milliseconds + 999) / 1000 }
}
