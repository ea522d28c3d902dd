package import BellhopModel

/// An operation that is still in the outbox, to be shown to the user.
package struct WaitingOperation: Hashable, Sendable, Identifiable {
  package enum Stage: Hashable, Sendable {
    /// It can be cancelled until the given time, and is not sent before.
    case held(until: Timestamp)
    /// It is still to be sent.
    case unsent
    /// The store has carried it out, but base does not contain it yet.
    case answered
  }

  package var operation: Operation
  /// The time at which the operation was made, by the store's clock.
  package var madeAt: Timestamp
  package var stage: Stage

  package var id: OperationID { operation.id }

  init(_ entry: OutboxEntry) {
    operation = entry.operation
    madeAt = entry.madeAt
    stage =
      if entry.answered != nil {
        .answered
      } else if entry.number == nil {
        .held(until: entry.sealAt ?? entry.madeAt)
      } else {
        .unsent
      }
  }
}

/// The reads for the user's own changes. Errors are ``CacheError``.
package protocol OutboxReading: Sendable {
  /// Returns at most `limit` operations of the outbox, in the order made.
  func waitingOperations(limit: Int) throws(CacheError) -> [WaitingOperation]

  /// Returns operations that did not take effect, newest first, for one item or for all.
  func outcomes(of item: NotificationID?, limit: Int) throws(CacheError) -> [OutcomeRecord]

  /// Returns the position of the newest outcome; 0 for none.
  func newestOutcome() throws(CacheError) -> Int64
}

extension CacheReader: OutboxReading {
  package func waitingOperations(limit: Int) throws(CacheError) -> [WaitingOperation] {
    try readList { statement in
      try statement.outbox("ORDER BY position LIMIT ?").bind(limit).all {
        WaitingOperation(try SQLiteTransaction.entry($0))
      }
    }
  }

  package func outcomes(
    of item: NotificationID?, limit: Int
  ) throws(CacheError) -> [OutcomeRecord] {
    try readList { statement in
      let columns = OutcomeColumn.list
      guard let item else {
        return try statement("SELECT \(columns) FROM outcome ORDER BY position DESC LIMIT ?")
          .bind(limit).all(SQLiteTransaction.outcome).compactMap { $0 }
      }
      return try statement(
        "SELECT \(columns) FROM outcome WHERE item = ? ORDER BY position DESC LIMIT ?"
      ).bind(item).bind(limit).all(SQLiteTransaction.outcome).compactMap { $0 }
    }
  }

  package func newestOutcome() throws(CacheError) -> Int64 {
    try readList { statement in
      try statement("SELECT max(position) FROM outcome").first { $0.integer(0) } ?? 0
    }
  }
}

extension MemoryCache: OutboxReading {
  package func waitingOperations(limit: Int) throws(CacheError) -> [WaitingOperation] {
    contents.outbox.prefix(limit).map { WaitingOperation($0) }
  }

  package func outcomes(
    of item: NotificationID?, limit: Int
  ) throws(CacheError) -> [OutcomeRecord] {
    Array(
      contents.outcomes.reversed()
        .filter { item == nil || $0.operation.notificationIDs == [item] }.prefix(limit))
  }

  package func newestOutcome() throws(CacheError) -> Int64 {
    contents.outcomes.last?.position ?? 0
  }
}
