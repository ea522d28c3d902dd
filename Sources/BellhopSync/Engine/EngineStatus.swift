package import BellhopModel

/// The state of the client's connection to its store, for the header.
package enum ConnectionState: Hashable, Sendable, Codable {
  /// The client has not synchronised yet.
  case connecting
  /// Changes arrive as they happen.
  case live
  /// The client requests changes at this interval.
  case polling(every: Duration)
  /// The first synchronisation is in progress.
  ///
  /// `received` items can be used so far, of `total` if the store reports how many there are.
  case firstSync(received: Int, total: Int? = nil)
  /// The store has not answered since this instant. Changes are kept and sent later.
  case offline(since: Timestamp)
  /// The store does not accept the token. Nothing is sent; the outbox is kept.
  case signInAgain
  /// The token was revoked, and the store reports by whom. Otherwise like ``signInAgain``.
  ///
  /// `by` is the name of a device, which is untrusted text, or nil for the operator of the store.
  case signedOut(by: String?, at: Timestamp)
}

/// The engine's status, for the screen, other processes and `bellhop status`.
package struct EngineStatus: Hashable, Sendable, Codable {
  package var connection = ConnectionState.connecting
  /// The number of operations that the store has not acknowledged.
  ///
  /// Includes deletes in their grace period.
  package var waiting = 0
  /// The last time at which base equalled the store, by the store's clock.
  package var lastSync: Timestamp?
  /// The reason why the last attempt failed, for the user; nil after a success.
  ///
  /// Contains text from the server, which must pass through SafeText before it is shown.
  package var problem: String?
  /// The end of the pause that the store requested, by the store's clock; nil if it did not.
  package var busyUntil: Timestamp?
}

/// The facts about the cache that decisions need.
package struct LocalSummary: Hashable, Sendable {
  /// The number of operations that the store has not answered, sealed or not.
  package var waiting: Int
  /// The number of sealed operations that the store has not answered, which can be sent now.
  package var ready: Int
  /// The time at which the next held operation is to be sealed, by the store's clock.
  package var nextSeal: Timestamp?
  /// The time at which the next item changes its placement by itself, by the store's clock.
  package var nextDue: Timestamp?

  package init(
    waiting: Int = 0, ready: Int = 0, nextSeal: Timestamp? = nil, nextDue: Timestamp? = nil
  ) {
    self.waiting = waiting
    self.ready = ready
    self.nextSeal = nextSeal
    self.nextDue = nextDue
  }
}

/// The outcome of a requested round of synchronisation.
package enum RoundOutcome: Hashable, Sendable {
  /// The outbox is empty except for deletes in their grace period, and base equals the store.
  case upToDate
  /// The round could not be finished. Everything unsent is kept.
  case failed(TransportError, waiting: Int)
  /// The time limit was reached, or the engine was stopped, before the round ended.
  case stopped(waiting: Int)
  /// Another process of this account is the engine, and has received the request.
  case delegated
}
