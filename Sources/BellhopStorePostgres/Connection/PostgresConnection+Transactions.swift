#if BELLHOP_POSTGRES
internal import CPostgres

/// The result of `COMMIT`.
package enum CommitOutcome: Hashable, Sendable {
  /// The server has committed, and has waited for the standbys that it has to wait for.
  case committed
  /// The server has undone the transaction, or will, and has committed nothing of it.
  case notCommitted(PostgresError)
  /// The transaction may be committed or not, or may be lost in a failover.
  case unknown(UnknownCommit)
}

/// The reason why the result of `COMMIT` is unknown.
package enum UnknownCommit: Hashable, Sendable {
  /// The connection was lost, or dropped at the time limit, after `COMMIT` was sent. The server's
  /// process may still hold the locks.
  case connection(PostgresError)
  /// The server has committed with a warning: it did not wait for a standby. The connection can be
  /// used.
  case warning(sqlState: String, message: String)
}

/// The kinds of transactions.
package enum TransactionKind: Hashable, Sendable {
  /// `READ COMMITTED`, for writes: each statement sees what was committed before it began.
  case write
  /// `REPEATABLE READ READ ONLY`: all statements see one state.
  case snapshot
}

extension PostgresConnection {
  /// Begins a transaction together with its first statement. Flush queued statements before.
  package func begin(_ kind: TransactionKind = .write) throws(PostgresError) {
    precondition(!isInTransaction, "a transaction is open")
    switch kind {
    // Not READ WRITE, which would override `default_transaction_read_only`.
    case .write: try queue("BEGIN ISOLATION LEVEL READ COMMITTED")
    case .snapshot: try queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }
  }

  /// Sends the queued statements and `COMMIT` together, and waits for the result.
  ///
  /// Only ``CommitOutcome/committed`` is an acknowledgement. A warning of `COMMIT` is none, because a
  /// cancelled wait for a standby ends with a warning and success. At the time limit the connection
  /// is dropped, never the statement cancelled. Afterwards no transaction is open.
  ///
  /// - Parameter limit: The time limit; nil for that of the settings.
  package func commit(within limit: Duration? = nil) -> CommitOutcome {
    let limit = limit ?? commitTimeout
    // A connection that is known to be broken gives a better answer than an unknown outcome.
    guard isUsable else { return .notCommitted(failure) }
    precondition(isInTransaction, "no transaction is open")
    do {
      try send("COMMIT", [], isCommit: true)
    } catch {
      // Dropped, before the command was complete.
      return .notCommitted(error)
    }
    do {
      try sendSync()
    } catch {
      return .unknown(.connection(error))
    }
    let outcome = outcome(until: .now + limit, limit: limit)
    // The server has skipped COMMIT after the error of a queued statement.
    if case .notCommitted = outcome { rollback() }
    return outcome
  }

  private func outcome(until end: ContinuousClock.Instant, limit: Duration) -> CommitOutcome {
    var outcome: CommitOutcome?
    var first: PostgresError?
    do {
      for expected in take() {
        var isCommit = false
        if case .commit = expected {
          isCommit = true
          // libpq hands out notices when it reads the command that they belong to.
          cpostgres_reset(notices)
        }
        switch try nextAnswer(expected, until: end, limit: limit) {
        case .rows(let rows): if isCommit { outcome = outcomeOfEnd(rows.tag) }
        case .sync: break
        case .skipped: if isCommit { outcome = .notCommitted(first ?? .failedTransaction) }
        case .failure(let error, let isFatal):
          first = first ?? error
          if isFatal {
            drop(error)
            // Even as the answer to an earlier statement: a proxy may have lost the true answers.
            return outcome ?? .unknown(.connection(error))
          }
          if isCommit { outcome = .notCommitted(first ?? error) }
        }
      }
    } catch {
      return outcome ?? .unknown(.connection(error))
    }
    return outcome ?? .unknown(.connection(drop(lossReason())))
  }

  /// Returns the outcome for the tag with which the server has ended the transaction.
  private func outcomeOfEnd(_ tag: String) -> CommitOutcome {
    // After a failed statement, COMMIT succeeds with this tag.
    guard tag == "COMMIT" else { return .notCommitted(.failedTransaction) }
    guard notices.pointee.warnings == 0 else {
      return .unknown(.warning(sqlState: noticeState, message: noticeMessage))
    }
    return .committed
  }

  /// Undoes the transaction. Afterwards the connection has none, or was dropped.
  package func rollback() {
    guard isInTransaction else { return }
    do {
      // Separately, because the server skips a ROLLBACK in the batch of a failed statement.
      if !awaited.isEmpty { try sendSync() }
      try send("ROLLBACK", [])
      try sendSync()
      let end = ContinuousClock.now + answerTimeout
      for expected in take() {
        let answer = try nextAnswer(expected, until: end, limit: answerTimeout)
        if case .failure(let error, isFatal: true) = answer { drop(error) }
      }
      if isInTransaction { drop(.connectionLost(reason: "a transaction could not be undone")) }
    } catch {
      // The connection was dropped, and so the server undoes the transaction.
    }
  }
}
#endif
