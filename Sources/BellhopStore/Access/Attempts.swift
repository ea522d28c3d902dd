package import BellhopModel

/// The kinds of attempts that all processes of a store count together.
package enum AttemptKind: String, Hashable, Sendable, CaseIterable {
  /// The requests of a network for codes.
  case ask
  /// The requests of a site for codes.
  case siteAsk = "site-ask"
  /// The unknown codes that a user typed.
  case wrongCode = "wrong-code"
}

/// The recent attempts of one kind, by one network or user.
///
/// They are a token bucket in one number: the time at which the bucket is full again. Wall-clock time
/// is the only one that processes share.
package struct Attempts: Hashable, Sendable {
  package var kind: AttemptKind
  /// The network, site or user that made them.
  package var key: String
  /// The time from which they no longer count.
  package var forgotten: Timestamp

  package init(kind: AttemptKind, key: String, forgotten: Timestamp) {
    self.kind = kind
    self.key = key
    self.forgotten = forgotten
  }
}

/// A limit of attempts: a number at once, and the same number again within a period.
struct AttemptLimit: Sendable {
  var kind: AttemptKind
  var count: Int
  var period: Duration

  /// The time after which one attempt is forgotten.
  private var share: Duration {
    .milliseconds(max(1, period.milliseconds / Int64(max(1, count))))
  }

  /// Returns the time until which attempts count after another one at `now`.
  ///
  /// - Parameter known: that time before it; nil if none counts. A clock that was set back makes it
  ///   too late, so it is at most a period from now.
  func forgotten(_ known: Timestamp?, afterOneAt now: Timestamp) -> Timestamp {
    min(max(known ?? now, now), now.advanced(by: period)).advanced(by: share)
  }

  /// Returns how long to wait until the next attempt; nil if one may be made now.
  func wait(_ known: Timestamp?, at now: Timestamp) -> Duration? {
    let excess = forgotten(known, afterOneAt: now).duration(since: now) - period
    return excess > .zero ? excess : nil
  }
}

/// Read access to attempts. Part of ``StoreReading``.
package protocol AttemptReading: AnyObject {
  /// Returns the attempts of one network, site or user; nil if none are known.
  func attempts(_ kind: AttemptKind, by key: String) throws -> Attempts?
}

/// Read and write access to attempts, in a transaction. Part of ``StoreTransaction``.
///
/// Attempts belong to no user; see ``WriteScope``.
package protocol AttemptRecords: AttemptReading {
  /// Stores attempts in place of earlier ones of the same kind and key.
  ///
  /// Keeps at most `count` rows of the kind, including this one. It removes those that are forgotten
  /// first, because they have the fewest attempts: so many new keys do not displace the busy ones.
  func put(_ attempts: Attempts, keeping count: Int) throws
  /// Removes at most `limit` rows of a kind that are forgotten by `now`, and returns their number.
  func removeAttempts(_ kind: AttemptKind, forgottenBy now: Timestamp, limit: Int) throws -> Int
}

extension StoreLogic {
  /// Returns how long the key must wait until its next attempt; nil if it may make one now.
  func attemptWait(
    _ limit: AttemptLimit, by key: String, at now: Timestamp, in state: any StoreReading
  ) throws -> Duration? {
    limit.wait(try state.attempts(limit.kind, by: key)?.forgotten, at: now)
  }

  /// Counts an attempt.
  ///
  /// - Parameter keysMax: the maximum number of counted keys of this kind.
  func countAttempt(
    _ limit: AttemptLimit, by key: String, keysMax: Int, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws {
    let known = try transaction.attempts(limit.kind, by: key)?.forgotten
    try transaction.put(
      Attempts(
        kind: limit.kind, key: key, forgotten: limit.forgotten(known, afterOneAt: now)),
      keeping: keysMax)
  }
}
