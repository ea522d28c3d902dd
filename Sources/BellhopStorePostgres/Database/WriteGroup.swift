#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// The writes that share a transaction of the database.
///
/// Most bodies that throw do so before they write, and then nothing must be undone. If one throws after
/// it has written, the group runs again with a savepoint for each body. Savepoints for every write would
/// be too expensive.
struct WriteGroup: Sendable {
  typealias Request = WriteRequest<PostgresTransaction>

  /// The end of a run.
  enum End: Sendable {
    /// All requests were answered.
    case answered
    /// No request was answered and nothing was committed. The group may succeed if it runs again.
    case again(any Error)
    /// No request was answered. The transaction may be committed.
    case unknown([WriteAttempt], CommitMark)
  }

  /// The way to undo a body that throws.
  private enum Isolation {
    /// The body cannot be undone separately.
    case none
    case savepoint
  }

  let requests: [Request]
  let kind: TransactionContext.Kind

  /// Runs the bodies and commits.
  ///
  /// - Parameters:
  /// - process: The number of this process, for the mark of the transaction.
  /// - random: A random number for the mark.
  /// - committed: Called after a commit, before the answers.
  func run(
    on connection: PostgresConnection, by process: UInt64, random: () -> UInt64,
    committed: () -> Void
  ) -> End {
    do {
      for isolation in [Isolation.none, .savepoint] {
        let number = random()
        let end = try run(isolation, on: connection, by: process, number: number, committed)
        if let end { return end }
        connection.rollback()
      }
      throw StoreError.rolledBack
    } catch {
      connection.rollback()
      if let error = error as? PostgresError, error.mayPass { return .again(error) }
      refuse(error)
      return .answered
    }
  }

  /// Answers all requests with an error.
  func refuse(_ error: any Error) { for request in requests { request.refuse(error) } }

  /// Runs the bodies and commits once.
  ///
  /// - Parameters:
  /// - process: The number of this process, for the transaction's mark.
  /// - number: The random number of the mark.
  /// - Returns: nil if a body has failed whose changes cannot be undone separately.
  /// - Throws: The reason why the whole transaction has failed.
  private func run(
    _ isolation: Isolation, on connection: PostgresConnection, by process: UInt64, number: UInt64,
    _ committed: () -> Void
  ) throws -> End? {
    let context = TransactionContext(connection, kind)
    try context.begin()
    var attempts: [WriteAttempt] = []
    for request in requests {
      let writesBefore = context.writeCount
      let attempt =
        switch isolation {
        case .none: request.attempt(PostgresTransaction(context))
        case .savepoint: try Self.runInSavepoint(request, context)
        }
      attempts.append(attempt)
      guard isolation == .none, let error = attempt.error else { continue }
      // The statement that has failed may be one that an earlier body had queued.
      let hasFailed = error is PostgresError
      guard hasFailed || context.writeCount != writesBefore else { continue }
      if requests.count == 1 || Self.endsTransaction(error) { throw error }
      return nil
    }
    let mark = try context.finish(by: process, mark: number)
    if Mutant.answerBeforeCommit.isOn {
      for attempt in attempts { attempt.answer(nil) }
      _ = connection.commit()
      return .answered
    }
    switch connection.commit() {
    case .committed:
      committed()
      for attempt in attempts { attempt.answer(nil) }
      return .answered
    case .notCommitted(let error):
      if isolation == .none, requests.count > 1, !Self.endsTransaction(error) { return nil }
      throw error
    case .unknown(let reason):
      guard let mark else { return .again(reason.error) }
      return .unknown(attempts, mark)
    }
  }

  /// Runs a body whose changes are undone if it throws, or if one of its queued statements fails.
  ///
  /// - Throws: An error that ends the transaction of the group.
  private static func runInSavepoint(
    _ request: Request, _ context: TransactionContext
  ) throws -> WriteAttempt {
    let connection = context.connection
    let kept = context.kept
    try connection.queue("SAVEPOINT body")
    // Prepared now: a failed transaction cannot deallocate an older statement to make room for it.
    try connection.queue(rollback)
    var attempt = request.attempt(PostgresTransaction(context))
    do {
      try connection.flush()
    } catch {
      if attempt.error == nil { attempt = attempt.failed(error) }
      // The connection may be lost, even if the body has caught that error.
      if endsTransaction(error) { throw error }
    }
    guard let error = attempt.error else {
      try connection.queue("RELEASE SAVEPOINT body")
      return attempt
    }
    if endsTransaction(error) { throw error }
    context.kept = kept
    try connection.run(rollback)
    return attempt
  }

  private static let rollback = "ROLLBACK TO SAVEPOINT body"

  /// Whether the error ends the whole transaction, and not only one body.
  private static func endsTransaction(_ error: any Error) -> Bool {
    guard let error = error as? PostgresError else { return false }
    return error.remedy != .report || error.mayPass || error == .closed
  }
}

extension WriteAttempt {
  /// The attempt as one whose queued statements have failed.
  fileprivate func failed(_ error: any Error) -> WriteAttempt {
    WriteAttempt(error: error) { [answer] failure in answer(failure ?? error) }
  }
}

extension PostgresError {
  /// Whether the same transaction may succeed when it runs again at once.
  var mayPass: Bool {
    switch self {
    // A migration has changed the tables of a prepared statement.
    case .refused("0A000", _, _), .refused("26000", _, _): true
    case .refused, .connectionLost, .timedOut, .shuttingDown, .readOnly, .conflict, .lockTimeout,
      .tooManyConnections, .diskFull, .outOfMemory, .failedTransaction, .invalidAddress,
      .secretInAddress, .exposedPasswordFile, .unverifiedServer, .unreachable, .accessDenied,
      .serverTooOld, .missingRight, .unexpectedValue, .missingColumn, .missingRow, .tooManyWaiting,
      .closed:
      remedy == .retry
    }
  }
}

extension UnknownCommit {
  /// The reason as an error, for a transaction that wrote nothing.
  fileprivate var error: PostgresError {
    switch self {
    case .connection(let error): error
    case .warning: .connectionLost(reason: "the commit was not confirmed")
    }
  }
}
#endif
