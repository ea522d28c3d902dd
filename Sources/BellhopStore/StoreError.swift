package import BellhopModel

/// Why a store did not do what it was asked. Nothing of a failed request stays behind.
///
/// Messages name what was wrong and what was expected; they never repeat input.
package enum StoreError: Error, Hashable, Sendable {
  /// A value breaks the contract. `field` is the wire name.
  case invalid(field: String, expectation: String)
  /// No access token, or one that does not hold: unknown or expired.
  case unauthenticated(reason: String)
  /// An access token that was taken back.
  case revoked(Revocation)
  /// A good access token without this right.
  case accessDenied(reason: String)
  /// What the request names is not there: `item`, `device`, `user`, `token`,
  /// `subscription`.
  case notFound(what: String)
  /// A name that must be unique is taken.
  case alreadyExists(what: String)
  /// The item changed since the state that `If-Match` names.
  case modified(current: SequenceNumber)
  /// The idempotency key was used before, with another body.
  case idempotencyConflict
  /// The delta token can't be followed: start again with a first synchronisation.
  case resyncRequired(reason: String)
  /// Operations are missing before the first one sent (SYNC-9).
  case outboxGap(expected: Int64)
  /// Another operation has this number already: take a new lineage (SYNC-9).
  case outboxDiverged
  /// A part of the contract that this version does not carry out yet.
  case notSupported(what: String)
  /// More requests are waiting than the store accepts; try again a little later.
  case busy
  /// The user or the token has as many open streams of signals as it may.
  case tooManyStreams
  /// As many lists of the user wait to be read as may wait.
  case tooManyLists
  /// The user has as many subscriptions as the store keeps for one.
  case tooManySubscriptions(max: Int)
  /// The app or the user holds as much as it may.
  case quotaReached(what: String)
  /// The app or the user publishes faster than it may.
  case tooManyRequests(retryAfter: Duration)
  /// The disk is full. Nothing was stored; what was there is safe.
  case storageFull
  /// The database was written by a newer version, and was not touched.
  case newerSchema
  /// The storage failed; nothing was stored.
  case unavailable(reason: String)
}

extension StoreError {
  /// Whether the request itself was refused; otherwise the store could not do it, and may do it
  /// later, or the whole of which the request is a part is to be refused.
  var isRefusal: Bool {
    switch self {
    case .invalid, .accessDenied, .notFound, .alreadyExists, .modified, .notSupported,
      .quotaReached, .tooManyRequests, .tooManySubscriptions:
      true
    case .unauthenticated, .revoked, .idempotencyConflict, .resyncRequired, .outboxGap,
      .outboxDiverged, .busy, .tooManyStreams, .tooManyLists, .storageFull, .newerSchema,
      .unavailable:
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
    case .alreadyExists(let what): "\(what) exists already"
    case .modified(let current): "the item changed meanwhile; its etag is now \(current)"
    case .idempotencyConflict:
      "this Idempotency-Key was used with another body; use a new key for a new request"
    case .resyncRequired(let reason): "start again without a token: \(reason)"
    case .outboxGap(let expected): "operations are missing; number \(expected) comes next"
    case .outboxDiverged:
      "another operation has this number; start a new lineage and number from 1"
    case .notSupported(let what): "\(what) is not supported by this version"
    case .busy: "too many requests are waiting; try again in a second"
    case .tooManyStreams: "too many streams of signals are open; close one and try again"
    case .tooManyLists:
      "too many lists of this user are being read; wait for one and try again in a second"
    case .tooManySubscriptions(let max):
      "a user has at most \(max) subscriptions; delete one, or let one expire"
    case .quotaReached(let what): "the limit is reached: at most \(what)"
    case .tooManyRequests(let wait):
      "too many publications in a minute; try again in \(wait.wholeSeconds) s"
    case .storageFull:
      "the store's disk is full; nothing was changed; make room and try again"
    case .newerSchema:
      "the database was written by a newer version; nothing was touched; use that version"
    case .unavailable(let reason): "the storage failed, nothing was changed: \(reason)"
    }
  }
}

extension Duration {
  /// Whole seconds, rounded up, as `Retry-After` has them.
  package var wholeSeconds: Int64 { (milliseconds + 999) / 1000 }
}
