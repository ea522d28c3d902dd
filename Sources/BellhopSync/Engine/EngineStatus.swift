package import BellhopModel

/// How the client stands with its store: the header's connection state.
package enum ConnectionState: Hashable, Sendable, Codable {
  /// Nothing has been tried yet.
  case connecting
  /// Changes arrive as they happen.
  case live
  /// Changes are asked for at this interval.
  case polling(every: Duration)
  /// The first synchronisation runs; `received` items so far are usable, of `total` if the store
  /// says how many there are.
  case firstSync(received: Int, total: Int? = nil)
  /// The store has not answered since this instant. What is done is kept and sent later.
  case offline(since: Timestamp)
  /// The store does not accept the token. Nothing is sent; the outbox is kept.
  case signInAgain
  /// The same, and it is known who took the token back: the name of a device, which is untrusted
  /// text, or nil for who runs the store.
  case signedOut(by: String?, at: Timestamp)
}

/// What the engine tells the screen, other processes and `bellhop status`.
package struct EngineStatus: Hashable, Sendable, Codable {
  package var connection: ConnectionState
  /// Operations the store has not acknowledged, including deletes in their grace time.
  package var waiting: Int
  /// When base last equalled the store, by the store's clock.
  package var lastSync: Timestamp?
  /// Why the last attempt failed, for a person; nil after a success. Holds text of the server:
  /// it has to pass through SafeText before it is shown.
  package var problem: String?
  /// Until when the store asked to be left alone, by the store's clock; nil when it did not.
  package var busyUntil: Timestamp?

  package init(
    connection: ConnectionState = .connecting, waiting: Int = 0, lastSync: Timestamp? = nil,
    problem: String? = nil, busyUntil: Timestamp? = nil
  ) {
    self.connection = connection
    self.waiting = waiting
    self.lastSync = lastSync
    self.problem = problem
    self.busyUntil = busyUntil
  }
}

/// What the cache holds, as far as decisions need it.
package struct LocalSummary: Hashable, Sendable {
  /// Operations the store has not answered, sealed or not.
  package var waiting: Int
  /// Sealed operations the store has not answered: what can be sent now.
  package var ready: Int
  /// When the next held operation is to be sealed, by the store's clock.
  package var nextSeal: Timestamp?
  /// When the next item changes its placement by itself, by the store's clock.
  package var nextTurnOver: Timestamp?

  package init(
    waiting: Int = 0, ready: Int = 0, nextSeal: Timestamp? = nil, nextTurnOver: Timestamp? = nil
  ) {
    self.waiting = waiting
    self.ready = ready
    self.nextSeal = nextSeal
    self.nextTurnOver = nextTurnOver
  }
}

/// How a round of synchronisation that somebody asked for came out.
package enum RoundOutcome: Hashable, Sendable {
  /// The outbox is empty but for deletes in their grace time, and base equals the store.
  case upToDate
  /// It could not be finished; everything unsent is kept.
  case failed(TransportError, waiting: Int)
  /// The time for it was over, or the engine was stopped, before the round ended.
  case stopped(waiting: Int)
  /// Another process of this account is the engine; it was asked.
  case delegated
}
